"""Penn Treebank trees in brackets (`.mrg`) -> sentences with part-of-speech tags, or the trees themselves."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress

from nntag.corpora.brackets import freeze_tree, read_clean_trees
from nntag.corpora.escapes import unescape_words
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.lines import Lines
from nntag.corpora.marks import replace_marks
from nntag.corpora.records import Sentence, Tree

ROOT_LABEL = "ROOT"  # of a tree whose outer bracket has no label and more than one child


def read_ptb(lines: Lines, on_bad: OnBad = raise_bad) -> Iterator[Sentence]:
    """Words unescaped, tags as written, no traces. Raises DataError for whatever is not a tree; see `brackets`."""
    return replace_marks(_read_sentences(lines, on_bad), lines)


def _read_sentences(lines: Lines, on_bad: OnBad) -> Iterator[Sentence]:
    lines.expect("ptb")
    for tree in read_clean_trees(lines, on_bad):
        words = unescape_words(list(filter(None, tree.words)))
        tags = tuple(compress(tree.labels, tree.words))  # those of words
        yield Sentence(tuple(words), tags, place=lines.place(tree.line))


def read_ptb_trees(lines: Lines, on_bad: OnBad = raise_bad, labelled: bool = True) -> Iterator[Tree]:
    """The same as trees: labels with their function tags, unary chains kept, no traces and no emptied nodes. Without
    labels, `(A (good film))` is a tree of three words."""
    lines.expect("trees")
    for tree in read_clean_trees(lines, on_bad, labelled):
        tree.labels[-1] = tree.labels[-1] or ROOT_LABEL
        yield freeze_tree(tree, lines)
