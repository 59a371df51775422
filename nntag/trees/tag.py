"""Trees in, the same trees with predicted classes out; and the report on a file of labelled trees."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from nntag.config.fields import unknown_name
from nntag.config.options.use import TagOptions
from nntag.corpora.arrivals import group_arrived
from nntag.corpora.dependency_trees import DependencyTree
from nntag.corpora.faults import SkippedItems, raise_bad
from nntag.corpora.lines import Lines, lines_from_bytes
from nntag.corpora.ptb import read_ptb_trees
from nntag.corpora.records import Tree
from nntag.corpora.trees import binarise_numbered, format_tree
from nntag.errors import DataError, UsageError
from nntag.training.device import choose_device
from nntag.training.runs import load_run, newest_run
from nntag.training.task import Run
from nntag.trees.pictures import draw_tree_svg, draw_tree_text
from nntag.trees.score import FINE, best_classes, polarity
from nntag.trees.stream import INPUT_FORMATS, Unreadable, read_items, take_only_tree, tree_of

OUTPUT_FORMATS = ("trees", "table", "json", "picture", "svg")


@dataclass(frozen=True, slots=True)
class ScoredTree:
    """A tree as it came in, with the log-probabilities of each node's classes: float32[N, classes]."""

    tree: Tree
    log_probabilities: np.ndarray


class TreeModel:
    """A trained tree model for use from Python: `model = nntag.load("runs/x")`, then
    `model.classify(model.read("(2 (3 good) (2 film))"))`."""

    def __init__(self, run: Run):
        self.run, self.task = run, run.task

    @property
    def classes(self) -> tuple[str, ...]:
        """The names of the classes, in the order of the scores."""
        return self.task.classes

    def read(self, text: str, labelled: bool = True) -> list[Tree]:
        """The trees of bracketed text, `(LABEL word)` or `(LABEL TREE TREE)`, or not `labelled`, `(A (good film))`;
        raises `DataError`. Scores do not depend on the labels."""
        return list(read_ptb_trees(lines_from_bytes(text.encode("utf-8"), "<text>"), labelled=labelled))

    def classify(self, trees: Sequence[Tree]) -> list[str]:
        """The class of each tree as a whole; `score` has the probabilities of every node."""
        return [self.classes_of(scored)[-1] for scored in self.score(trees)]

    def score(self, trees: Sequence[Tree]) -> list[ScoredTree]:
        """Trees of any shape; a node with one child gets that child's classes. Raises `DataError` for dependency trees,
        whose nodes have words and children, where the model does not take them."""
        shaped = [self._shape(tree) for tree in trees]
        computed = [tree for tree, _ in shaped]
        forest = self.task.encode(computed)
        table = self.task.score_trees(self.run.model, computed, forest)
        pairs = zip(trees, shaped, forest.starts, strict=False)
        return [ScoredTree(tree, table[start + np.array(numbers)]) for tree, (_, numbers), start in pairs]

    def _shape(self, tree: Tree) -> tuple[Tree, Sequence[int]]:
        """The tree that is computed, and for each node its number in it."""
        if any(word is not None and kids for word, kids in zip(tree.words, tree.children, strict=True)):
            if not self.task.takes_any_shape:
                place = tree.place
                reason = f"dependency trees need a child-sum model, and {self.run.settings.name} is not one"
                raise DataError(place.path if place else "<tree>", place.line if place else None, reason)
            return tree, range(len(tree))
        return binarise_numbered(tree)

    def classes_of(self, scored: ScoredTree) -> list[str]:
        """The class of every node, children before parents; in the binary task the root is never neutral."""
        fine = self.classes == FINE
        best = best_classes(scored.log_probabilities, False, fine)
        best[-1] = best_classes(scored.log_probabilities[-1:], True, fine)[0]
        return [self.classes[number] for number in best]


def load_tree_model(model: str | Path | None = None, device: str = "cpu") -> TreeModel:
    """The tree model of a run folder (the newest one by default); raises `RunError`, `UsageError`."""
    return TreeModel(load_run(model or newest_run("sentiment"), choose_device(device), "sentiment"))


def tag_trees(
    model: TreeModel,
    lines: Lines,
    write: Callable[[bytes], None],
    options: TagOptions | None = None,
) -> int:
    """Writes each tree of `lines` with its predicted classes, as they arrive; returns how many.

    `trees`: as they came, with the classes as labels (CoNLL-U: `Sentiment=` in MISC); `table`: class, its probability,
    polarity and words, tab-separated; `json`: one object per line; `picture`: a drawing in text; `svg`: one document,
    of one tree. With `skip_bad`, what cannot be read has in its place `()`, in CoNLL-U and pictures a comment, in a
    table `_` and nan, in JSON an `error`. Raises DataError, UsageError.
    """
    options = options or TagOptions()
    input_format, output_format = options.input_format or "trees", options.format or "trees"
    if input_format not in INPUT_FORMATS:
        raise UsageError(unknown_name("--input-format for a tree model", input_format, INPUT_FORMATS))
    if output_format not in OUTPUT_FORMATS:
        raise UsageError(unknown_name("--format for a tree model", output_format, OUTPUT_FORMATS))
    count = 0
    on_bad = SkippedItems() if options.skip_bad else raise_bad
    items = read_items(lines, input_format, on_bad)
    if output_format == "svg":
        items = iter([take_only_tree(items, lines)])
    for group in group_arrived(items, lines, lambda item: 1 if isinstance(item, Unreadable) else len(tree_of(item))):
        read = [item for item in group if not isinstance(item, Unreadable)]
        scored = iter(model.score([tree_of(item) for item in read]))
        for item in group:
            if isinstance(item, Unreadable):
                write(_format_unreadable(item, input_format, output_format))
            else:
                write(_format(model, item, next(scored), output_format))
        count += len(group)
    return count


def _format_unreadable(item: Unreadable, input_format: str, output_format: str) -> bytes:
    """An empty tree; see `tag_trees`."""
    if output_format == "json":
        return f"{json.dumps({'tokens': [], 'error': item.fault}, ensure_ascii=False)}\n".encode()
    if output_format == "table":
        return b"_\tnan\tnan\t\n"
    if output_format == "picture" or input_format == "conllu":
        return f"# unreadable: {item.fault}\n\n".encode()
    return b"()\n"


def _format(model: TreeModel, item: Tree | DependencyTree, scored: ScoredTree, output_format: str) -> bytes:
    classes = model.classes_of(scored)
    if output_format == "trees":
        if isinstance(item, DependencyTree):
            return item.with_labels(classes)
        return f"{format_tree(replace(item, labels=tuple(classes)))}\n".encode()
    if output_format == "svg":
        word_nodes = item.numbers if isinstance(item, DependencyTree) else None
        return draw_tree_svg(scored.tree, classes, word_nodes).encode()
    if output_format == "picture":
        return f"{draw_tree_text(scored.tree, classes)}\n\n".encode()
    root = np.exp(scored.log_probabilities[-1].astype(np.float64))
    value = float(polarity(scored.log_probabilities[-1:])[0])
    tokens = _tokens_of(item)
    if output_format == "table":
        best = float(root[model.classes.index(classes[-1])])
        return f"{classes[-1]}\t{best:.4f}\t{value:+.4f}\t{' '.join(tokens)}\n".encode()
    probabilities = {name: round(float(p), 6) for name, p in zip(model.classes, root, strict=True)}
    record: dict[str, Any] = {"tokens": tokens, "class": classes[-1], "polarity": round(value, 6)}
    record |= {"probabilities": probabilities, "nodes": classes}
    return f"{json.dumps(record, ensure_ascii=False)}\n".encode()


def _tokens_of(item: Tree | DependencyTree) -> tuple[str, ...]:
    """The words in the order of the sentence."""
    if isinstance(item, DependencyTree):
        assert item.block.sentence is not None
        return item.block.sentence.tokens
    return item.tokens
