"""`nntag experiment --engine ray`: the same runs, reports and reasons as with processes; skipped without Ray."""

from __future__ import annotations

from pathlib import Path

import pytest

from nntag.cli.experiment import _check_engine
from nntag.commands.preprocess import preprocess
from nntag.config.options.preprocess import PreprocessOptions
from nntag.errors import UsageError
from nntag.experiments.choose import ExperimentOptions
from nntag.experiments.run import run_experiment
from tests.experiments.test_run import FAILING, TABLE, write


def test_the_engine_is_named() -> None:
    assert _check_engine(None, "") is None and _check_engine("ray", "x:1") == "ray"
    with pytest.raises(UsageError, match="unknown --engine 'dask'"):
        _check_engine("dask", "")
    with pytest.raises(UsageError, match="--address has a meaning with --engine alone"):
        _check_engine(None, "x:1")


def test_a_table_on_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    from nntag.integrations.cluster import start_ray

    preprocess(PreprocessOptions("ccgbank", out=tmp_path / "data", sample=True, sample_size=60))
    options = ExperimentOptions(data=tmp_path / "data", out=tmp_path / "out", jobs=2, engine="ray")
    monkeypatch.setenv("RAY_worker_niceness", "0")
    with start_ray(2):
        result = run_experiment(write(tmp_path, TABLE + FAILING), options)
    assert [row["runs"] for row in result.report["rows"]] == [1, 1, 0]
    assert list(result.failed) == ["broken, seed 1"] and "not finite" in result.failed["broken, seed 1"]
    again = run_experiment(write(tmp_path, TABLE), ExperimentOptions(data=tmp_path / "data", out=tmp_path / "out"))
    assert [row["test"]["mean"] for row in again.report["rows"][:2]] == [
        row["test"]["mean"] for row in result.report["rows"][:2]
    ]
