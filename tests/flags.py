"""Random command lines: the parameters of every command in, one process of its own a line out."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import typer.main

from nntag.cli.app import build_app
from nntag.errors import LONGEST_MESSAGE
from tests.command_line import run_nntag
from tests.hostile import FOLDERS, in_a_process

NUMBERS = ("0", "-1", "1", "2", "1.5", "1e400", "nan", "inf", "9" * 400, "0.1,0.2")
WORDS = ("", " ", "-", "--", "x", "none", "true", "é", "\udcff", "a=b", "=", "x" * 5_000, "a\nb", "[dcl]", "cuda:99")
VALUES = (*NUMBERS, *WORDS, "hidden=9", "model.layers=-1", "/dev/null", "/nowhere/x", ".")
LONG = ("train", "experiment")  # which may go on for longer than a try may take


class FlagsFuzzer:
    """Command lines on small folders."""

    def __init__(self, folder: Path):
        self.here = folder / "commands"
        shutil.copytree(FOLDERS, self.here)
        (self.here / "text.txt").write_text("the old dog saw it .\n")
        self.commands = dict(_list_commands(typer.main.get_command(build_app()), ()))
        runs = [f"runs/{path.name}" for path in (self.here / "runs").iterdir()]
        data = [f"data/{path.name}" for path in (self.here / "data").iterdir()]
        self.paths = (*runs, *data, "text.txt", "out", "data/tagging/train.tsv", "data/trees/dev.txt")

    def try_one(self, rng: random.Random) -> str:
        """What was wrong with how one random command line ended; "" for nothing."""
        words = rng.choice(list(self.commands))
        line = [*words, *self._arguments(words, rng)]
        ended = in_a_process(lambda: self._run(line), self.here, may_be_long=words[0] in LONG)
        return f"{line}: {ended}" if ended else ""

    def _arguments(self, words: tuple[str, ...], rng: random.Random) -> list[str]:
        found: list[str] = []
        for parameter in self.commands[words]:
            if rng.random() > (0.8 if parameter.param_type_name == "argument" else 0.12):
                continue
            value = rng.choice(VALUES if rng.random() < 0.5 else self.paths)
            if parameter.param_type_name == "argument":
                found.append(value)
            else:
                name = rng.choice([*parameter.opts, *parameter.secondary_opts])
                found += [name] if getattr(parameter, "is_flag", False) else [name, value]
        return found

    def _run(self, line: list[str]) -> str:
        done = run_nntag(*line, stdin=b"the old dog saw it .\n")
        longest = max(map(len, done.errors), default=0) - len("nntag: error: ")
        if done.code == 0 or (done.code == 2 and "Traceback" not in done.err and longest <= LONGEST_MESSAGE + 60):
            return ""
        return f"exit {done.code}, {done.err[-300:]!r}"


def _list_commands(group: Any, before: tuple[str, ...]) -> Any:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _list_commands(command, (*before, name))
        else:
            yield (*before, name), [p for p in command.params if p.name != "help"]
