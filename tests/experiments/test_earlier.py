"""What `nntag experiment` says of runs that it trained before and does not use again."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.config.settings import Settings, resolve_settings
from nntag.encoding.data_folder import DataFolder, open_data_folder
from nntag.experiments.board import PlannedRun
from nntag.experiments.earlier import explain_earlier_runs
from tests.tagging.tiny_run import QUICK, SMALL
from tests.tiny_data import make_tiny_data


@dataclass(frozen=True)
class Row:
    """A system of one model."""

    settings: Settings
    label: str = "plain"
    data: str = "data"

    def settings_for(self, seed: int) -> Settings:
        return self.settings


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> tuple[DataFolder, Path]:
    folder = tmp_path_factory.mktemp("earlier")
    data = make_tiny_data("tagging", folder)
    options = TrainOptions("skip-none", data.path, folder / "runs/plain-s1-aaaa", settings=values(hidden=5))
    return data, train(options).run


def values(**own: Any) -> dict[str, Any]:
    return {**SMALL, **QUICK, "epochs": 1, **own}


def explain(data: DataFolder, run: Path, key: str, **own: Any) -> list[str]:
    row: Any = Row(resolve_settings("skip-none", "default", values(**own)))
    return explain_earlier_runs([PlannedRun(row, 1, run.with_name(f"plain-s1-{key}"))], {"data": data})


def test_a_setting_is_named_with_both_values(earlier: tuple[DataFolder, Path]) -> None:
    data, run = earlier
    (note,) = explain(data, run, "bbbb", hidden=6, lr=0.01)
    start = f"plain, seed 1 is trained anew, and {run} is not used again: "
    assert note.startswith(start)
    assert set(note.removeprefix(start).split("; ")) == {"model.hidden was 5, is 6", "train.lr was 0.02, is 0.01"}


def test_a_file_of_the_data_is_named(earlier: tuple[DataFolder, Path], tmp_path: Path) -> None:
    data, run = earlier
    other = make_tiny_data("tagging", tmp_path, size=25)
    (note,) = explain(other, run, "bbbb", hidden=5)
    assert "train.tsv has changed" in note and "hidden" not in note


def test_nothing_is_said_of_others(earlier: tuple[DataFolder, Path], tmp_path: Path) -> None:
    data, run = earlier
    assert explain(data, run, "aaaa", hidden=5) == []  # it goes on
    assert explain(data, run, "bbbb", hidden=6, seed=2) == []  # another seed
    assert explain(data, tmp_path / "runs/plain-s1-aaaa", "bbbb", hidden=6) == []  # none there
    damaged = run.with_name("plain-s1-cccc") / "best"
    damaged.mkdir(parents=True)
    (damaged / "config.json").write_text(json.dumps({"settings": 1}))
    assert len(explain(open_data_folder(data.path), run, "bbbb", hidden=6)) == 1
