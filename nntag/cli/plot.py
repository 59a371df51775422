"""`nntag plot`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def plot_command(
    runs: Annotated[list[Path], typer.Argument(help="Run folders.")],
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="Picture to write: .png, .svg or .pdf.")] = Path(
        "epochs.svg"
    ),
    means: Annotated[
        bool,
        typer.Option(
            "--means", help="Draw runs that differ only in their seed as one line: their mean, within a band."
        ),
    ] = False,
) -> None:
    """Draw the epochs of runs side by side.

    Time, training loss and dev score of every epoch, and the score on the training data where it was logged (`nntag
    train --set score_train=true`). Runs that differ only in their seed share a colour; labels name what else the runs
    of one model differ in.
    """
    from nntag.cli.printing import note
    from nntag.commands.plot import plot_runs

    models = plot_runs(runs, out, means)
    note(f"drew {len(runs)} run{'s' if len(runs) > 1 else ''} of {'; '.join(models)} to {out}")
