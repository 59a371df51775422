"""`nntag arpa export` and `nntag arpa import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def export_command(
    file: Annotated[Path, typer.Argument(help="ARPA file to write; compressed if its name ends in .gz.")],
    model: Annotated[
        Path | None, typer.Option("--model", help="Run of the n-gram model [default: the newest language model].")
    ] = None,
) -> None:
    """Write the n-gram model of a run as an ARPA file."""
    from nntag.cli.printing import note
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.language_models.ngram.arpa_runs import export_arpa

    with ProgressReporter() as progress:
        run = export_arpa(file, model, progress)
    note(f"wrote {file} from {run}")


def import_command(
    file: Annotated[Path, typer.Argument(help="ARPA file of any toolkit (.gz, .bz2 and .xz too).")],
    out: Annotated[Path | None, typer.Option("--out", help="Run folder to write [default: runs/NAME].")] = None,
    lowercase: Annotated[bool, typer.Option("--lowercase", help="Lowercase text before scoring it.")] = False,
) -> None:
    """Make a run folder from an ARPA file, for `nntag score`, `nntag eval --data FILE` and mixtures."""
    from nntag.cli.printing import note
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.language_models.ngram.arpa_runs import import_arpa
    from nntag.training.runs import RUNS

    with ProgressReporter() as progress:
        weights = import_arpa(file, out or RUNS / file.name.split(".")[0], lowercase, progress)
    note(f"wrote {weights.parent.parent}; next: nntag score --model {weights.parent.parent}")
