"""What adding something costs: a throw-away encoder, format, metric and flag, each added as CONTRIBUTING.md says.

Each test stands for the files that a change of that kind touches, and runs the commands on what it added: whatever else
would have to be touched makes it fail.
"""

from __future__ import annotations

import dataclasses
import json
import sys
import types
from pathlib import Path

import pytest
import torch
from torch import nn

from nntag.config import registry
from nntag.config.fields import flag, option
from nntag.config.model_row import ModelRow
from nntag.config.options import train, use
from nntag.corpora import formats
from nntag.corpora.formats import Format
from nntag.corpora.records import Sentence, Tree
from nntag.language_models import perplexity
from nntag.language_models.task import LanguageModelTask
from nntag.tagging import evaluate
from nntag.tagging.score import TaggingScore
from nntag.tagging.task import TaggingTask
from nntag.training.metric import Metric
from nntag.trees import score
from nntag.trees.task import TreeTask
from tests.command_line import Finished, run_nntag
from tests.tiny_data import make_tiny_data

TINY = ("--epochs", 1, "--set", "hidden=4")
TEXT = b"the old dog saw it .\n"


@pytest.fixture(scope="module")
def data(tmp_path_factory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("data")
    return {task: make_tiny_data(task, folder).path for task in ("tagging", "lm", "sentiment")}


@pytest.fixture
def fresh_commands(monkeypatch) -> None:
    """Commands made anew from the options and tables as the test has changed them, as in a new process."""
    for name in [name for name in sys.modules if name.startswith("nntag.cli.") and name != "nntag.cli.main"]:
        monkeypatch.delitem(sys.modules, name)


def done(*arguments: object, stdin: bytes = b"") -> Finished:
    finished = run_nntag(*arguments, stdin=stdin)
    assert finished.code == 0, finished.err
    return finished


# An encoder: its module; its settings and its row in `nntag/config/tagging.py`; its test.


@dataclasses.dataclass(frozen=True, slots=True)
class FeedForwardConfig:
    """One layer that sees one word at a time."""

    hidden: int = option(8, "width", low=1)


class FeedForward(nn.Module):
    """float[T, B, D] -> float[T, B, H]."""

    def __init__(self, config: FeedForwardConfig, input_size: int):
        super().__init__()
        self.layer = nn.Linear(input_size, config.hidden)
        self.output_size = config.hidden

    def forward(self, x: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        return torch.tanh(self.layer(x))


def test_an_encoder(data, tmp_path, monkeypatch, fresh_commands):
    module = types.ModuleType("nntag.tagging.encoders.feed_forward")
    module.FeedForward = FeedForward
    monkeypatch.setitem(sys.modules, module.__name__, module)
    row = ModelRow("feed-forward", "tagging", FeedForwardConfig, f"{module.__name__}:FeedForward", "one layer", "ours")
    monkeypatch.setattr(registry, "MODELS", (*registry.MODELS, row))

    assert "feed-forward" in done("models").out
    assert "width" in done("models", "feed-forward", "--recipe", "wu2016").out
    run = tmp_path / "run"
    done("train", "--model", "feed-forward", *TINY, "--data", data["tagging"], "--out", run)
    done("train", "--resume", "--out", run, "--epochs", 2)
    assert "accuracy" in done("eval", "--model", run).out
    assert len(done("tag", "--model", run, stdin=TEXT).out.split()) == 6


# A format: its reader, and its row in `nntag/corpora/formats.py`.


def read_slashed(lines, on_bad=None):
    """`word/tag` between spaces, one sentence a line."""
    for number, text in lines:
        pairs = [pair.split("/") for pair in text.split()]
        words, tags = zip(*pairs, strict=True)
        yield Sentence(words, tags, place=lines.place(number))


def read_flat(lines, on_bad=None):
    """`label left right`: trees of two words."""
    for number, text in lines:
        label, left, right = text.split()
        yield Tree(("2", "2", label), ((), (), (0, 1)), (left, right, None), lines.place(number))


@pytest.fixture
def new_format(monkeypatch, fresh_commands):
    def add(row: Format, reader) -> None:
        module, name = row.reader.split(":")
        new = types.ModuleType(f"nntag.corpora.{module}")
        setattr(new, name, reader)
        monkeypatch.setitem(sys.modules, new.__name__, new)
        monkeypatch.setitem(formats.FORMATS, row.name, row)

    return add


def test_a_format_of_sentences(tmp_path, monkeypatch, new_format):
    row = Format("slashed", "slashed:read_slashed", "sentences", "word/tag", (".slashed",), tasks=("tagging", "lm"))
    new_format(row, read_slashed)
    monkeypatch.chdir(tmp_path)
    raw = tmp_path / "data" / "raw" / "slashed"
    raw.mkdir(parents=True)
    for split in ("train", "dev", "test"):
        (raw / f"{split}.slashed").write_text("the/DET dog/NOUN ran/VERB\nit/PRON ran/VERB\n" * 10)

    assert "slashed" in done("read", "--help").out and "slashed" in done("preprocess", "--help").out
    (first, _) = done("read", "slashed", raw / "dev.slashed", "--json").out.split("\n", 1)
    assert json.loads(first) == {"tokens": ["the", "dog", "ran"], "tags": ["DET", "NOUN", "VERB"]}
    for task, model in (("tagging", "skip-none"), ("lm", "lstm-lm")):
        done("preprocess", "slashed", "--task", task)
        done("train", "--model", model, *TINY, "--out", tmp_path / task)
        done("eval", "--model", tmp_path / task)
        done("eval", "--model", tmp_path / task, "--data", raw / "test.slashed")


def test_a_format_of_trees(tmp_path, new_format):
    row = Format("flat", "flat:read_flat", "trees", "trees of two words", (".flat",), tasks=("binary", "fine"))
    new_format(row, read_flat)
    file = tmp_path / "a.flat"
    file.write_text("3 good film\n1 bad film\n" * 10)

    done("read", "flat", file)
    done("preprocess", "flat", "--train", file, "--dev", file, "--out", tmp_path / "data")
    done("train", "--model", "tree-gru", *TINY, "--data", tmp_path / "data", "--out", tmp_path / "run")
    assert "20  sentences" in done("eval", "--model", tmp_path / "run", "--data", file).out


# A metric: its figure in the task's report, and its row in the task's `metrics`.


METRICS = {
    "tagging": ("skip-none", TaggingTask, TaggingScore, "report"),
    "lm": ("lstm-lm", LanguageModelTask, perplexity, "report_perplexity"),
    "sentiment": ("tree-gru", TreeTask, score, "report_sentiment"),
}


@pytest.mark.parametrize("task", METRICS)
def test_a_metric(task, data, tmp_path, monkeypatch):
    model, task_class, owner, name = METRICS[task]
    original, reports = getattr(owner, name), []

    def make_report(*arguments):
        reports.append(original(*arguments))
        return reports[-1] | {"badness": 0.25 if len(reports) == 2 else 0.5}  # the second epoch is the best

    holders = [m for key, m in sys.modules.items() if key.startswith("nntag.") and getattr(m, name, None) is original]
    for holder in {owner, *holders}:  # wherever the function's file is imported
        monkeypatch.setattr(holder, name, make_report)
    monkeypatch.setattr(task_class, "metrics", (*task_class.metrics, Metric("badness", False, percent=True)))

    run = tmp_path / "run"
    where = ("--data", data[task], "--out", run)
    trained = done("train", "--model", model, "--epochs", 3, *TINY[2:], "--set", "metric=badness", *where, "--verbose")
    assert "epoch 2, dev badness 25.00 %" in trained.out
    assert "dev badness 50.00 %" in trained.err
    log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    assert [entry["dev_badness"] for entry in log] == [0.5, 0.25, 0.5] and log[-1]["best_epoch"] == 2
    assert "badness" in done("eval", "--model", run).out
    seeds = done("train", "--model", model, *TINY, "--set", "metric=badness", *where, "--runs", 2).out
    assert seeds.splitlines()[0].split()[1:3] == ["dev", "badness"]


# A flag: a field of the command's options, and its use.


def test_a_flag(data, tmp_path, monkeypatch, fresh_commands):
    new = flag(False, "Report the sentences alone.", tasks=("tagging",))
    options = dataclasses.make_dataclass(
        "EvaluateOptions", [("short", bool, new)], bases=(use.EvaluateOptions,), frozen=True
    )
    monkeypatch.setattr(use, "EvaluateOptions", options)
    add_up = evaluate.evaluate_tagger

    def evaluate_tagger(run, held_out, progress):
        found = add_up(run, held_out, progress)
        return {"sentences": found["sentences"]} if held_out.options.short else found

    monkeypatch.setattr(sys.modules[TaggingTask.__module__], "evaluate_tagger", evaluate_tagger)
    for task, model in (("tagging", "skip-none"), ("lm", "lstm-lm")):
        done("train", "--model", model, *TINY, "--data", data[task], "--out", tmp_path / task)

    assert "--short" in done("eval", "--help").out and "Taggers: report the sentences alone" in done("eval", "-h").out
    found = json.loads(done("eval", "--model", tmp_path / "tagging", "--short", "--json").out)
    assert found["sentences"] == 50 and "accuracy" not in found
    refused = run_nntag("eval", "--model", tmp_path / "lm", "--short")
    assert refused.code == 2 and refused.errors == [
        "nntag: error: --short is for runs of tagging, and this one is for lm"
    ]


def test_a_flag_for_a_setting(data, tmp_path, monkeypatch, fresh_commands):
    """It needs the field alone: its use is the setting's."""
    patience = flag(None, "Epochs without a better score.", setting="train.patience")
    options = dataclasses.make_dataclass(
        "TrainOptions", [("patience", int | None, patience)], bases=(train.TrainOptions,), frozen=True
    )
    monkeypatch.setattr(train, "TrainOptions", options)
    where = ("--data", data["lm"], "--out", tmp_path / "run")
    found = json.loads(done("train", "--model", "lstm-lm", *TINY, *where, "--patience", 7, "--json").out)
    assert found["settings"]["train"]["patience"] == 7
