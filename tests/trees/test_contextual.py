"""Contextual vectors at the leaves of trees: the same numbers as a table in which each leaf is a word of its own."""

from __future__ import annotations

import dataclasses
import itertools
import random
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import nntag
from nntag.commands.train import train
from nntag.config.contextual import ContextualInput
from nntag.config.options.train import TrainOptions
from nntag.config.settings import resolve_settings
from nntag.corpora.records import Tree
from nntag.encoding.contextual.batch import WordBatch
from nntag.encoding.contextual.layer import ContextualLayer
from nntag.errors import UsageError
from nntag.training.runs import load_run
from nntag.trees.batches import encode_trees, make_tree_batch
from nntag.trees.classifier import TreeClassifier
from nntag.trees.sizes import TreeSizes
from nntag.trees.words import find_sentences
from tests.encoding.contextual.tiny_encoder import make_bert
from tests.tiny_data import make_tiny_data
from tests.trees.trees import random_tree, word_number

WORDS, OWN, EXTRA = 4, 3, 2


class PassOn(ContextualLayer):
    """States of one layer as they are."""

    def __init__(self) -> None:
        nn.Module.__init__(self)
        self.encoder = None

    def forward(self, batch: WordBatch) -> torch.Tensor:
        assert batch.states is not None
        return batch.states[:, 0].float()


@pytest.mark.parametrize("name", ["tree-gru", "tree-lstm", "tree-rnn", "rntn", "tree-lstm-child-sum"])
def test_a_leaf_has_a_vector_of_its_own(name: str) -> None:
    rng = random.Random(5)
    trees = [random_tree(rng, leaves, WORDS) for leaves in (1, 6, 4)]
    tokens = [token for tree in trees for token in tree.tokens]
    table, extra = torch.randn(WORDS, OWN), torch.randn(len(tokens), EXTRA).half()
    settings = resolve_settings(name, "default", {"hidden": 5, "input.dropout": 0.0})
    torch.manual_seed(1)
    model = TreeClassifier(settings, TreeSizes(WORDS, OWN + EXTRA, 5), table, PassOn()).eval()
    rows = torch.cat([table[[word_number(token) for token in tokens]], extra.float()], 1)
    plain = TreeClassifier(settings, TreeSizes(len(tokens), OWN + EXTRA, 5), rows).eval()
    plain.load_state_dict({k: v for k, v in model.state_dict().items() if k != "words.table"}, strict=False)

    counter = itertools.count()
    own_words = [
        dataclasses.replace(tree, words=tuple(None if word is None else f"w{next(counter)}" for word in tree.words))
        for tree in trees
    ]
    ends = np.cumsum([len(tree.tokens) for tree in trees])
    encoded = np.split(extra.unsqueeze(1).numpy(), ends[:-1])
    wanted = [2, 0, 1]
    forest = dataclasses.replace(encode_trees(trees, word_number, int), contextual=encoded)
    batch = make_tree_batch(forest, wanted)
    expected = plain.scores(make_tree_batch(encode_trees(own_words, word_number, int), wanted))
    torch.testing.assert_close(model.scores(batch), expected)


def test_every_parameter_learns_and_tuned_word_vectors_too() -> None:
    rng = random.Random(6)
    trees = [random_tree(rng, leaves, WORDS) for leaves in (5, 7)]
    layer = ContextualLayer(ContextualInput(contextual_size=EXTRA), 3, 6)
    settings = resolve_settings("tree-lstm", "default", {"hidden": 5, "tune_vectors": True})
    model = TreeClassifier(settings, TreeSizes(WORDS, OWN + EXTRA, 5), torch.randn(WORDS, OWN), layer).train()
    encoded = [np.random.default_rng(1).normal(size=(len(tree.tokens), 3, 6)).astype(np.float16) for tree in trees]
    before = model.words.table.clone()
    forest = dataclasses.replace(encode_trees(trees, word_number, int), contextual=encoded)
    model.loss(make_tree_batch(forest, [0, 1])).nats.backward()
    model.step_tables()
    assert all(parameter.grad is not None for parameter in model.parameters())
    assert (model.words.table != before).any(1).sum() > 1


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trees")
    data = make_tiny_data("sentiment", folder)
    chosen = {"hidden": 8, "word_size": 6, "contextual": str(make_bert(folder / "bert")), "contextual_size": 8}
    quick = {"epochs": 2, "patience": 0, "contextual_precision": "float32"}
    return train(TrainOptions("tree-lstm", data.path, folder / "run", settings={**chosen, **quick})).run


def test_evaluation_and_new_trees_see_the_vectors_of_training(run: Path) -> None:
    loaded = load_run(run)
    trees, forest = loaded.task.encode_with_leaves(loaded.open_data(), "dev")
    model = nntag.load(run)
    cached = loaded.task.log_probabilities(loaded.model, forest)
    found = np.concatenate([model.score([tree])[0].log_probabilities for tree in trees])
    np.testing.assert_allclose(found, cached, atol=0.01)
    plain = loaded.task.log_probabilities(
        loaded.model, dataclasses.replace(forest, contextual=[leaves * 0 for leaves in forest.contextual])
    )
    assert np.abs(plain - cached).max() > 0.05  # they do matter


def test_vectors_alone_and_a_tuned_encoder(run: Path, tmp_path: Path) -> None:
    saved = load_run(run)
    values = {name: value for name, value in saved.settings.values().items() if name.startswith(("input.", "model."))}
    for name, change in (("alone", {"contextual_alone": True}), ("tuned", {"contextual_tune": True})):
        options = TrainOptions(
            "tree-lstm", saved.open_data().path, tmp_path / name, settings={**values, "epochs": 1, **change}
        )
        loaded = load_run(train(options).run)
        assert loaded.model.words.table.shape[1] == (0 if name == "alone" else 6)
        assert (loaded.model.contextual.encoder is not None) == (name == "tuned")


def test_escapes_are_undone_and_dependency_trees_refused() -> None:
    tree = Tree(("2", "2", "3"), ((), (), (0, 1)), ("-LRB-", "either\\/or", None))
    assert find_sentences([tree]) == [["(", "either/or"]]
    with pytest.raises(UsageError, match="contextual vectors need trees whose words are leaves"):
        find_sentences([Tree(("2", "3"), ((), (0,)), ("very", "good"))])
