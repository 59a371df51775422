"""Folders that version 0.1.0 wrote (`tests/data/v0.1.0`): data folders train, runs evaluate, go on and are used."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import nntag
from nntag.encoding.data_folder import open_data_folder
from tests.command_line import run_nntag

FOLDERS = Path(__file__).parent / "data" / "v0.1.0"
TINY = ("--epochs", 1, "--set", "hidden=4")  # what is too small to learn is enough to train
MODELS = {  # of each data folder
    "tagging": ("skip-gated", "--set", "filters=4"),
    "lm": ("lstm-lm",),
    "sherlock": ("rm",),
    "trees": ("tree-lstm",),
    "trees-binary": ("tree-gru-child-sum",),
}
TREE = b"(2 (3 good) (2 (1 not) (2 film)))\n"
USES = {  # of each run: a command, what it reads, and how many lines it answers with
    "tagger": ("tag", b"the old dog saw it .\n\nyes\n", 3),
    "rm": ("score", b"the old dog saw it .\n", 1),
    "ngram": ("score", b"the old dog saw it .\n", 1),
    "tree": ("tag", TREE, 1),
    "tree-child-sum": ("tag", TREE, 1),
}


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A copy of the folders as the working directory: the runs name their data folders from there."""
    shutil.copytree(FOLDERS, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_folder_is_tested():
    assert sorted(MODELS) == sorted(path.name for path in (FOLDERS / "data").iterdir())
    assert sorted(USES) == sorted(path.name for path in (FOLDERS / "runs").iterdir())


@pytest.mark.parametrize("data", MODELS)
def test_a_data_folder_opens_and_trains_an_epoch(data, here):
    assert open_data_folder(f"data/{data}").has_split("dev")
    model, *settings = MODELS[data]
    trained = run_nntag("train", "--model", model, *TINY, *settings, "--data", f"data/{data}", "--out", "new")
    assert trained.code == 0, trained.err
    assert len((here / "new" / "log.jsonl").read_text().splitlines()) == 1


@pytest.mark.parametrize("run", USES)
def test_a_run_evaluates_to_the_figures_of_its_time(run, here):
    evaluated = run_nntag("eval", "--model", f"runs/{run}", "--json")
    assert evaluated.code == 0, evaluated.err
    now = json.loads(evaluated.out)
    then = json.loads((here / "reports" / f"{run}.json").read_text(encoding="utf-8"))
    del now["words_per_second"], then["words_per_second"]
    now.pop("confusion_matrix", None)  # which that time had not
    assert list_figures(now) == {
        place: pytest.approx(value, rel=1e-4) if isinstance(value, float) else value
        for place, value in list_figures(then).items()
    }


@pytest.mark.parametrize("run", USES)
def test_a_run_is_used_on_new_text(run, here):
    command, text, answers = USES[run]
    used = run_nntag(command, "--model", f"runs/{run}", stdin=text)
    assert used.code == 0, used.err
    assert len(used.out.splitlines()) == answers
    assert nntag.load(f"runs/{run}").__class__.__name__ in ("Tagger", "LanguageModel", "TreeModel")


@pytest.mark.parametrize("run", [run for run in USES if run != "ngram"])  # which is counted: it has no epochs
def test_a_run_goes_on(run, here):
    before = (here / "runs" / run / "log.jsonl").read_text().splitlines()
    resumed = run_nntag("train", "--resume", "--out", f"runs/{run}", "--epochs", 3)
    assert resumed.code == 0, resumed.err
    log = (here / "runs" / run / "log.jsonl").read_text().splitlines()
    assert log[:2] == before and len(log) == 3


def list_figures(report: Any, place: str = "") -> dict[str, Any]:
    """The leaves of a report by their paths, in one flat dictionary."""
    if isinstance(report, dict | list):
        items = report.items() if isinstance(report, dict) else enumerate(report)
        return {path: leaf for key, value in items for path, leaf in list_figures(value, f"{place}/{key}").items()}
    return {place: report}
