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


def test_warnings_are_lines_of_ours(capsys: pytest.CaptureFixture[str]) -> None:
    record = logging.LogRecord("nntag", logging.WARNING, "", 0, "%s:%d: odd", ("x.txt", 3), None)
    WarningHandler().emit(record)
    assert capsys.readouterr().err == "nntag: warning: x.txt:3: odd\n"
