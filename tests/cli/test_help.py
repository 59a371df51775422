"""Help texts: values named as a person would, the terminal's width, completion of commands in a shell."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from nntag.cli.app import COMMANDS
from tests.command_line import run_nntag


@pytest.mark.parametrize("name", [*COMMANDS, "arpa import", "analyse attention"])
def test_values_are_named_as_a_person_would(name: str) -> None:
    text = run_nntag(*name.split(), "--help").out
    assert "Options:" in text
    assert re.findall(r"<\w+\[?.*?>|\bint\b|\bfloat\b|\bstr\b|Path\b|x<=|x>=", re.sub("</s>|<unk>", "", text)) == []


def test_files_folders_and_runs_are_told_apart() -> None:
    text = run_nntag("preprocess", "--help").out
    assert "--train FILE" in text and "--out FOLDER" in text and "--sample-size N" in text
    text = run_nntag("eval", "--help").out
    assert "--model RUN" in text and "[runs]..." in text and "--output FILE" in text


def test_help_is_as_wide_as_the_terminal_up_to_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    widths = {}
    for columns in (60, 100, 300):
        monkeypatch.setenv("COLUMNS", str(columns))
        widths[columns] = max(map(len, run_nntag("train", "--help").out.splitlines()))
    assert widths[60] <= 60 < widths[100] <= 100 < widths[300] <= 120


def test_flags_say_for_which_models_they_are() -> None:
    text = " ".join(run_nntag("train", "--help").out.split())
    assert "Taggers and tree models: pre-trained vectors" in text


def test_a_shell_completes_commands_and_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    def complete(words: str) -> list[str]:
        environment = {"_NNTAG_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
        root = str(Path(__file__).parents[2])
        program = "import sys; sys.argv = ['nntag']; from nntag.cli.main import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", program], env={**environment, "PYTHONPATH": root}, capture_output=True, text=True
        )
        return done.stdout.split()

    assert complete("nntag tr") == ["train"]
    assert "--word-vectors" in complete("nntag train --wo")
