"""Several seeds of one training, their summary, and the plot of their epochs."""

from __future__ import annotations

import statistics
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nntag.errors import RunError, UsageError
from nntag.workflows.evaluate import evaluate
from nntag.workflows.plot_runs import plot_runs
from nntag.workflows.train_runs import train_runs
from tests.tiny_data import make_tiny_data

SMALL = {"hidden": 6, "word_size": 5, "epochs": 2, "score_train": True, "seed": 3}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("runs")
    data = make_tiny_data("sentiment", folder)
    return train_runs(2, "tree-gru", data.path, folder / "gru", layers=(SMALL,))


def test_each_seed_has_a_run_and_a_test_score(trained) -> None:
    assert trained.seeds == [3, 4] and [result.run.name for result in trained.runs] == ["gru-s3", "gru-s4"]
    assert [result.settings.train.seed for result in trained.runs] == [3, 4]
    assert trained.test == [evaluate(result.run, split="test").report["accuracy"] for result in trained.runs]
    summary = trained.summary()["test"]
    assert summary["mean"] == pytest.approx(sum(trained.test) / 2)
    assert summary["standard_deviation"] == pytest.approx(statistics.stdev(trained.test))


def test_the_training_score_is_logged_where_asked_for(trained) -> None:
    for result in trained.runs:
        best = result.log[result.best_epoch - 1]
        assert best["train_accuracy"] == evaluate(result.run, split="train").report["accuracy"]


def test_resume_keeps_finished_runs(trained) -> None:
    weights = [(result.run / "best" / "model.safetensors").read_bytes() for result in trained.runs]
    base = trained.runs[0].run.parent / "gru"
    again = train_runs(2, "tree-gru", trained.runs[0].data, base, layers=(SMALL,), resume=True)
    assert [(result.run / "best" / "model.safetensors").read_bytes() for result in again.runs] == weights
    assert again.dev == trained.dev


def test_plot(trained, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    runs = [result.run for result in trained.runs]
    assert plot_runs(runs, tmp_path / "epochs.svg") == ["tree-gru"]
    text = " ".join(ElementTree.parse(tmp_path / "epochs.svg").getroot().itertext())
    for heading in ("seconds an epoch", "training loss (nats)", "dev accuracy", "train accuracy", "tree-gru"):
        assert heading in text
    with pytest.raises(UsageError, match="--out must end in"):
        plot_runs(runs, tmp_path / "epochs.txt")
    with pytest.raises(RunError):
        plot_runs([tmp_path], tmp_path / "epochs.svg")


def test_no_runs_are_an_error() -> None:
    with pytest.raises(UsageError, match="--runs must be at least 1"):
        train_runs(0, "tree-gru")
