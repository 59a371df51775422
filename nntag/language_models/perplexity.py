"""Perplexity: the negative log-probability of every token of some sentences in, the report on them out.

perplexity = exp(total nats / predicted tokens). `</s>` is predicted and counted, `<s>` is not; nothing is skipped. Sums
are taken over all tokens at once in float64, so that no figure depends on how the sentences were batched.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from nntag.errors import UsageError
from nntag.language_models.streams import UNKNOWN, TokenStream

LENGTH_BANDS = ((0, 9), (10, 80), (81, None))  # predicted tokens; Tran 2016 keeps sentences of 10 to 80


def report_perplexity(stream: TokenStream, nats: np.ndarray) -> dict[str, Any]:
    """The report on `nats: float64[N]`, one for each entry of `stream.ids`; raises `UsageError` where there is none.

    Beside the perplexity of all tokens: that of the tokens other than `<unk>`, and that of sentences by their length.
    """
    if len(stream) == 0:
        raise UsageError("no sentences to evaluate on")
    ids, lengths = np.asarray(stream.ids), stream.lengths
    known = ids != UNKNOWN
    by_sentence = sum_by_sentence(stream, nats)
    bands = {}
    for low, high in LENGTH_BANDS:
        chosen = (lengths >= low) & (lengths <= (high or lengths.max(initial=0)))
        if chosen.any():
            scores = _perplexity(by_sentence[chosen], int(lengths[chosen].sum()))
            bands[f"{low}-{high or ''}"] = {"sentences": int(chosen.sum())} | scores
    return {
        **_perplexity(nats, len(nats)),
        "nats": float(nats.sum()),
        "sentences": len(stream),
        "unknown": {"tokens": int((~known).sum()), "share": float((~known).mean())},
        "without_unknown": _perplexity(nats[known], int(known.sum())),
        "by_length": bands,
    }


def sum_by_sentence(stream: TokenStream, nats: np.ndarray) -> np.ndarray:
    """float64[sentences]: the nats of each sentence, its `</s>` included."""
    return np.add.reduceat(nats, stream.starts[:-1]) if len(stream) else np.empty(0)


def perplexity(nats: float, tokens: int) -> float:
    """exp(nats / tokens); infinite where it leaves the range of floats."""
    mean = nats / tokens
    return math.exp(mean) if mean < 709 else math.inf


def _perplexity(nats: np.ndarray, tokens: int) -> dict[str, Any]:
    return {"perplexity": perplexity(float(nats.sum()), tokens) if tokens else None, "tokens": tokens}


def mix_nats(nats: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """float64[N]: minus the log of the weighted mean of the probabilities that K models give, `nats: float64[K, N]`."""
    lowest = nats.min(axis=0)
    return lowest - np.log(weights @ np.exp(lowest - nats))


def fit_mixture(nats: np.ndarray, tolerance: float = 1e-9, most_steps: int = 1000) -> np.ndarray:
    """float64[K]: the weights of K models, summing to one, under which the mixture gives `nats: float64[K, N]` most
    probability: expectation-maximisation from equal weights (Jelinek & Mercer 1980), whose optimum is the only one."""
    ratios = np.exp(nats.min(axis=0) - nats)  # each token's probabilities, over the greatest of them
    weights = np.full(len(nats), 1 / len(nats))
    for _ in range(most_steps):
        shares = weights[:, None] * ratios
        new = (shares / shares.sum(axis=0)).mean(axis=1)
        done = np.abs(new - weights).max() < tolerance
        weights = new
        if done:
            break
    return weights
