"""A language model and a sentence in; log-probability, rank and length of n-gram of each of its words out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nntag.language_models.mixture import LanguageModel
from nntag.language_models.next_words import probabilities_by_place
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.streams import BOUNDARY, SENTENCE_END, restore_order


@dataclass(frozen=True, slots=True)
class WordScore:
    """One word in its place."""

    word: str  # </s> for the end of the sentence
    log_probability: float  # nats
    rank: int  # 1: no word is more probable there; words that are equally probable share the best rank
    ngram: int | None  # words of the longest n-gram seen in training that ends here; None without an n-gram model


def describe_words(model: LanguageModel, tokens: Sequence[str]) -> list[WordScore]:
    """Each token of one sentence and `</s>` after it; what the model does not know is judged as `<unk>`.

    The rank is among all words of the vocabulary, `</s>` and `<unk>` included. Of a mixture with n-gram models, `ngram`
    is the longest n-gram that any of them has.
    """
    logs = model.score_sentences([tokens])[0]
    backward = model.tasks[0].backward
    ids = model.vocabulary.encode(tokens)
    read = ids[::-1] if backward else ids
    ranks, ngrams = rank_words(model, read), _measure_ngrams(model, read)
    if backward:
        ranks, ngrams = restore_order(ranks), restore_order(ngrams)
    return [
        WordScore(word, float(log), int(rank), int(ngram) or None)
        for word, log, rank, ngram in zip((*tokens, SENTENCE_END), logs, ranks, ngrams, strict=True)
    ]


def rank_words(model: LanguageModel, ids: np.ndarray) -> np.ndarray:
    """int64[T + 1]: the rank of each word of `ids: int[T]`, in the order in which the model reads, and of the end."""
    each = [probabilities_by_place(run.model, ids) for run in model.runs]
    places = zip(*each, strict=True)  # K times float64[V]
    targets = np.append(ids, BOUNDARY)
    ranks = np.empty(len(targets), np.int64)
    for number, (target, rows) in enumerate(zip(targets, places, strict=True)):
        probabilities = model.weights @ np.stack(rows)  # float64[V]
        ranks[number] = 1 + int((probabilities > probabilities[target]).sum())
    return ranks


def _measure_ngrams(model: LanguageModel, ids: np.ndarray) -> np.ndarray:
    """int64[T + 1]; 0 without an n-gram model."""
    targets = np.append(ids, np.int32(BOUNDARY))
    found = np.zeros(len(targets), np.int64)
    for run in model.runs:
        if isinstance(run.model, NgramModel):
            found = np.maximum(found, run.model.ngram_lengths(targets))
    return found
