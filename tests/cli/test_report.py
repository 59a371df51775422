"""Reports as text: tables, what data does to them, and progress on a terminal and off one."""

from __future__ import annotations

import io
import logging
import sys

import pytest

from nntag.cli.printing import WarningHandler
from nntag.cli.progress_bar import ProgressReporter
from nntag.progress import Progress
from nntag.tables import format_table, percent
from nntag.tagging.report import format_tagging_report
from nntag.tagging.score import TaggingScore


def test_a_table_is_aligned_and_never_cut() -> None:
    rows = [["(S[dcl]\\NP)/NP", 1, 0.5], ["N" * 90, 1000, 12.345], ["x", 2, None]]
    lines = format_table(rows, ["tag", "count", "F1"], "  ").split("\n")
    width = 90
    assert lines[0] == "  " + "tag".ljust(width) + "  count     F1"
    assert lines[1] == "  " + "(S[dcl]\\NP)/NP".ljust(width) + "      1   0.50"
    assert lines[2] == "  " + "N" * 90 + "   1000  12.35"
    assert lines[3] == "  " + "x".ljust(width) + "      2      -"
    assert format_table([]) == ""


def test_shares_as_percent() -> None:
    assert percent(0.125) == 12.5 and percent(None) == "-" and percent(0) == 0


def test_the_tagging_report_ends_with_the_accuracy() -> None:
    score = TaggingScore({"N": 100, "V[x]": 1}, frozenset({"a"}))
    score.add(["a", "b", "c"], ["N", "V[x]", None], ["N", "N", "N"])
    lines = format_tagging_report(score.report()).splitlines()
    assert lines[-1].split() == ["accuracy", "50.00", "%", "2", "tokens"]
    assert lines[-5].split() == ["without", "gold", "tag", "(not", "counted)", "1", "tokens"]
    assert any(line.split() == ["V[x]", "-", "0.00", "0.00", "1"] for line in lines)
    assert any(line.split() == ["1", "V[x]", "N"] for line in lines)


def test_many_tags_are_cut_and_that_is_said() -> None:
    score = TaggingScore({}, frozenset())
    for number in range(30):
        score.add(["a"], [f"T{number:02}"], [f"T{number:02}"])
    text = format_tagging_report(score.report())
    assert "Tags (the 20 most frequent; 10 more with --json)" in text and "T19" in text and "T20" not in text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


REPORTS = [
    Progress("epoch 1", 50, 100, "tokens", {"loss": 1.5}),
    Progress("epoch 1", 100, 100, "tokens", {"dev_accuracy": 0.925, "lr": 0.002}, True, frozenset({"dev_accuracy"})),
]


def show(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, verbose: bool = False) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    with ProgressReporter(verbose) as progress:
        for report in REPORTS:
            progress(report)
    return stream.getvalue()


def test_progress_is_quiet_off_a_terminal_and_a_line_an_epoch_on_demand(monkeypatch: pytest.MonkeyPatch) -> None:
    assert show(io.StringIO(), monkeypatch) == ""
    (line,) = show(io.StringIO(), monkeypatch, verbose=True).splitlines()
    assert line.startswith("epoch 1: ") and "92.50 %" in line and "\x1b" not in line


def test_progress_on_a_terminal_shows_a_bar_and_a_line_an_epoch(monkeypatch: pytest.MonkeyPatch) -> None:
    text = show(Terminal(), monkeypatch)
    assert "\x1b[" in text and "tokens/s" in text and "epoch 1: " in text and "92.50 %" in text


def epoch(number: int, done: int, epochs: int = 60) -> Progress:
    return Progress(f"epoch {number}", done, 100, "tokens", {"loss": 1.5}, done == 100, rounds=(number, epochs))


def test_the_bar_counts_epochs_and_the_time_left_in_all(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = iter([0.0, 10.0, 30.0])
    monkeypatch.setattr("nntag.cli.progress_bar.time.monotonic", lambda: next(seconds))
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setattr(ProgressReporter, "_start_bar", lambda self: setattr(self, "_bar", Bar()))
    with ProgressReporter() as progress:
        for report in (epoch(3, 0), epoch(3, 50), epoch(3, 75)):
            progress(report)
        shown = progress._bar
    assert shown.descriptions == ["epoch 3/60"]
    assert [line.split("  ")[2:] for line in shown.values] == [
        [],
        ["0:00:10 left", "at most 0:19:10 in all"],  # half an epoch in 10 s; half of one and 57 are left
        ["0:00:10 left", "at most 0:38:10 in all"],
    ]


class Bar:
    """Stands in for rich's, which draws when it likes."""

    def __init__(self) -> None:
        self.descriptions: list[str] = []
        self.values: list[str] = []

    def reset(self, task: object, total: int, description: str) -> None:
        self.descriptions.append(description)

    def update(self, task: object, completed: int, total: int, values: str) -> None:
        self.values.append(values)

    def stop(self) -> None:
        pass


def test_off_a_terminal_a_long_training_tells_its_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = 0.0
    monkeypatch.setattr("nntag.cli.progress_bar.time.monotonic", lambda: seconds)
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with ProgressReporter() as progress:
        for number, seconds in ((1, 0.0), (2, 59.0), (3, 61.0), (4, 70.0)):  # noqa: B007 (the clock reads it)
            progress(epoch(number, 100))
        progress(epoch(1, 100))  # the next seed's: a new clock
        progress(Progress("reading train", 3, 3, "trees", {"MB": 2}, finished=True))
    assert stream.getvalue() == "epoch 3: loss 1.5\nepoch 4: loss 1.5\n"


def test_warnings_are_lines_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    record = logging.LogRecord("nntag", logging.WARNING, "", 0, "%s:%d: odd", ("x.txt", 3), None)
    WarningHandler().emit(record)
    assert capsys.readouterr().err == "nntag: warning: x.txt:3: odd\n"


def test_a_wide_table_is_wrapped_in_its_widest_column() -> None:
    rows = [["hidden", "200", "cells of a layer in each direction of reading", 1], ["p", "0.5", "chance", 20]]
    assert format_table(rows, ["name", "value", "what it is", "n"], width=45).splitlines() == [
        "name    value  what it is                 n",
        "hidden  200    cells of a layer in each   1",
        "               direction of reading",
        "p       0.5    chance                    20",
    ]
    assert format_table(rows, width=200) == format_table(rows)
    assert format_table([["x" * 50, "a b"]], width=20) == "x" * 50 + "  a b"
