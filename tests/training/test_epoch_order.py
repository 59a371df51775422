"""Every task's epoch: each training item exactly once, in batches that the generator alone decides."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from nntag.config.settings import resolve_settings
from nntag.encoding.data_folder import DataFolder
from nntag.training.tasks import task_class
from tests.tiny_data import make_tiny_data

Item = tuple[Any, ...]
SIZE = 2  # items of a batch


def tags_in_batch(task: Any, batch: Any) -> list[Item]:
    names = task.vocabularies.tags
    return [
        tuple(names[tag] for tag in column[:length])
        for column, length in zip(batch.tags.T.tolist(), batch.lengths.tolist(), strict=True)
    ]


def tags_in_folder(data: DataFolder) -> list[Item]:
    text = (data.path / "train.tsv").read_text(encoding="utf-8")
    return [tuple(line.split("\t")[1] for line in block.split("\n")) for block in text.strip().split("\n\n")]


def words_in_batch(task: Any, batch: Any) -> list[Item]:
    words = task.vocabulary.words
    return [tuple(words[word] for word in column if word >= 0) for column in batch.targets.T.tolist()]


def words_in_folder(data: DataFolder) -> list[Item]:
    words = ["</s>", "<unk>", *json.loads((data.path / "vocab.json").read_text(encoding="utf-8"))["words"]]
    ids, starts = (np.load(data.path / f"train.{kind}.npy") for kind in ("ids", "starts"))
    return [tuple(words[word] for word in ids[a:b]) for a, b in zip(starts, starts[1:], strict=False)]


def labels_in_batch(task: Any, batch: Any) -> list[Item]:
    trees, labels = [], []
    for node in batch.order.tolist():  # tree after tree, each from the leaves up to its root
        labels.append(task.classes[int(batch.labels[node])])
        if node >= batch.nodes - batch.trees:
            trees.append(tuple(labels))
            labels = []
    return trees


def labels_in_folder(data: DataFolder) -> list[Item]:
    """The labels in the order of the closing brackets."""
    trees = []
    for line in (data.path / "train.txt").read_text(encoding="utf-8").splitlines():
        stack, labels = [], []
        for sign, label in re.findall(r"(\()(\S+) |\)", line):
            if sign:
                stack.append(label)
            else:
                labels.append(stack.pop())
        trees.append(tuple(labels))
    return trees


KINDS: dict[str, tuple[str, dict[str, Any], Callable[..., list[Item]], Callable[..., list[Item]]]] = {
    "tagging": ("skip-none", {}, tags_in_batch, tags_in_folder),
    "lm": ("rm", {}, words_in_batch, words_in_folder),
    "lm of one length": ("rm", {"same_length": True}, words_in_batch, words_in_folder),
    "sentiment": ("tree-gru", {}, labels_in_batch, labels_in_folder),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DataFolder]:
    folder: Path = tmp_path_factory.mktemp("data")
    return {task: make_tiny_data(task, folder, 80) for task in ("tagging", "lm", "sentiment")}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest, folders: dict[str, DataFolder]) -> Iterator[tuple[Any, list[Item]]]:
    """A function from a seed to an epoch's batches as lists of items, and all items of the training split."""
    model, values, items_in_batch, items_in_folder = KINDS[request.param]
    data = folders[request.param.split(" ")[0]]
    settings = resolve_settings(model, "default", {"batch_size": SIZE, **values})
    task = task_class(data.task).from_data(data, settings)

    def draw(seed: int) -> list[list[Item]]:
        batches = task.train_batches(data, settings, torch.Generator().manual_seed(seed))
        return [items_in_batch(task, batch) for batch in batches]

    yield draw, items_in_folder(data)


Kind = tuple[Callable[[int], list[list[Item]]], list[Item]]


def test_every_item_comes_once_an_epoch(kind: Kind) -> None:
    draw, items = kind
    batches = draw(1)
    assert Counter(item for batch in batches for item in batch) == Counter(items)
    assert len(items) == 80 and max(map(len, batches)) == SIZE


def test_the_generator_decides_the_order(kind: Kind) -> None:
    draw, _ = kind
    assert draw(1) == draw(1) != draw(2)


def test_epochs_differ_in_which_items_meet(kind: Kind) -> None:
    draw, _ = kind
    first, second = ({tuple(sorted(batch)) for batch in draw(seed)} for seed in (1, 2))
    assert len(first & second) < 0.5 * len(first)


def test_batches_come_neither_in_the_order_of_the_data_nor_by_length(kind: Kind) -> None:
    draw, items = kind
    batches = draw(3)
    lengths = [max(map(len, batch)) for batch in batches]
    places = [items.index(batch[0]) for batch in batches]
    for values in (lengths, places):
        assert abs(np.corrcoef(values, np.arange(len(values)))[0, 1]) < 0.6
