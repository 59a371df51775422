"""Classified trees as items for a file; and two systems' items in, the accuracy of trees and nodes side by side out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nntag.corpora.records import Tree
from nntag.schema import Maybe, Record, Rows, Text
from nntag.training.item_files import Item
from nntag.training.paired_figures import PairedFigure, compare_accuracy, share
from nntag.trees.batches import NO_LABEL, Forest
from nntag.trees.score import FINE, NEUTRAL, best_classes

_NODES = Record({"gold": Rows(Maybe(Text())), "predicted": Rows(Text())}, same_length=(("gold", "predicted"),))
ITEM = Record({"tokens": Rows(Text()), "gold": Maybe(Text()), "predicted": Text(), "nodes": _NODES})
IDENTITY = ("tokens", "gold")  # by which two items are of the same tree


def make_items(
    trees: Sequence[Tree], forest: Forest, log_probabilities: np.ndarray, classes: Sequence[str]
) -> Iterator[Item]:
    """One item a tree: the gold class of the whole, None where it is not judged, the predicted one, and those of all
    nodes, children before parents. `log_probabilities`: float[N, classes]."""
    fine = tuple(classes) == FINE
    nodes = best_classes(log_probabilities, False, fine)
    whole = best_classes(log_probabilities[forest.roots], True, fine)
    for tree, start, root, best in zip(trees, forest.starts, forest.roots, whole, strict=False):
        gold = [None if label == NO_LABEL else classes[label] for label in forest.labels[start : root + 1]]
        judged = fine or forest.labels[root] != NEUTRAL
        yield {
            "tokens": tree.tokens,
            "gold": gold[-1] if judged else None,
            "predicted": classes[best],
            "nodes": {"gold": gold, "predicted": [classes[number] for number in nodes[start : root + 1]]},
        }


def compare_items(first: Sequence[Item], second: Sequence[Item]) -> list[PairedFigure]:
    """Accuracy of whole trees, and of all their labelled nodes."""
    kept = [[item for item in items if item["gold"] is not None] for items in (first, second)]
    roots = [[[item["gold"] == item["predicted"]] for item in items] for items in kept]
    labelled = [[item for item in items if any(item["nodes"]["gold"])] for items in (first, second)]
    nodes = (_count_nodes(labelled[0]), _count_nodes(labelled[1]))
    return [
        compare_accuracy("accuracy", "trees", "trees", (roots[0], roots[1])),
        PairedFigure("accuracy of all nodes", "trees", nodes, share),
    ]


def _count_nodes(items: Sequence[Item]) -> np.ndarray:
    """float64[K, 2]: right and labelled nodes of each tree."""
    counts = []
    for item in items:
        pairs = zip(item["nodes"]["gold"], item["nodes"]["predicted"], strict=True)
        right = [gold == best for gold, best in pairs if gold is not None]
        counts.append((sum(right), len(right)))
    return np.array(counts, float)
