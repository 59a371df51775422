"""Trees -> flat id arrays, once a corpus -> batches in which all nodes of one height lie side by side.

In a batch a node's number is its place in its parent's row: the children of the inner node k stand at
`child_starts[k] : child_starts[k + 1]`, inner nodes counted from the lowest to the highest; the roots follow, in batch
order. So the states of all children are, without a gather, the input rows of their parents' products.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from nntag.corpora.records import Tree
from nntag.encoding.contextual.batch import EncodedSentence, WordBatch, join_sentences

NO_WORD = -1
NO_LABEL = -1


@dataclass(frozen=True, slots=True)
class Forest:
    """T trees as flat arrays over their nodes, tree after tree, in post-order."""

    starts: np.ndarray  # int64[T + 1]: the first node of each tree
    words: np.ndarray  # int64[N]: word id; NO_WORD at a node without a word
    labels: np.ndarray  # int64[N]: class; NO_LABEL where there is none
    heights: np.ndarray  # int64[N]: 0 for a leaf, else 1 + the highest child
    parents: np.ndarray  # int64[N]: node number within the tree; -1 for the root
    places: np.ndarray  # int64[N]: number among the parent's children, from 0
    contextual: Sequence[EncodedSentence] | None = None  # the leaves of each tree, where an encoder gives them vectors

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """int64[T]: nodes of each tree."""
        return np.diff(self.starts)

    @property
    def roots(self) -> np.ndarray:
        """int64[T]: the root of each tree among all nodes."""
        return self.starts[1:] - 1

    @property
    def is_binary(self) -> bool:
        """Whether every inner node has two children and no word."""
        parents = (self.parents + np.repeat(self.starts[:-1], self.lengths))[self.parents >= 0]
        inner = self.heights > 0
        child_counts = np.bincount(parents, minlength=len(self.words))[inner]
        return bool((child_counts == 2).all() and (self.words[inner] == NO_WORD).all())


def encode_trees(
    trees: Iterable[Tree], word_id: Callable[[str], int], label_id: Callable[[str], int] = lambda label: NO_LABEL
) -> Forest:
    """The trees' ids and shapes; `label_id` gives a node's class or NO_LABEL. A word may stand at an inner node."""
    starts: list[int] = [0]
    columns: tuple[list[int], ...] = ([], [], [], [], [])
    words, labels, heights, parents, places = columns
    for tree in trees:
        height, parent, place = [0] * len(tree), [-1] * len(tree), [0] * len(tree)
        for node, children in enumerate(tree.children):
            if children:
                height[node] = 1 + max(height[child] for child in children)
            for number, child in enumerate(children):
                parent[child], place[child] = node, number
        words.extend(NO_WORD if word is None else word_id(word) for word in tree.words)
        labels.extend(map(label_id, tree.labels))
        heights.extend(height)
        parents.extend(parent)
        places.extend(place)
        starts.append(len(words))
    ids = [np.array(column, np.int64) for column in (starts, *columns)]
    return Forest(ids[0], ids[1], ids[2], ids[3], ids[4], ids[5])


@dataclass(frozen=True, slots=True)
class TreeBatch:
    """B trees with N nodes, M of them inner nodes (with children), ready for a sweep from the leaves to the roots."""

    words: Tensor  # int64[U]: the distinct word ids of the batch; with `contextual` the ids of all leaves in order
    leaves: Tensor  # int64[N - M]: node numbers of the leaves
    leaf_words: Tensor  # int64[N - M]: the leaf's word as a place in `words`
    inner: Tensor  # int64[M]: node numbers of the inner nodes, lowest first
    inner_words: Tensor  # int64[M]: the inner node's word as a place in `words`; -1: it has none
    levels: tuple[int, ...]  # inner nodes levels[l] : levels[l + 1] all have height l + 1
    child_starts: Tensor  # int64[M + 1]: where each inner node's children begin
    child_levels: tuple[int, ...]  # the same at the bounds of the levels
    child_parents: Tensor  # int64[N - B]: the inner node (0 to M - 1) above each node that has a parent
    labels: Tensor  # int64[N]: class; NO_LABEL where there is none
    count: int  # nodes with a label
    trees: int  # B; the last B nodes are the roots
    binary: bool  # every inner node has two children and no word
    order: Tensor  # int64[N]: batch number of each node, the trees' nodes taken one after the other in post-order
    contextual: WordBatch | None = None  # the leaves in order, where an encoder gives them vectors

    @property
    def nodes(self) -> int:
        """N: nodes of all trees of the batch."""
        return len(self.labels)

    def to(self, device: torch.device) -> TreeBatch:
        """The same batch on another device."""
        movable = (Tensor, WordBatch)
        parts = {name: getattr(self, name) for name in self.__slots__ if isinstance(getattr(self, name), movable)}
        return replace(self, **{name: part.to(device) for name, part in parts.items()})


def make_tree_batch(forest: Forest, wanted: np.ndarray | Sequence[int]) -> TreeBatch:
    """The trees numbered `wanted`, in that order, as one batch; no Python work grows with the number of nodes."""
    wanted = np.asarray(wanted, np.int64)
    first = forest.starts[wanted]
    lengths = forest.starts[wanted + 1] - first
    offsets = np.cumsum(lengths) - lengths
    rows = np.arange(lengths.sum()) + np.repeat(first - offsets, lengths)  # the nodes in the forest
    parents, heights = forest.parents[rows], forest.heights[rows]
    has_parent = parents >= 0
    parents = (parents + np.repeat(offsets, lengths))[has_parent]

    inner = np.flatnonzero(heights)
    inner = inner[np.argsort(heights[inner], kind="stable")]
    rank = np.zeros(len(rows), np.int64)
    rank[inner] = np.arange(len(inner))
    child_counts = np.bincount(rank[parents], minlength=len(inner))
    child_starts = np.concatenate(([0], np.cumsum(child_counts)))
    numbers = np.empty(len(rows), np.int64)  # batch number of each node
    numbers[has_parent] = child_starts[rank[parents]] + forest.places[rows[has_parent]]
    numbers[~has_parent] = child_starts[-1] + np.arange(len(wanted))
    levels = np.concatenate((np.flatnonzero(np.diff(heights[inner], prepend=0)), [len(inner)]))
    labels = np.empty(len(rows), np.int64)
    labels[numbers] = forest.labels[rows]

    leaves = np.flatnonzero(heights == 0)
    order = np.concatenate((leaves, inner))
    contextual = None
    if forest.contextual is None:
        words, places = np.unique(forest.words[rows[order]], return_inverse=True)
        if len(words) and words[0] == NO_WORD:
            words, places = words[1:], places - 1
    else:  # a word's vector depends on its place
        words, places = forest.words[rows[leaves]], np.where(heights[order] == 0, np.arange(len(order)), NO_WORD)
        counts = np.add.reduceat(heights == 0, offsets, dtype=np.int64)
        contextual = join_sentences([forest.contextual[tree] for tree in wanted], counts)
    has_words = forest.words[rows[inner]] != NO_WORD
    as_tensor = torch.from_numpy
    return TreeBatch(
        words=as_tensor(words),
        leaves=as_tensor(numbers[leaves]),
        leaf_words=as_tensor(places[: len(leaves)]),
        inner=as_tensor(numbers[inner]),
        inner_words=as_tensor(places[len(leaves) :]),
        levels=tuple(levels.tolist()),
        child_starts=as_tensor(child_starts),
        child_levels=tuple(child_starts[levels].tolist()),
        child_parents=as_tensor(np.repeat(np.arange(len(inner)), child_counts)),
        labels=as_tensor(labels),
        count=int((labels != NO_LABEL).sum()),
        trees=len(wanted),
        binary=bool((child_counts == 2).all() and not has_words.any()),
        order=as_tensor(numbers),
        contextual=contextual,
    )
