"""What a parser finds: one derivation as flat arrays over its nodes in post-order, and a fold over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from nntag.corpora.records import Tree

LikelyTags = Sequence[Sequence[tuple[str, float]]]  # for each word its tags with their probabilities, best first

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Parse:
    """A derivation and its score."""

    tree: Tree  # labels are categories; with heads
    rules: tuple[str, ...]  # the rule that made each of the N nodes (fa, ba, ...); "" for a leaf
    score: float  # sum of the tags' natural log-probabilities, less the penalty for each unary rule

    @property
    def supertags(self) -> tuple[str, ...]:
        """The category of each word."""
        return supertags_of(self.tree)


def supertags_of(tree: Tree) -> tuple[str, ...]:
    """The categories of a derivation's leaves, from left to right."""
    return tuple(label for label, word in zip(tree.labels, tree.words, strict=True) if word is not None)


def fold(tree: Tree, leaf: Callable[[int, int], T], node: Callable[[int, list[T]], T]) -> T:
    """The value of the root, computed from the leaves up without recursion.

    `leaf` gets the number of the node and the place of its word (both from 0), `node` a number and its children's
    values.
    """
    values: list[T] = []
    words = 0
    for number, children in enumerate(tree.children):
        if children:
            values.append(node(number, [values[child] for child in children]))
        else:
            values.append(leaf(number, words))
            words += 1
    return values[-1]
