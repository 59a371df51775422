"""`nntag plot`: run folders in, one picture of their epochs out."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nntag.commands.epoch_plots import draw_epochs
from nntag.errors import RunError, UsageError
from nntag.experiments.curves import plots_are_possible
from nntag.training.checkpoint import read_identity
from nntag.training.trainer import LOG

SUFFIXES = (".png", ".svg", ".pdf")


def plot_runs(runs: Sequence[str | Path], out: str | Path) -> list[str]:
    """Draws time, training loss and scores of each epoch; runs of one model share a colour. Returns the models drawn.

    Raises `UsageError` without matplotlib and for a file name of another kind, `RunError` for what is no run.
    """
    if not plots_are_possible():
        raise UsageError("plots need matplotlib: pip install 'nntag[plots]'")
    if Path(out).suffix not in SUFFIXES:
        raise UsageError(f"--out must end in {', '.join(SUFFIXES)}, found {str(out)!r}")
    if not runs:
        raise UsageError("name one run folder at least")
    logs: dict[str, list[list[dict[str, Any]]]] = {}
    for run in map(Path, runs):
        if not (run / LOG).is_file():
            raise RunError(f"{run}: no run folder (no {LOG} in it)")
        config, _ = read_identity(run / "last" if (run / "last").is_dir() else run / "best")
        logs.setdefault(config["settings"]["name"], []).append(_read_log(run))
    try:
        draw_epochs(logs, Path(out))
    except OSError as error:
        raise UsageError(f"{out}: cannot write the plot: {error.strerror}") from None
    return list(logs)


def _read_log(run: Path) -> list[dict[str, Any]]:
    path = run / LOG
    try:
        entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    except ValueError as error:
        raise RunError(f"{path}: not the log of a run: {error}") from None
    if not entries:
        raise RunError(f"{path}: no epoch is done yet")
    return entries
