"""Older cells and child-sum cells, over the general sweep, against loops over single nodes, and their gradients."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
import torch

from nntag.config.trees import (
    ChildSumGRUConfig,
    ChildSumLSTMConfig,
    MatrixVectorConfig,
    RNTNConfig,
    TreeRNNConfig,
)
from nntag.trees.batches import encode_trees, make_tree_batch
from nntag.trees.cells.child_sum import ChildSumGRU, ChildSumLSTM
from nntag.trees.cells.matrix_vector import MatrixVector
from nntag.trees.cells.rnn import TreeRNN
from nntag.trees.cells.rntn import RNTN
from nntag.trees.sizes import TreeSizes
from tests.reference import older_tree_cells as reference
from tests.trees.trees import random_tree, word_number

WORDS, D, H = 7, 5, 3
BINARY = {
    "rnn": (TreeRNN, TreeRNNConfig(hidden=H), reference.tree_rnn),
    "untied": (TreeRNN, TreeRNNConfig(hidden=H, untied=True), reference.tree_rnn),
    "rntn": (RNTN, RNTNConfig(hidden=H), reference.rntn),
    "matrix-vector": (MatrixVector, MatrixVectorConfig(hidden=H, rank=2), lambda w: reference.matrix_vector(w, 2)),
}
ANY_SHAPE = {
    "lstm": (ChildSumLSTM, ChildSumLSTMConfig(hidden=H), reference.child_sum_lstm),
    "gru-mean": (ChildSumGRU, ChildSumGRUConfig(hidden=H), lambda w: reference.child_sum_gru(w, True)),
    "gru-sum": (ChildSumGRU, ChildSumGRUConfig(hidden=H, mix="sum"), lambda w: reference.child_sum_gru(w, False)),
}
CELLS = BINARY | ANY_SHAPE


def make_cell(name):
    torch.manual_seed(3)
    cell = CELLS[name][0](CELLS[name][1], TreeSizes(WORDS, D, 5)).double()
    for value in cell.state_dict().values():
        torch.nn.init.normal_(value, std=0.7)
    return cell


def make_trees(name, inner_words=False):
    rng = random.Random(2)
    trees = [random_tree(rng, leaves, WORDS, 4 if name in ANY_SHAPE else 2) for leaves in (1, 4, 9, 2, 6)]
    if not inner_words:
        return trees
    filled = [[word or (f"w{rng.randrange(WORDS)}" if rng.random() < 0.7 else None) for word in t.words] for t in trees]
    return [replace(tree, words=tuple(words)) for tree, words in zip(trees, filled, strict=True)]


def reference_states(name, cell, tree, vectors):
    weights = {key: value.detach().numpy() for key, value in cell.state_dict().items()}
    rows = weights.get("matrices.table")

    def build(node):
        word = tree.words[node]
        x = None if word is None else vectors[word_number(word)]
        if rows is not None and word is not None:
            x = x, rows[word_number(word)]
        return x, [build(child) for child in tree.children[node]]

    out = []
    reference.all_states(build(len(tree) - 1), CELLS[name][2](weights), out)
    return np.stack(out)


@pytest.mark.parametrize(("name", "inner_words"), [(name, False) for name in CELLS] + [(n, True) for n in ANY_SHAPE])
def test_states_equal_a_loop_over_nodes(name, inner_words):
    cell, trees = make_cell(name).eval(), make_trees(name, inner_words)
    vectors = torch.randn(WORDS, D, dtype=torch.float64)
    batch = make_tree_batch(encode_trees(trees, word_number), range(len(trees)))
    found = cell(vectors[batch.words], batch)[batch.order].detach().numpy()
    expected = np.concatenate([reference_states(name, cell, tree, vectors.numpy()) for tree in trees])
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize(("name", "inner_words"), [(name, False) for name in CELLS] + [(n, True) for n in ANY_SHAPE])
def test_gradients_equal_finite_differences(name, inner_words):
    cell, trees = make_cell(name).eval(), make_trees(name, inner_words)[:4]
    names = [key for key, _ in cell.named_parameters()]
    batch = make_tree_batch(encode_trees(trees, word_number), range(len(trees)))
    vectors = torch.randn(WORDS, D, dtype=torch.float64, requires_grad=True)

    def states(vectors, *parameters):
        values = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(cell, values, (vectors[batch.words], batch))

    assert torch.autograd.gradcheck(states, (vectors, *cell.parameters()))


def test_word_matrices_are_trained():
    cell, trees = make_cell("matrix-vector").train(), make_trees("matrix-vector")
    batch = make_tree_batch(encode_trees(trees, word_number), range(len(trees)))
    before = cell.matrices.table.clone()
    cell(torch.randn(len(batch.words), D, dtype=torch.float64), batch).sum().backward()
    cell.matrices.step()
    changed = (cell.matrices.table != before).any(1).nonzero().squeeze(1)
    assert changed.tolist() == batch.words.tolist()
