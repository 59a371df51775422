"""The binary Tree-LSTM and Tree-GRU against loops over single nodes, and their hand-written gradients."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from nntag.config.trees import TreeGRUConfig, TreeLSTMConfig
from nntag.trees.batches import encode_trees, make_tree_batch
from nntag.trees.cells.gru import TreeGRU
from nntag.trees.cells.lstm import TreeLSTM
from nntag.trees.sizes import TreeSizes
from tests.reference import tree_cells
from tests.trees.trees import nest, random_tree, word_number

WORDS, D, H = 7, 5, 3
LSTMS = [TreeLSTMConfig(hidden=H, leaf=leaf) for leaf in ("projected", "gated")]
GRUS = [
    TreeGRUConfig(hidden=H, update_gate=gate, mix=mix) for gate in ("shared", "per-child") for mix in ("mean", "sum")
]
CONFIGS = LSTMS + GRUS


def make_cell(config):
    torch.manual_seed(3)
    cell = (TreeLSTM if isinstance(config, TreeLSTMConfig) else TreeGRU)(config, TreeSizes(WORDS, D, 5)).double()
    for parameter in cell.parameters():
        torch.nn.init.normal_(parameter, std=0.7)
    return cell


def make_trees():
    rng = random.Random(2)
    return [random_tree(rng, leaves, WORDS) for leaves in (1, 4, 9, 2, 6)]


def run_cell(cell, trees, vectors):
    """float64[N, H] for all nodes of the trees in post-order."""
    batch = make_tree_batch(encode_trees(trees, word_number), range(len(trees)))
    return cell(vectors[batch.words], batch)[batch.order]


def run_reference(config, cell, tree, vectors):
    weights = {name: value.detach().numpy() for name, value in cell.named_parameters()}
    leaf = weights["leaf.weight"].T, weights["leaf.bias"]
    nested = nest(tree, vectors.numpy())
    if isinstance(config, TreeLSTMConfig):
        return tree_cells.tree_lstm(nested, *leaf, weights["weight"], weights["bias"], config.leaf == "gated")
    rest = [weights[name] for name in ("gate_weight", "gate_bias", "weight", "bias")]
    share = 0.5 if config.mix == "mean" else 1.0
    return tree_cells.tree_gru(nested, *leaf, *rest, config.update_gate == "per-child", share)


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_states_equal_a_loop_over_nodes(config):
    cell, trees = make_cell(config), make_trees()
    vectors = torch.randn(WORDS, D, dtype=torch.float64)
    expected = np.concatenate([run_reference(config, cell, tree, vectors) for tree in trees])
    np.testing.assert_allclose(run_cell(cell, trees, vectors).detach().numpy(), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("config", CONFIGS, ids=str)
def test_gradients_equal_finite_differences(config):
    cell, trees = make_cell(config), make_trees()
    names = [name for name, _ in cell.named_parameters()]
    vectors = torch.randn(WORDS, D, dtype=torch.float64, requires_grad=True)
    batch = make_tree_batch(encode_trees(trees, word_number), range(len(trees)))

    def states(vectors, *parameters):
        values = dict(zip(names, parameters, strict=True))
        return torch.func.functional_call(cell, values, (vectors[batch.words], batch))

    assert torch.autograd.gradcheck(states, (vectors, *cell.parameters()))


@pytest.mark.parametrize("config", [LSTMS[0], GRUS[0]], ids=str)
def test_a_tree_has_the_same_states_in_any_batch(config):
    cell, trees = make_cell(config), make_trees()
    vectors = torch.randn(WORDS, D, dtype=torch.float64)
    together = run_cell(cell, trees[::-1], vectors).split([len(tree) for tree in trees[::-1]])
    for tree, states in zip(trees, reversed(together), strict=True):
        torch.testing.assert_close(run_cell(cell, [tree], vectors), states, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("config", [LSTMS[0], GRUS[0]], ids=str)
def test_a_tree_of_3000_levels_trains(config):
    from nntag.corpora.records import Tree

    labels, children, words = ["0"], [()], ["w0"]
    for level in range(3000):
        labels += ["1", "2"]
        children += [(), (2 * level, 2 * level + 1)]
        words += [f"w{level % WORDS}", None]
    tree = Tree(tuple(labels), tuple(children), tuple(words))
    cell = make_cell(config)
    states = run_cell(cell, [tree], torch.randn(WORDS, D, dtype=torch.float64))
    assert states.shape == (6001, H) and torch.isfinite(states).all()
    states[-1].sum().backward()
    assert all(torch.isfinite(parameter.grad).all() for parameter in cell.parameters())


@pytest.mark.parametrize(
    ("cell", "config", "count"),
    [
        (TreeLSTM, TreeLSTMConfig(hidden=150), 316_050),
        (TreeGRU, TreeGRUConfig(hidden=150), 270_900),
        (TreeGRU, TreeGRUConfig(hidden=150, update_gate="per-child"), 316_050),
    ],
)
def test_parameter_counts_are_the_announced_ones(cell, config, count):
    built = cell(config, TreeSizes(10, 300, 5))
    assert sum(parameter.numel() for parameter in built.parameters()) == count
