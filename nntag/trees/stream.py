"""Text with trees to be labelled, in any of the input formats -> trees, in order, as the lines arrive."""

from __future__ import annotations

import itertools
import logging
from collections.abc import Iterator
from dataclasses import dataclass

from nntag.corpora.dependency_trees import DependencyTree, read_dependency_trees
from nntag.corpora.faults import OnBad, mark_faults, raise_bad
from nntag.corpora.lines import Lines
from nntag.corpora.ptb import read_ptb_trees
from nntag.corpora.records import Tree
from nntag.errors import DataError, UsageError

UNLABELLED = "unlabelled"
INPUT_FORMATS = ("trees", UNLABELLED, "conllu")

logger = logging.getLogger("nntag")


@dataclass(frozen=True, slots=True)
class Unreadable:
    """Stands in the place of what could not be read."""

    fault: str


Item = Tree | DependencyTree | Unreadable


def take_only_tree(items: Iterator[Item], lines: Lines) -> Tree | DependencyTree:
    """The one tree that can be read; raises UsageError for more or none."""
    found = list(itertools.islice((item for item in items if not isinstance(item, Unreadable)), 2))
    if len(found) != 1:
        raise UsageError(f"{lines.path}: --format svg draws one tree, found {'more; give one' if found else 'none'}")
    return found[0]


def tree_of(item: Tree | DependencyTree) -> Tree:
    return item if isinstance(item, Tree) else item.tree


def read_items(lines: Lines, input_format: str, on_bad: OnBad = raise_bad) -> Iterator[Item]:
    """The trees of `lines`, which are in one of `INPUT_FORMATS`. Raises `DataError`; where `on_bad` does not raise, an
    `Unreadable` stands in the place of each bad tree."""
    return mark_faults(lambda collect: _read_trees(lines, input_format, collect), Unreadable, on_bad)


def _read_trees(lines: Lines, input_format: str, on_bad: OnBad) -> Iterator[Item]:
    if input_format == "conllu":
        return read_dependency_trees(lines, on_bad)
    if input_format == UNLABELLED:
        return read_ptb_trees(lines, on_bad, labelled=False)
    return _warn_of_words(read_ptb_trees(lines, lambda error: on_bad(_with_hint(error))), lines.path)


def _with_hint(error: DataError) -> DataError:
    if "word" not in error.reason:  # of bytes, or of brackets that have no partner
        return error
    reason = f"{error.reason}; brackets without labels are read with --input-format {UNLABELLED}"
    return DataError(error.path, error.line, reason, error.column)


def _warn_of_words(trees: Iterator[Tree], path: str) -> Iterator[Tree]:
    """Warns of the first word that stands where a label should: a label in lower case, as hardly any treebank has."""
    looked = False
    for tree in trees:
        odd = next((label for label in tree.labels if label.islower()), None)
        if odd and not looked:
            looked = True
            logger.warning(
                "%s: %r stands where a label should, and is passed over; if these brackets have no labels, read them "
                "with --input-format %s",
                tree.place or path,
                odd,
                UNLABELLED,
            )
        yield tree
