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
RUNS, DATA = (ROOT / "tests" / "data" / "v0.1.0" / name for name in ("runs", "data"))


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


TAG, RM = ("tag", "--model", RUNS / "tagger"), ("--model", RUNS / "rm")


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ((*TAG, "--column", "XPOS"), "--column names a column of --format conllu, and piped has none"),
        ((*TAG, "--format", "conllu", "--pos-model", RUNS / "tagger"), "--pos-model has no place in --format conllu"),
        (("tag", "--model", RUNS / "tree", "--batch-size", 2), "--batch-size is for taggers, and "),
        (("eval", *TAG[1:], "--data", DATA / "tagging", "--column", "XPOS"), "--column is for a corpus file"),
        (("eval", *TAG[1:], "--data", DATA / "tagging", "--format", "conllu"), "--format is for a corpus file"),
        (("eval", "--parses", "x", "--data", __file__, "--column", "pos"), "--column has no meaning with --parses"),
        (("train", "--resume", "--force", "--out", RUNS / "tagger"), "--resume goes on with a run, and --force"),
        (("train", "--fix-word-vectors"), "--tune-word-vectors is about the vectors of --word-vectors"),
        (
            ("train", "--model", "ngram", "--lr", "3"),
            "--lr is about training by gradients, and ngram is estimated from",
        ),
        (("train", "--model", "ngram", "--processes", "2"), "--processes is about training by gradients"),
        (("analyse", "attention", *RM, "--text", "a dog", "--samples", 3), "--samples has no meaning with --text"),
        (("parse", "--format", "deriv", "--pos-model", "x"), "--pos-model has no place in --format deriv"),
        (
            ("preprocess", "text", "--train", "a", "--dev", "b", "--seed", 2),
            "--seed is for a sample, and for a dev set",
        ),
    ],
)
def test_flags_that_would_do_nothing_are_refused(command: tuple[object, ...], reason: str) -> None:
    assert fails(*command).startswith(reason)


def test_several_seeds_are_forced_too(tmp_path: Path) -> None:
    command = ("train", "--data", DATA / "lm", "--model", "lstm-lm", "--runs", 2, "--epochs", 1, "--hidden", 4)
    for more in ((), ("--force",)):
        assert run_nntag(*command, "--out", tmp_path / "r", *more).code == 0
    assert "r-s1 already holds a trained run" in fails(*command, "--out", tmp_path / "r")


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


@pytest.mark.parametrize("command", [("eval", "--model"), ("cache",)])
def test_a_name_too_long_for_a_file_is_not_repeated_whole(command: tuple[str, ...]) -> None:
    told = fails(*command, "x" * 3000)
    assert told.startswith("xxx") and "File name too long" in told
    assert len(told) < 500
