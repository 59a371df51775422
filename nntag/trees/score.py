"""Gold trees and class log-probabilities of their nodes in, the report on them out: roots, nodes, bands, negation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nntag.corpora.records import Tree
from nntag.errors import UsageError
from nntag.trees.batches import NO_LABEL, Forest

FINE = ("0", "1", "2", "3", "4")
NEGATIVE, POSITIVE, NEUTRAL = 0, 1, 2  # classes of the binary task
NEGATORS = frozenset(
    ("not", "n't", "no", "never", "nothing", "nobody", "none", "neither", "nor", "without", "cannot")
    + ("hardly", "scarcely", "barely", "seldom", "rarely")
)
NEGATOR_WORDS = 3  # ours: "does n't", "could hardly", "is not at" are negators; longer phrases are not
HEIGHT_BANDS = (0, 6, 11, 16, 21)  # the first height of each band; the last has no end
LENGTH_BANDS = (1, 11, 21, 31, 41)


@dataclass(frozen=True, slots=True)
class Negations:
    """Phrases "NEGATOR X": the node of the whole and the node of X, both counted in the forest."""

    wholes: np.ndarray  # int64[K]
    scopes: np.ndarray  # int64[K]


def find_negations(forest: Forest, trees: Sequence[Tree]) -> Negations:
    """All labelled binary nodes with a negator of at most three words on the left and a labelled phrase without one."""
    pairs = []
    for start, tree in zip(forest.starts, trees, strict=False):
        lengths, negators = [0] * len(tree), [False] * len(tree)
        for node, children in enumerate(tree.children):
            word = tree.words[node]
            lengths[node] = sum(lengths[child] for child in children) + (word is not None)
            negators[node] = any(negators[child] for child in children) or (word or "").lower() in NEGATORS
            if len(children) == 2 and word is None:
                left, right = children
                is_negator = negators[left] and lengths[left] <= NEGATOR_WORDS
                if is_negator and not negators[right] and tree.labels[node] and tree.labels[right]:
                    pairs.append((start + node, start + right))
    wholes, scopes = np.array(pairs, np.int64).reshape(-1, 2).T
    return Negations(wholes, scopes)


def polarity(log_probabilities: np.ndarray) -> np.ndarray:
    """float64[N]: probability of the positive classes less that of the negative ones; neutral counts for neither."""
    p = np.exp(log_probabilities.astype(np.float64))
    if p.shape[1] == len(FINE):
        return p[:, 3] + p[:, 4] - p[:, 0] - p[:, 1]
    return p[:, POSITIVE] - p[:, NEGATIVE]


def gold_signs(labels: np.ndarray, fine: bool) -> np.ndarray:
    """int64[N]: -1 negative, 1 positive, 0 neutral or without a label."""
    if fine:
        return np.where(labels == NO_LABEL, 0, np.sign(labels - 2))
    return np.select([labels == NEGATIVE, labels == POSITIVE], [-1, 1], 0)


def best_classes(log_probabilities: np.ndarray, roots: bool, fine: bool) -> np.ndarray:
    """The most probable class of each row; the root of a sentence of the binary task is never neutral."""
    return (log_probabilities if fine or not roots else log_probabilities[:, :2]).argmax(1)


def report_sentiment(
    forest: Forest, trees: Sequence[Tree], log_probabilities: np.ndarray, classes: Sequence[str]
) -> dict[str, Any]:
    """The report; `log_probabilities`: float[N, classes], one row for each node of the forest.

    Sentences without a label are not judged, nor are neutral ones in the binary task. Shares are between 0 and 1, None
    over an empty set. Raises `UsageError` where no sentence is left.
    """
    fine = tuple(classes) == FINE
    roots, labels = forest.roots, forest.labels
    gold, signs = labels[roots], gold_signs(labels, fine)
    judged = np.flatnonzero(gold != NO_LABEL if fine else signs[roots] != 0)
    if len(judged) == 0:
        raise UsageError("no sentence has a label, so nothing can be evaluated")
    gold, judged_roots = gold[judged], roots[judged]
    right = best_classes(log_probabilities[judged_roots], True, fine) == gold
    report: dict[str, Any] = {
        "accuracy": float(right.mean()),
        "sentences": len(judged),
        "tokens": int(sum(len(tree.tokens) for tree in trees)),
        "classes": list(classes[:5] if fine else classes[:2]),
        "confusion": _confusion(gold, best_classes(log_probabilities[judged_roots], True, fine), 5 if fine else 2),
    }
    values = polarity(log_probabilities)
    if fine:
        polar = judged_roots[signs[judged_roots] != 0]
        report["binary"] = _share((values[polar] > 0) == (signs[polar] > 0))
    nodes = np.flatnonzero(labels != NO_LABEL)
    nats = -log_probabilities[nodes, labels[nodes]].astype(np.float64)
    report["nodes"] = _share(best_classes(log_probabilities[nodes], False, fine) == labels[nodes])
    report["loss_nats"] = float(nats.mean())
    report["by_height"] = _bands(forest.heights[judged_roots], right, HEIGHT_BANDS)
    lengths = np.array([len(tree.tokens) for tree in trees])[judged]
    report["by_length"] = _bands(lengths, right, LENGTH_BANDS)
    report["negation"] = _negation_report(find_negations(forest, trees), signs, values)
    return report


def _negation_report(found: Negations, signs: np.ndarray, values: np.ndarray) -> dict[str, Any]:
    """As Socher et al. 2013 judge them (Table 3.1 of Tsakalos 2017): a negated positive phrase must come out negative;
    a negated negative phrase that is not negative as a whole must come out more positive than it is alone."""
    wholes, scopes = found.wholes, found.scopes
    positive = (signs[scopes] > 0) & (signs[wholes] < 0)
    negative = (signs[scopes] < 0) & (signs[wholes] >= 0)
    return {
        "negated_positive": _share(values[wholes[positive]] < 0),
        "negated_negative": _share(values[wholes[negative]] > values[scopes[negative]]),
    }


def _share(right: np.ndarray) -> dict[str, Any]:
    return {"accuracy": float(right.mean()) if len(right) else None, "count": len(right)}


def _confusion(gold: np.ndarray, predicted: np.ndarray, size: int) -> list[list[int]]:
    """Rows gold, columns predicted."""
    return np.bincount(gold * size + predicted, minlength=size * size).reshape(size, size).tolist()


def _bands(values: np.ndarray, right: np.ndarray, starts: Sequence[int]) -> dict[str, Any]:
    """Accuracy and count in each band of values."""
    bands = np.searchsorted(starts, values, side="right")
    names = [f"{low}-{high - 1}" for low, high in zip(starts, starts[1:], strict=False)] + [f"{starts[-1]}+"]
    return {name: _share(right[bands == number]) for number, name in enumerate(names, 1)}
