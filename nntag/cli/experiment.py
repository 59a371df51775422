"""`nntag experiment`."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from nntag.cli.app import app
from nntag.cli.options import Device, Json


@app.command("experiment")
def experiment_command(
    file: Annotated[Path, typer.Argument(help="Experiment file (TOML); experiments/ has the papers' tables.")],
    data: Annotated[
        Path | None, typer.Option("--data", help="Data folder to use, in place of the one that the file describes.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for runs and results [default: runs/experiments/FILE].")
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Runs at a time, each a process with one thread.")] = 1,
    seeds: Annotated[str | None, typer.Option("--seeds", help="Seeds between commas, in place of the file's.")] = None,
    small: Annotated[bool, typer.Option("--small", help="The file's small variant, on a generated sample.")] = False,
    rows: Annotated[list[str] | None, typer.Option("--row", help="Only this row of the file (repeatable).")] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option("--grid", help="NAME=VALUE,VALUE: other values for an axis of the file's grid (repeatable)."),
    ] = None,
    assignments: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=VALUE for a setting of all rows (repeatable).")
    ] = None,
    device: Device = "cpu",
    json: Json = False,
) -> None:
    """Train a whole table of systems.

    Every system is trained with several seeds; mean, deviation, best run and learning curves are written.

    Finished runs are kept and interrupted ones go on from their last epoch: the same command again does what is left.
    """
    from nntag.cli.report import ProgressReporter, format_table, note, print_json, print_out
    from nntag.config.settings import parse_assignments
    from nntag.errors import RunError
    from nntag.experiments.run import ExperimentOptions, run_experiment
    from nntag.experiments.tables import describe, table_rows

    options = ExperimentOptions(
        data=data,
        out=out,
        jobs=jobs,
        seeds=_parse_seeds(seeds),
        small=small,
        rows=rows or (),
        grid=_parse_grid(grid or []),
        assignments=parse_assignments(assignments or []),
        device=device,
        command="nntag " + shlex.join(sys.argv[1:]),
    )
    with ProgressReporter(verbose=True) as progress:  # a line a run, also in a pipe: tables take hours
        result = run_experiment(file, options, progress)
    for text in result.notes:
        note(text)
    if json:
        print_json(result.report)
    else:
        header, cells = table_rows(result.report)
        print_out(format_table(cells, header))
        for text in describe(result.report):
            note(text)
    note(f"wrote {result.out}/results.md, results.json and results.csv")
    if result.failed:
        failed = "; ".join(f"{name}: {reason}" for name, reason in result.failed.items())
        raise RunError(f"{len(result.failed)} runs failed, all others are done: {failed}")


def _parse_seeds(text: str | None) -> tuple[int, ...]:
    from nntag.errors import UsageError

    parts = text.split(",") if text else []
    if not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"--seeds must be whole numbers between commas, found {text!r}")
    return tuple(int(part) for part in parts)


def _parse_grid(axes: list[str]) -> dict[str, list[Any]]:
    from nntag.errors import UsageError

    grid: dict[str, list[Any]] = {}
    for axis in axes:
        name, equals, values = axis.partition("=")
        if not equals or not values:
            raise UsageError(f"--grid wants NAME=VALUE,VALUE, found {axis!r}")
        grid[name.strip()] = [int(v) if v.strip().isdecimal() else v.strip() for v in values.split(",")]
    return grid
