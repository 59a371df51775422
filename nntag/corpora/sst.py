"""Stanford Sentiment Treebank trees -> binary trees with a label from 0 (very negative) to 4 on every node."""

from __future__ import annotations

from collections.abc import Iterator

from nntag.corpora.brackets import BracketedTree, freeze_tree, read_clean_trees
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.lines import Lines
from nntag.corpora.marks import replace_tree_marks
from nntag.corpora.records import Tree
from nntag.corpora.trees import binarise_tree
from nntag.errors import DataError

LABELS = frozenset(("0", "1", "2", "3", "4"))


def read_sst(lines: Lines, binarise: bool = False, on_bad: OnBad = raise_bad) -> Iterator[Tree]:
    """Trees whose nodes have one word or two children, words unescaped.

    Marks of unknown words become `<unk>`, see `marks`. Raises DataError for other labels, and for nodes of one child or
    more than two unless `binarise` is set (new nodes then have the label "").
    """
    return replace_tree_marks(_read_trees(lines, binarise, on_bad), lines)


def _read_trees(lines: Lines, binarise: bool, on_bad: OnBad) -> Iterator[Tree]:
    lines.expect("sst")
    for bracketed in read_clean_trees(lines, on_bad):
        try:
            _check_nodes(lines, bracketed, binarise)
        except DataError as error:
            on_bad(error)
            continue
        tree = freeze_tree(bracketed, lines)
        yield binarise_tree(tree) if binarise else tree


def _check_nodes(lines: Lines, tree: BracketedTree, any_shape: bool) -> None:
    if set(tree.labels) <= LABELS and (any_shape or set(map(len, tree.children)) <= {0, 2}):
        return
    for label, children, place in zip(tree.labels, tree.children, tree.places, strict=True):
        if label not in LABELS:
            raise lines.fault(place[0], f"expected a label from 0 to 4, found {label!r}", place[1])
        if len(children) not in (0, 2) and not any_shape:
            found = "one child" if len(children) == 1 else f"{len(children)} children"
            reason = f"expected one word or two children, found {found}; `nntag preprocess --binarise` takes such trees"
            raise lines.fault(place[0], reason, place[1])
