"""Progress on stderr: a bar on a terminal; elsewhere nothing, or one line per finished stage."""

from __future__ import annotations

import sys
import time
from typing import Any

from nntag.progress import Progress


class ProgressReporter:
    """Shows progress on stderr: a bar on a terminal; elsewhere nothing, or one line per finished stage (`verbose`)."""

    def __init__(self, verbose: bool = False):
        self._terminal = sys.stderr.isatty()
        self._verbose = verbose
        self._bar: Any = None
        self._task: Any = None
        self._stage = ""
        self._started = 0.0

    def __enter__(self) -> ProgressReporter:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        if progress.finished and progress.values:
            self._print_line(progress)
        if not self._terminal:
            return
        if self._bar is None:
            self._start_bar()
        if progress.stage != self._stage:
            self._stage, self._started = progress.stage, time.monotonic()
            self._bar.reset(self._task, total=progress.total, description=progress.stage)
        seconds = max(time.monotonic() - self._started, 1e-9)
        values = [f"{progress.done / seconds:,.0f} {progress.unit}/s"]
        values += [f"{name} {value:.4g}" for name, value in progress.values.items() if not progress.finished]
        self._bar.update(self._task, completed=progress.done, total=progress.total, values="  ".join(values))

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True, markup=False, highlight=False)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[values]}", markup=False),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task("", total=None, values="")
        self._bar.start()

    def _print_line(self, progress: Progress) -> None:
        if not (self._terminal or self._verbose):
            return
        values = ", ".join(
            _name_value(name, value, name in progress.shares)
            for name, value in progress.values.items()
            if name != "epoch"
        )
        line = f"{progress.stage}: {values}"
        if self._bar is not None:
            self._bar.console.print(line, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)


def _name_value(name: str, value: object, is_share: bool) -> str:
    """`dev_accuracy` 0.9 as `dev accuracy 90.00 %` where it is a share, other figures as they are."""
    if isinstance(value, float):
        value = f"{100 * value:.2f} %" if is_share else f"{value:.4g}"
    return f"{name.replace('_', ' ')} {value}"
