"""Tree batches: the numbering worked out by hand, and what must hold for any batch."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from nntag.corpora.records import Tree
from nntag.trees.batches import NO_LABEL, encode_trees, make_tree_batch
from tests.trees.trees import random_tree, word_number

#      (3 (2 w1) (1 (2 w0) (0 w1)))   nodes in post-order: w1, w0, w1, (w0 w1), root
SMALL = Tree(("2", "2", "0", "1", "3"), ((), (), (), (1, 2), (0, 3)), ("w1", "w0", "w1", None, None))
LEAF = Tree(("4",), ((),), ("w5",))


def test_a_forest_holds_heights_parents_and_places() -> None:
    forest = encode_trees([SMALL, LEAF], word_number, int)
    assert forest.starts.tolist() == [0, 5, 6]
    assert forest.words.tolist() == [1, 0, 1, -1, -1, 5]
    assert forest.labels.tolist() == [2, 2, 0, 1, 3, 4]
    assert forest.heights.tolist() == [0, 0, 0, 1, 2, 0]
    assert forest.parents.tolist() == [4, 3, 3, 4, -1, -1]
    assert forest.places.tolist() == [0, 0, 1, 1, 0, 0]
    assert forest.roots.tolist() == [4, 5] and forest.lengths.tolist() == [5, 1]


def test_a_batch_numbers_children_by_their_parents() -> None:
    batch = make_tree_batch(encode_trees([SMALL, LEAF], word_number, int), [1, 0])
    # inner node 0 is (w0 w1): its children are nodes 0 and 1; inner node 1 is the root: 2 and 3; then the two roots
    assert batch.order.tolist() == [4, 2, 0, 1, 3, 5]
    assert batch.inner.tolist() == [3, 5] and batch.levels == (0, 1, 2)
    assert batch.child_starts.tolist() == [0, 2, 4] and batch.child_parents.tolist() == [0, 0, 1, 1]
    assert batch.words.tolist() == [0, 1, 5]
    assert sorted(batch.leaves.tolist()) == [0, 1, 2, 4]
    assert batch.labels.tolist() == [2, 0, 2, 1, 4, 3]
    assert (batch.trees, batch.count, batch.nodes, batch.binary) == (2, 6, 6, True)


@pytest.mark.parametrize("arity", [2, 5])
def test_every_batch_is_a_renumbering_of_its_trees(arity: int) -> None:
    rng = random.Random(arity)
    trees = [random_tree(rng, rng.randint(1, 20), 9, arity) for _ in range(12)]
    forest = encode_trees(trees, word_number, int)
    wanted = [7, 0, 3, 3, 11]
    batch = make_tree_batch(forest, wanted)
    number = {}
    for place, (slot, node) in enumerate(
        zip(
            batch.order.tolist(),
            ((n, k) for n, tree in enumerate(wanted) for k in range(len(trees[tree]))),
            strict=True,
        )
    ):
        number[node] = slot
        assert place < batch.nodes
    assert sorted(number.values()) == list(range(batch.nodes))
    words = {slot: batch.words[place].item() for slot, place in zip(batch.leaves, batch.leaf_words, strict=True)}
    words = {int(slot): word for slot, word in words.items()}
    inner = batch.inner.tolist()
    for n, which in enumerate(wanted):
        tree = trees[which]
        assert number[n, len(tree) - 1] == batch.nodes - len(wanted) + n
        for k, (label, children, word) in enumerate(zip(tree.labels, tree.children, tree.words, strict=True)):
            slot = number[n, k]
            assert batch.labels[slot] == int(label)
            if children:
                row = inner.index(slot)
                first, end = batch.child_starts[row : row + 2].tolist()
                assert [number[n, child] for child in children] == list(range(first, end))
                assert batch.child_parents[first:end].tolist() == [row] * (end - first)
            else:
                assert words[slot] == word_number(word)
    lengths = np.diff(batch.levels)
    assert (lengths > 0).all() and batch.levels[-1] == len(inner)
    assert len(batch.levels) - 1 == max(forest.heights[forest.roots[tree]] for tree in wanted)


def test_inner_nodes_can_have_words() -> None:
    tree = replace(SMALL, words=("w1", "w0", "w1", "w7", None))
    batch = make_tree_batch(encode_trees([tree], word_number), [0])
    assert batch.words.tolist() == [0, 1, 7]
    assert batch.inner_words.tolist() == [2, -1] and not batch.binary


def test_labels_are_counted_where_there_are_any() -> None:
    batch = make_tree_batch(
        encode_trees([SMALL], word_number, lambda label: int(label) if label != "2" else NO_LABEL), [0]
    )
    assert batch.count == 3 and (batch.labels == NO_LABEL).sum() == 2


def test_one_word_trees_alone_make_a_batch_without_levels() -> None:
    batch = make_tree_batch(encode_trees([LEAF, LEAF], word_number, int), [0, 1])
    assert batch.levels == (0,) and batch.leaves.tolist() == [0, 1] and batch.words.tolist() == [5]
