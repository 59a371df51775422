"""A training run reads each large file once: word vectors, which may have gigabytes, and the vocabulary."""

from __future__ import annotations

import builtins
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.training.checkpoint import read_checkpoint
from tests.tiny_data import make_tiny_data

TINY = {"train.epochs": 3, "train.patience": 0, "train.batch_size": 8}


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each file has been opened, by its name as it was given."""
    counts: Counter[str] = Counter()
    real = builtins.open

    def open_and_count(file: Any, *arguments: Any, **options: Any) -> Any:
        counts[str(file)] += 1
        return real(file, *arguments, **options)

    for module in (builtins, io):  # `open` and `Path.open` find it in different places
        monkeypatch.setattr(module, "open", open_and_count)
    return counts


@pytest.mark.parametrize(
    ("task", "model", "sizes"),
    [
        ("tagging", "skip-none", {"layers": 1, "hidden": 6, "filters": 4, "affix_size": 4, "tune_vectors": False}),
        ("sentiment", "tree-lstm", {"hidden": 6, "vector_norm": 0.0}),
    ],
)
def test_word_vectors_are_read_once(
    tmp_path: Path, opened: Counter[str], task: str, model: str, sizes: dict[str, Any]
) -> None:
    data = make_tiny_data(task, tmp_path)
    word = json.loads((data.path / "vocab.json").read_text())["words"][0]
    file = tmp_path / "own.vec"
    file.write_text(f"{word} 1 2 3\nothers 4 5 6\n")
    opened.clear()
    result = train(
        TrainOptions(model, data.path, tmp_path / "run", settings={**TINY, **sizes, "word_vectors": str(file)})
    )
    assert opened[str(file)] == 1
    assert result.settings.input.word_size == 3
    weights = read_checkpoint(tmp_path / "run" / "last" / "model.safetensors").weights
    table = weights["input.words.weight" if task == "tagging" else "words.table"]
    assert [1.0, 2.0, 3.0] in table.tolist()
    assert opened[str(data.path / "vocab.json")] == 2  # to compare its SHA-256, and to read it


@pytest.mark.parametrize(("model", "sizes"), [("rm", {"hidden": 6, "memory": 3}), ("lstm-lm", {"hidden": 6})])
def test_a_language_models_vocabulary_is_read_once(
    tmp_path: Path, opened: Counter[str], model: str, sizes: dict[str, Any]
) -> None:
    data = make_tiny_data("lm", tmp_path)
    opened.clear()
    assert train(TrainOptions(model, data.path, tmp_path / "run", settings={**TINY, **sizes})).epochs == 3
    assert opened[str(data.path / "vocab.json")] == 2  # to compare its SHA-256, and to read it
