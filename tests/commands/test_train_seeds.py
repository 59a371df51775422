"""Several seeds of one training, their summary, and the plot of their epochs."""

from __future__ import annotations

import statistics
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nntag.commands.evaluate import evaluate
from nntag.commands.plot import plot_runs
from nntag.commands.train_seeds import train_seeds
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import EvaluateOptions
from nntag.errors import RunError, UsageError
from tests.command_line import fails
from tests.tiny_data import make_tiny_data

SMALL = {"hidden": 6, "word_size": 5, "epochs": 2, "score_train": True, "seed": 3}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("runs")
    data = make_tiny_data("sentiment", folder)
    return train_seeds(TrainOptions("tree-gru", data.path, folder / "gru", runs=2, settings=SMALL))


def test_each_seed_has_a_run_and_a_test_score(trained) -> None:
    assert trained.seeds == [3, 4] and [result.run.name for result in trained.runs] == ["gru-s3", "gru-s4"]
    assert [result.settings.train.seed for result in trained.runs] == [3, 4]
    assert trained.test == [
        evaluate(EvaluateOptions(result.run, split="test")).report["accuracy"] for result in trained.runs
    ]
    summary = trained.summary()["test"]
    assert summary["mean"] == pytest.approx(sum(trained.test) / 2)
    assert summary["standard_deviation"] == pytest.approx(statistics.stdev(trained.test))


def test_the_training_score_is_logged_where_asked_for(trained) -> None:
    for result in trained.runs:
        best = result.log[result.best_epoch - 1]
        assert best["train_accuracy"] == evaluate(EvaluateOptions(result.run, split="train")).report["accuracy"]


def test_resume_keeps_finished_runs(trained) -> None:
    weights = [(result.run / "best" / "model.safetensors").read_bytes() for result in trained.runs]
    base = trained.runs[0].run.parent / "gru"
    again = train_seeds(TrainOptions("tree-gru", trained.runs[0].data, base, runs=2, resume=True, settings=SMALL))
    assert [(result.run / "best" / "model.safetensors").read_bytes() for result in again.runs] == weights
    assert again.dev == trained.dev


def test_resume_takes_model_settings_and_data_from_the_first_run(tmp_path: Path) -> None:
    data = make_tiny_data("sentiment", tmp_path)
    train_seeds(TrainOptions("tree-gru", data.path, tmp_path / "x", runs=1, settings={**SMALL, "epochs": 1}))
    more = train_seeds(TrainOptions(runs=2, out=tmp_path / "x", resume=True, settings={"epochs": 2}))
    assert more.seeds == [3, 4] and [result.epochs for result in more.runs] == [2, 2]
    assert {result.settings.name for result in more.runs} == {"tree-gru"}
    assert {result.settings.model.hidden for result in more.runs} == {SMALL["hidden"]}
    straight = train_seeds(TrainOptions("tree-gru", data.path, tmp_path / "y", runs=2, settings=SMALL))
    assert straight.dev == more.dev and straight.test == more.test


def test_resume_without_runs_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--resume needs the runs"):
        train_seeds(TrainOptions("tree-gru", runs=2, resume=True))
    with pytest.raises(RunError, match="x: nothing to resume"):
        train_seeds(TrainOptions("tree-gru", runs=2, out=tmp_path / "x", resume=True))


def test_names_are_fresh_where_no_folder_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = make_tiny_data("sentiment", tmp_path)
    names = [
        train_seeds(TrainOptions("tree-gru", data.path, runs=1, settings=SMALL)).runs[0].run.name for _ in range(2)
    ]
    assert names == ["tree-gru-sentiment-s3", "tree-gru-sentiment-2-s3"]


def test_plot(trained, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    runs = [result.run for result in trained.runs]
    assert plot_runs(runs, tmp_path / "epochs.svg") == ["tree-gru"]
    text = " ".join(ElementTree.parse(tmp_path / "epochs.svg").getroot().itertext())
    for heading in ("seconds an epoch", "training loss (nats)", "dev accuracy", "train accuracy", "tree-gru"):
        assert heading in text
    with pytest.raises(UsageError, match="--out must end in"):
        plot_runs(runs, tmp_path / "epochs.txt")
    with pytest.raises(RunError, match="not a run folder"):
        plot_runs([tmp_path], tmp_path / "epochs.svg")


def test_no_runs_are_an_error() -> None:
    with pytest.raises(UsageError, match="--runs must be at least 1"):
        train_seeds(TrainOptions("tree-gru", runs=0))
    assert fails("train", "--runs", "0") == "--runs must be at least 1, found 0"
