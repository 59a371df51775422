"""What a memory block attends to: its weights at every prediction of some sentences in, statistics and samples out.

Positions are counted back from the word to predict as in Figure 3 of Tran, Bisazza & Monz (2016): -1 is the current
word, -n the oldest one of the window. `<s>` is a word of the history like any other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from nntag.language_models.streams import BOUNDARY, UNKNOWN, TokenStream

FAR = 7  # the least distance of a long-distance dependency: more than six positions back (section 5.1)


@dataclass(frozen=True)
class Attention:
    """The weights of all predictions of a stream, in the order of its ids."""

    stream: TokenStream
    weights: np.ndarray  # float32[N, M]; the last column is position -1; 0 before the sentence's start
    nats: np.ndarray  # float64[N]: negative log-probability of each id

    @property
    def memory(self) -> int:
        """M: how many words the block sees."""
        return self.weights.shape[1]

    @property
    def steps(self) -> np.ndarray:
        """int64[N]: how many words stand before each prediction in its sentence, `<s>` not counted."""
        return np.arange(len(self.stream.ids)) - np.repeat(self.stream.starts[:-1], self.stream.lengths)

    def history(self) -> np.ndarray:
        """int32[N, M]: the ids that each prediction attends to; -1 before the sentence's start. `<s>` is BOUNDARY."""
        ids, steps = np.asarray(self.stream.ids), self.steps
        back = np.arange(self.memory, 0, -1)  # distances of the columns
        places = np.arange(len(ids))[:, None] - back
        found = np.where(places >= 0, ids[np.maximum(places, 0)], BOUNDARY)
        found[steps[:, None] + 1 == back] = BOUNDARY
        return np.where(steps[:, None] + 1 >= back, found, -1).astype(np.int32)


def mean_by_position(attention: Attention) -> list[dict[str, Any]]:
    """Figure 3: each position's mean weight over the predictions that have it, and over those with a full window."""
    full = attention.steps + 1 >= attention.memory
    rows = []
    for column, weights in enumerate(attention.weights.T):
        back = attention.memory - column
        present = attention.steps + 1 >= back
        rows.append(
            {
                "position": -back,
                "mean": _mean(weights[present]),
                "mean_full_window": _mean(weights[full]),
                "predictions": int(present.sum()),
                "most_attended": float((attention.weights[full].argmax(1) == column).mean()) if full.any() else None,
            }
        )
    return rows


def sample_predictions(attention: Attention, count: int, seed: int) -> np.ndarray:
    """Figure 4: at most `count` predictions of words (not of sentence ends) with a full window, in text order."""
    words = np.flatnonzero((attention.steps + 1 >= attention.memory) & (np.asarray(attention.stream.ids) != BOUNDARY))
    chosen = np.random.default_rng(seed).permutation(len(words))[:count]
    return np.sort(words[chosen])


@dataclass(frozen=True)
class FarPairs:
    """The predictions whose most attended word is far back, as (attended word, word to predict) pairs."""

    places: np.ndarray  # int64[P]: indices of predictions
    attended: np.ndarray  # int32[P]: ids
    predicted: np.ndarray  # int32[P]: ids
    distances: np.ndarray  # int64[P]
    weights: np.ndarray  # float32[P]: of the attended word
    left_out: int  # predictions like these with <s>, </s> or <unk> in them


def find_far_pairs(attention: Attention, least: int = FAR) -> FarPairs:
    """Table 3: where the greatest weight lies `least` or more words back, without `<s>`, `</s>` and `<unk>`."""
    best = attention.weights.argmax(1)
    distances = attention.memory - best
    far = np.flatnonzero(distances >= least)
    attended = attention.history()[far, best[far]]
    predicted = np.asarray(attention.stream.ids)[far]
    words = ~np.isin(attended, (BOUNDARY, UNKNOWN)) & ~np.isin(predicted, (BOUNDARY, UNKNOWN))
    kept = far[words]
    return FarPairs(
        kept,
        attended[words],
        predicted[words],
        distances[kept],
        attention.weights[kept, best[kept]],
        int((~words).sum()),
    )


def count_cooccurrences(train: TokenStream, attended: np.ndarray, predicted: np.ndarray, memory: int) -> np.ndarray:
    """int64[P, memory]: how often each pair of words stands in a training sentence with distance 1, 2, ... memory."""
    base = int(max(train.ids.max(initial=0), attended.max(initial=0), predicted.max(initial=0))) + 1
    wanted, rows = np.unique(attended.astype(np.int64) * base + predicted, return_inverse=True)
    counts = np.zeros((memory, len(wanted)), np.int64)
    if len(wanted) == 0:
        return counts.T
    ids = np.asarray(train.ids)
    sentence = np.repeat(np.arange(len(train), dtype=np.int32), train.lengths)
    relevant = np.isin(ids, attended)
    for distance in range(1, memory + 1):
        first = np.flatnonzero(relevant[:-distance] & (sentence[:-distance] == sentence[distance:]))
        keys = ids[first].astype(np.int64) * base + ids[first + distance]
        places = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
        counts[distance - 1] = np.bincount(places[wanted[places] == keys], minlength=len(wanted))
    return counts.T[rows]


def summarise_distances(pairs: FarPairs, cooccurrences: np.ndarray) -> list[dict[str, Any]]:
    """Table 3: for each distance the different pairs, their occurrences and their mean training counts.

    `mean_count` is the mean over different pairs of how often they stand in training at this very distance,
    `mean_count_any` at any distance in the window.
    """
    rows = []
    for distance in sorted(set(pairs.distances.tolist())):
        here = pairs.distances == distance
        _, first = np.unique(np.stack([pairs.attended[here], pairs.predicted[here]]), axis=1, return_index=True)
        counts = cooccurrences[here][first]
        rows.append(
            {
                "distance": distance,
                "pairs": len(first),
                "occurrences": int(here.sum()),
                "mean_count": float(counts[:, distance - 1].mean()),
                "mean_count_any": float(counts.sum(1).mean()),
            }
        )
    return rows


def list_pairs(pairs: FarPairs, cooccurrences: np.ndarray, words: tuple[str, ...]) -> list[dict[str, Any]]:
    """All different (attended, predicted, distance) triples, the most frequent first."""
    triples = np.stack([pairs.attended, pairs.predicted, pairs.distances], axis=1)
    unique, first, rows = np.unique(triples, axis=0, return_index=True, return_inverse=True)
    weight_sums = np.bincount(rows.ravel(), pairs.weights, len(unique))
    counts = np.bincount(rows.ravel(), minlength=len(unique))
    order = np.lexsort((unique[:, 2], -weight_sums, -counts))
    return [
        {
            "attended": words[unique[n, 0]],
            "predicted": words[unique[n, 1]],
            "distance": int(unique[n, 2]),
            "count": int(counts[n]),
            "mean_weight": float(weight_sums[n] / counts[n]),
            "training_count": int(cooccurrences[first[n], unique[n, 2] - 1]),
            "training_count_any": int(cooccurrences[first[n]].sum()),
        }
        for n in order
    ]


def _mean(values: np.ndarray) -> float | None:
    return float(values.mean()) if len(values) else None
