"""What all sweeps over a tree batch share: the rows of one level, the children's states side by side, sums by word."""

from __future__ import annotations

from torch import Tensor

from nntag.errors import UsageError
from nntag.trees.batches import TreeBatch


def child_rows(states: Tensor, batch: TreeBatch) -> Tensor:
    """float[N, H] -> float[M, 2H]: the states of the two children of each inner node, a view.

    Raises UsageError for a batch of trees that are not binary.
    """
    if not batch.binary:
        raise UsageError("this model needs binary trees; for other trees take one of the child-sum models")
    return states[: 2 * len(batch.inner)].view(len(batch.inner), 2 * states.shape[1])


def split_levels(batch: TreeBatch, *columns: Tensor) -> list[tuple[Tensor, ...]]:
    """The rows of each level, lowest first, of columns that have one row for each inner node (views)."""
    sizes = [end - start for start, end in zip(batch.levels, batch.levels[1:], strict=False)]
    return list(zip(*(column.split(sizes) for column in columns), strict=True))


def place_leaves(by_word: Tensor, batch: TreeBatch) -> Tensor:
    """float[U, H], one row per word -> float[N, H] with the rows of the leaves set, the others not yet."""
    states = by_word.new_empty(batch.nodes, by_word.shape[1])
    return states.index_copy_(0, batch.leaves, by_word.index_select(0, batch.leaf_words))


def sum_leaves(grad: Tensor, batch: TreeBatch) -> Tensor:
    """The gradient of `place_leaves`: float[N, H] -> float[U, H]."""
    by_word = grad.new_zeros(len(batch.words), grad.shape[1])
    return by_word.index_add_(0, batch.leaf_words, grad.index_select(0, batch.leaves))
