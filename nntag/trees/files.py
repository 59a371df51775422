"""Trees in a data folder: one bracketed tree per line, in the form of SST where that is possible.

A node without a label is written with the label `?`. A node with a word and children, as dependency trees have them, is
written with its word as a first child labelled `=`: `(3 (= liked) (2 I) (? it))`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from nntag.corpora.lines import open_lines
from nntag.corpora.ptb import read_ptb_trees
from nntag.corpora.records import Tree
from nntag.corpora.trees import format_tree
from nntag.errors import RunError

OWN_WORD, UNLABELLED = "=", "?"


def write_trees(path: Path, trees: Iterable[Tree]) -> None:
    """Writes the trees; labels must not be `=` or `?`."""
    text = "".join(f"{format_tree(_mark_unlabelled(_lower_words(tree)))}\n" for tree in trees)
    path.write_text(text, encoding="utf-8", newline="\n")


def read_trees(path: Path) -> list[Tree]:
    """The trees that `write_trees` wrote; raises `RunError` for a file without any."""
    trees = [_lift_words(tree) for tree in read_ptb_trees(open_lines(path))]
    if not trees:
        raise RunError(f"{path}: no trees in it; run `nntag preprocess` again")
    return [
        replace(tree, labels=tuple("" if label == UNLABELLED else label for label in tree.labels)) for tree in trees
    ]


def _mark_unlabelled(tree: Tree) -> Tree:
    return replace(tree, labels=tuple(label or UNLABELLED for label in tree.labels)) if "" in tree.labels else tree


def _lower_words(tree: Tree) -> Tree:
    """Words of inner nodes as leaves of their own."""
    if not any(word is not None and kids for word, kids in zip(tree.words, tree.children, strict=True)):
        return tree
    labels: list[str] = []
    children: list[tuple[int, ...]] = []
    words: list[str | None] = []
    numbers: list[int] = []
    for label, kids, word in zip(tree.labels, tree.children, tree.words, strict=True):
        new_kids = tuple(numbers[kid] for kid in kids)
        if kids and word is not None:
            labels.append(OWN_WORD)
            children.append(())
            words.append(word)
            new_kids, word = (len(labels) - 1, *new_kids), None
        labels.append(label)
        children.append(new_kids)
        words.append(word)
        numbers.append(len(labels) - 1)
    return Tree(tuple(labels), tuple(children), tuple(words), tree.place)


def _lift_words(tree: Tree) -> Tree:
    """The reverse of `_lower_words`."""
    if OWN_WORD not in tree.labels:
        return tree
    labels: list[str] = []
    children: list[tuple[int, ...]] = []
    words: list[str | None] = []
    numbers: list[int] = []  # of each node in the new tree; -1 for a word that its parent takes
    for label, kids, word in zip(tree.labels, tree.children, tree.words, strict=True):
        if label == OWN_WORD:
            numbers.append(-1)
            continue
        own = [tree.words[kid] for kid in kids if numbers[kid] < 0]
        labels.append(label)
        children.append(tuple(numbers[kid] for kid in kids if numbers[kid] >= 0))
        words.append(own[0] if own else word)
        numbers.append(len(labels) - 1)
    return Tree(tuple(labels), tuple(children), tuple(words), tree.place)
