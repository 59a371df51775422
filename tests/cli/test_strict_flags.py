"""Flags that would do nothing in silence are refused; SIGTERM and Ctrl-C have exit codes of their own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.command_line import fails, run_nntag

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("command", "flag"),
    [
        (("train", "--epochs", "3", "--seed=1", "--epochs=4"), "--epochs"),
        (("eval", "--json", "--json"), "--json"),
        (("train", "--tune-word-vectors", "--fix-word-vectors"), "--fix-word-vectors"),
        (("arpa", "import", "x", "--out", "a", "--out", "a"), "--out"),
    ],
)
def test_a_flag_given_twice_is_refused(command: tuple[str, ...], flag: str) -> None:
    assert fails(*command).startswith(f"{flag} is given twice")


def test_flags_that_can_be_repeated_may_be(tmp_path: Path) -> None:
    message = fails("train", "--set", "hidden=3", "--set", "hiden=4", "--data", tmp_path)
    assert "unknown setting 'hiden'" in message


def test_the_size_of_a_sample_needs_a_sample() -> None:
    assert (
        fails("preprocess", "conllu", "--sample-size", "3")
        == "--sample-size is the size of a sample: give --sample too"
    )


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_have_exit_codes(tmp_path: Path, number: signal.Signals, code: int) -> None:
    assert run_nntag("preprocess", "text", "--sample", "--sample-size", "20", "--out", tmp_path / "d").code == 0
    command = [sys.executable, "-m", "nntag", "train", "--model", "lstm-lm", "--epochs", "9999", "--verbose"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    process = subprocess.Popen(
        [*command, "--data", str(tmp_path / "d"), "--out", str(tmp_path / "r"), "--set", "patience=0", "--hidden", "4"],
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    while "epoch 1" not in process.stderr.readline():
        assert process.poll() is None
    process.send_signal(number)
    assert process.wait(60) == code
    assert process.stderr.read().rstrip().endswith("nntag: terminated" if code == 143 else "nntag: interrupted")
