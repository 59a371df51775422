"""Progress on stderr: a bar on a terminal; elsewhere a line for each stage that is done, if wanted or long."""

from __future__ import annotations

import sys
import time
from datetime import timedelta
from typing import Any

from nntag.progress import Progress

LONG_SECONDS = 60.0  # off a terminal, rounds such as epochs are told from then on


class ProgressReporter:
    """Shows progress on stderr.

    On a terminal a bar; elsewhere one line per finished stage with `verbose`, and without it the epochs of a training
    that has gone on for a minute.
    """

    def __init__(self, verbose: bool = False):
        self._terminal = sys.stderr.isatty()
        self._verbose = verbose
        self._bar: Any = None
        self._task: Any = None
        self._stage = ""
        self._started = 0.0
        self._clock: RoundsClock | None = None

    def __enter__(self) -> ProgressReporter:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if progress.rounds and (self._clock is None or self._clock.is_over(progress)):
            self._clock = RoundsClock(progress, now)
        if progress.finished and (progress.values or self._verbose):
            self._print_line(progress, now)
        if self._terminal:
            self._move_bar(progress, now)

    def _move_bar(self, progress: Progress, now: float) -> None:
        if self._bar is None:
            self._start_bar()
        if progress.stage != self._stage:
            self._stage, self._started = progress.stage, now
            name = f"{progress.stage}/{progress.rounds[1]}" if progress.rounds else progress.stage
            self._bar.reset(self._task, total=progress.total, description=name)
        seconds = max(now - self._started, 1e-9)
        values = [f"{progress.done / seconds:,.0f} {progress.unit}/s"]
        values += [f"{name} {value:.4g}" for name, value in progress.values.items() if not progress.finished]
        if progress.total and progress.done:
            values.append(f"{_duration(seconds / progress.done * (progress.total - progress.done))} left")
        if progress.rounds and self._clock and (left := self._clock.seconds_left(progress, now)) is not None:
            values.append(f"at most {_duration(left)} in all")
        self._bar.update(self._task, completed=progress.done, total=progress.total, values="  ".join(values))

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        console = Console(stderr=True, markup=False, highlight=False)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[values]}", markup=False),
        )
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task("", total=None, values="")
        self._bar.start()

    def _print_line(self, progress: Progress, now: float) -> None:
        takes_long = progress.rounds is not None and self._clock is not None and self._clock.runs_long(now)
        if not (self._terminal or self._verbose or takes_long):
            return
        values = ", ".join(
            _name_value(name, value, name in progress.shares)
            for name, value in progress.values.items()
            if name != "epoch"
        )
        values = values or f"{progress.done:,} {progress.unit}"
        line = f"{progress.stage}: {values}"
        if self._bar is not None:
            self._bar.console.print(line, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)


class RoundsClock:
    """How long rounds that take about as long as each other, such as epochs, have gone on and may still go on."""

    def __init__(self, first: Progress, now: float):
        self._last = first.rounds[0] if first.rounds else 0
        self._begin, self._started = _rounds_done(first), now  # a resumed run begins in the middle

    def is_over(self, progress: Progress) -> bool:
        """Whether `progress` belongs to other rounds: those of the next seed begin at the first again."""
        assert progress.rounds is not None
        before, self._last = self._last, progress.rounds[0]
        return self._last < before

    def runs_long(self, now: float) -> bool:
        """Whether the rounds have gone on long enough for each to be told."""
        return now - self._started >= LONG_SECONDS

    def seconds_left(self, progress: Progress, now: float) -> float | None:
        """The time to the end of the last round, if none of them is left out; None where nothing tells."""
        assert progress.rounds is not None
        place = _rounds_done(progress)
        passed = place - self._begin
        return (now - self._started) / passed * (progress.rounds[1] - place) if passed > 0 else None


def _rounds_done(progress: Progress) -> float:
    """How many rounds are done, in part too."""
    return (progress.rounds[0] if progress.rounds else 1) - 1 + progress.done / (progress.total or 1)


def _duration(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


def _name_value(name: str, value: object, is_share: bool) -> str:
    """`dev_accuracy` 0.9 as `dev accuracy 90.00 %` where it is a share, other figures as they are."""
    if isinstance(value, float):
        value = f"{100 * value:.2f} %" if is_share else f"{value:.4g}"
    return f"{name.replace('_', ' ')} {value}"
