"""Random trees for the tests of tree models: as records, as nested tuples for the reference loops, and as batches."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from nntag.corpora.records import Tree


def random_tree(rng: random.Random, leaves: int, words: int, arity: int = 2) -> Tree:
    """A tree with `leaves` leaves `w0`, `w1`, ... and labels 0-4; inner nodes have 2 to `arity` children."""
    labels: list[str] = []
    children: list[tuple[int, ...]] = []
    names: list[str | None] = []

    def grow(size: int) -> int:
        kids: tuple[int, ...] = ()
        word = f"w{rng.randrange(words)}" if size == 1 else None
        if size > 1:
            parts = sorted(rng.sample(range(1, size), min(size, rng.randint(2, arity)) - 1))
            kids = tuple(grow(end - start) for start, end in zip([0, *parts], [*parts, size], strict=True))
        labels.append(str(rng.randrange(5)))
        children.append(kids)
        names.append(word)
        return len(labels) - 1

    grow(leaves)
    return Tree(tuple(labels), tuple(children), tuple(names))


def nest(tree: Tree, vectors: np.ndarray) -> Any:
    """The tree as nested tuples with the vector of `wN` in row N of `vectors` at its leaves."""

    def build(node: int) -> Any:
        word = tree.words[node]
        return vectors[int(word[1:])] if word is not None else tuple(build(child) for child in tree.children[node])

    return build(len(tree) - 1)


def word_number(word: str) -> int:
    return int(word[1:])
