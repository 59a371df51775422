"""A small sample of `make kills` and of `make fuzz`."""

from __future__ import annotations

import logging
import os
import sys
from pathlib import Path

import pytest

from nntag.experiments import board, run
from tests.fuzz import Fuzzer
from tests.kills import kill_many


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_killed_commands_are_gone_on_with(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "run_workers", run.run_workers)  # which the kills replace: put back afterwards
    monkeypatch.setattr(board, "plots_are_possible", board.plots_are_possible)
    here = os.getcwd()
    try:
        counts = kill_many(4, seed=1)
    finally:
        os.chdir(here)
    assert counts["bad"] == 0 and all(counts[name] for name in ("train", "preprocess", "experiment", "tag"))


@pytest.mark.skipif(sys.platform != "linux", reason="forks")
def test_mutated_files_and_random_command_lines(tmp_path: Path) -> None:
    logging.getLogger("nntag").addHandler(logging.NullHandler())
    fuzzer = Fuzzer(tmp_path, None)
    assert [wrong for seed in range(150) if (wrong := fuzzer.try_one(seed))] == []
