"""The tree classifier: its loss by hand, dropout, tuned word vectors, and a run that learns."""

from __future__ import annotations

import random
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.nn import functional

from nntag.config.settings import resolve_settings
from nntag.encoding.data_folder import DataFolder
from nntag.errors import UsageError
from nntag.training.dropout import dropout
from nntag.training.trainer import Trainer
from nntag.trees.batches import NO_LABEL, encode_trees, make_tree_batch
from nntag.trees.classifier import TreeClassifier
from nntag.trees.sizes import TreeSizes
from nntag.trees.task import TreeTask
from nntag.trees.word_table import WordTable
from tests.trees.trees import random_tree, word_number

WORDS, D = 12, 6


def make_model(name: str = "tree-gru", **values) -> TreeClassifier:
    settings = resolve_settings(name, "default", {"hidden": 8, "word_size": D, **values})
    torch.manual_seed(1)
    return TreeClassifier(settings, TreeSizes(WORDS, D, 5), torch.randn(WORDS, D))


def make_batch(arity: int = 2, label=int):
    rng = random.Random(3)
    trees = [random_tree(rng, leaves, WORDS, arity) for leaves in (1, 5, 8, 3)]
    return make_tree_batch(encode_trees(trees, word_number, label), range(len(trees)))


def test_the_loss_sums_over_labelled_nodes_alone() -> None:
    model = make_model().eval()
    batch = make_batch(label=lambda label: int(label) if label in "034" else NO_LABEL)
    loss = model.loss(batch)
    log_p = model.log_probabilities(batch)
    expected = -sum(log_p[node, label] for node, label in enumerate(batch.labels.tolist()) if label != NO_LABEL)
    assert (loss.count, loss.items) == (batch.count, 4) and 0 < batch.count < batch.nodes
    torch.testing.assert_close(loss.nats, expected)


def test_binary_cells_refuse_other_trees() -> None:
    with pytest.raises(UsageError, match="needs binary trees"):
        make_model().loss(make_batch(arity=4))
    assert torch.isfinite(make_model("tree-gru-child-sum").loss(make_batch(arity=4)).nats)


def test_dropout_keeps_the_mean_and_the_share() -> None:
    torch.manual_seed(2)
    x = torch.ones(400, 500)
    for probability in (0.1, 0.5, 0.75):
        y = dropout(x, probability, True)
        assert (y == 0).float().mean() == pytest.approx(probability, abs=0.005)
        assert y.mean() == pytest.approx(1.0, abs=0.02) and len(y.unique()) == 2
    assert dropout(x, 0.5, False) is x and dropout(x, 0.0, True) is x


def test_tuned_vectors_take_a_step_of_sgd_in_training_alone() -> None:
    table, words = torch.randn(5, 3), torch.tensor([3, 1])
    tuned, fixed = WordTable(table.clone(), 0.5).train(), WordTable(table.clone()).train()
    (tuned(words) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    assert torch.equal(tuned.table, table)
    tuned.step()
    expected = table.clone()
    expected[words] -= 0.5 * torch.tensor([1.0, 2.0, 3.0])
    torch.testing.assert_close(tuned.table, expected)
    assert not fixed(words).requires_grad and not tuned.eval()(words).requires_grad
    assert list(tuned.parameters()) == []


def test_a_step_takes_each_lookup_once_and_leaves_out_what_had_no_backward_pass() -> None:
    table = WordTable(torch.zeros(4, 1), 1.0).train()
    for words in ([0, 1], [1, 2]):
        table(torch.tensor(words)).sum().backward()
    table(torch.tensor([3]))
    for _ in range(2):
        table.step()
        assert table.table.flatten().tolist() == [-1, -2, -1, 0]


def test_the_trainer_steps_the_tables_in_each_update(tmp_path: Path) -> None:
    """Against the gradient that autograd finds for the vectors alone; the running mean takes the new rows in."""
    values = {"vector_lr": 0.5, "lr": 0.1, "weight_decay": 0.0, "average": 0.5, "dropout": 0.0}
    settings = resolve_settings("tree-gru", "default", {"hidden": 8, "word_size": D, **values})
    model, batch = make_model(**values), make_batch()
    before = model.words.table.clone()
    vectors = before[batch.words].requires_grad_()
    scores = model.classifier(model.cell(vectors, batch))
    nats = functional.cross_entropy(scores, batch.labels, ignore_index=NO_LABEL, reduction="sum")
    (gradient,) = torch.autograd.grad(nats / 4, vectors)  # `loss_per` is the sentence
    trainer = Trainer(
        model,
        SimpleNamespace(metrics=TreeTask.metrics),
        DataFolder(tmp_path, {}),
        settings,
        tmp_path,
        torch.device("cpu"),
    )
    model.train()
    trainer._update(batch, 1)
    expected = before.clone()
    expected[batch.words] -= 0.5 * gradient
    torch.testing.assert_close(model.words.table, expected)
    assert trainer.average is not None  # decay (1 + 1) / (10 + 1) at the first update
    torch.testing.assert_close(trainer.average.values["words.table"], before + (expected - before) * 9 / 11)


@pytest.mark.parametrize("name", ["tree-gru", "tree-lstm", "tree-lstm-child-sum", "rntn"])
def test_a_model_learns_its_training_trees(name: str) -> None:
    model = make_model(name, dropout=0.0).train()
    batch = make_batch(label=lambda label: int(label) % 2)  # random labels: learnt by heart or not at all
    first = float(model.loss(batch).nats.detach())
    optimiser = torch.optim.Adam(model.parameters(), lr=0.03)
    for _ in range(60):
        optimiser.zero_grad()
        loss = model.loss(batch)
        (loss.nats / loss.count).backward()
        optimiser.step()
        model.step_tables()
    assert float(model.eval().loss(batch).nats.detach()) < 0.5 * first
