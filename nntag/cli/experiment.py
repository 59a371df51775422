"""`nntag experiment`."""

from __future__ import annotations

import dataclasses
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from nntag.cli.flags import Device, Json


def experiment_command(
    file: Annotated[
        str | None,
        typer.Argument(help="A table by name (`--list` shows them), a TOML file, or the results.json of a table."),
    ] = None,
    list_rows: Annotated[
        bool, typer.Option("--list", help="Print every row with all its settings; run nothing.")
    ] = False,
    recipe: Annotated[
        str | None,
        typer.Option(
            "--recipe", help="Train all rows with this recipe, instead of the file's recipe and its changes to it."
        ),
    ] = None,
    data: Annotated[
        list[str] | None,
        typer.Option(
            "--data",
            help="Data folder to use instead of the one that the file describes; NAME=FOLDER if it has several "
            "(repeatable).",
        ),
    ] = None,
    same_data: Annotated[
        bool,
        typer.Option(
            "--same-data", help="The corpus is that of the published figures: print the differences from them."
        ),
    ] = False,
    out: Annotated[
        Path | None, typer.Option("--out", help="Folder for runs and results [default: runs/experiments/NAME].")
    ] = None,
    jobs: Annotated[
        int, typer.Option("--jobs", help="Number of runs at a time, each in a process of its own with one thread.")
    ] = 1,
    seeds: Annotated[
        str | None, typer.Option("--seeds", help="Seeds, separated by commas, instead of the file's.")
    ] = None,
    small: Annotated[bool, typer.Option("--small", help="The file's small variant, on a generated sample.")] = False,
    rows: Annotated[list[str] | None, typer.Option("--row", help="Run only this row of the file (repeatable).")] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(
            "--grid", help="Run only these values of an axis of the grid (repeatable).", metavar="NAME=VALUE,VALUE"
        ),
    ] = None,
    assignments: Annotated[list[str] | None, typer.Option("--set", help="A setting of all rows (repeatable).")] = None,
    engine: Annotated[
        str | None,
        typer.Option("--engine", help="ray: each run is a task of Ray, here or, with --address, on a cluster."),
    ] = None,
    address: Annotated[
        str, typer.Option("--address", help="With --engine: address of a running Ray cluster that sees the same files.")
    ] = "",
    device: Device = "cpu",
    json: Json = False,
) -> None:
    """Train a whole table of systems.

    Every system is trained with several seeds; the mean, deviation, best run and learning curves are written.

    Finished runs are kept, interrupted ones continue from their last epoch: the same command again does what is left.
    With --row, --grid or --seeds only that part is run, and added to the table in --out.
    """
    from nntag.cli.printing import note, print_json, print_out
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.config.settings import parse_assignments
    from nntag.errors import RunError, UsageError
    from nntag.experiments.choose import ExperimentOptions
    from nntag.experiments.run import run_experiment
    from nntag.experiments.tables import describe, table_rows
    from nntag.tables import format_table

    options = ExperimentOptions(
        data=_parse_data(data or []),
        out=out,
        jobs=jobs,
        recipe=recipe,
        seeds=_parse_seeds(seeds),
        small=small,
        rows=rows or (),
        grid=_parse_grid(grid or []),
        assignments=parse_assignments(assignments or []),
        same_data=same_data,
        device=device,
        engine=_check_engine(engine, address),
        address=address,
        command="nntag " + shlex.join(sys.argv[1:]),
    )
    if list_rows:
        _print_list(file, options, json)
        return
    if file is None:
        raise UsageError("name a table or a file; `nntag experiment --list` shows the tables that nntag has")
    with ProgressReporter(verbose=True) as progress:  # one line per run, in a pipe too: tables take hours
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


def _print_list(file: str | None, options: Any, json: bool) -> None:
    """The tables that nntag has; or every row of one with all its settings."""
    from nntag.cli.printing import print_json, print_out, print_table
    from nntag.errors import UsageError
    from nntag.experiments.choose import ExperimentOptions
    from nntag.experiments.listing import format_rows, list_rows, list_tables

    if file is None:
        if dataclasses.replace(options, command="") != ExperimentOptions():
            raise UsageError("--list alone shows the tables; with other flags, name the one whose rows are to be shown")
        tables = list_tables()
        print_json({"tables": tables}) if json else print_table([list(table.values()) for table in tables])
        return
    listed = list_rows(file, options)
    print_json(listed) if json else print_out(format_rows(listed))


def _parse_data(given: list[str]) -> str | dict[str, str] | None:
    """One folder, or several by name."""
    if len(given) == 1 and ("=" not in given[0] or Path(given[0]).exists()):
        return given[0]
    from nntag.errors import UsageError

    folders = {}
    for text in given:
        name, equals, folder = text.partition("=")
        if not equals or not folder:
            raise UsageError(f"--data must be NAME=FOLDER when it is given several times, found {text!r}")
        folders[name.strip()] = folder
    return folders or None


def _check_engine(engine: str | None, address: str) -> str | None:
    from nntag.config.fields import unknown_name
    from nntag.config.options.engine import ENGINES
    from nntag.errors import UsageError

    if engine is not None and engine not in ENGINES:
        raise UsageError(unknown_name("--engine", engine, ENGINES))
    if address and engine is None:
        raise UsageError("--address has a meaning with --engine alone")
    return engine


def _parse_seeds(text: str | None) -> tuple[int, ...]:
    from nntag.errors import UsageError

    parts = text.split(",") if text else []
    if not all(part.strip().isdecimal() for part in parts):
        raise UsageError(f"--seeds must be whole numbers separated by commas, found {text!r}")
    return tuple(int(part) for part in parts)


def _parse_grid(axes: list[str]) -> dict[str, list[Any]]:
    from nntag.errors import UsageError

    grid: dict[str, list[Any]] = {}
    for axis in axes:
        name, equals, values = axis.partition("=")
        if not equals or not values:
            raise UsageError(f"--grid must be NAME=VALUE,VALUE, found {axis!r}")
        grid[name.strip()] = [_parse_value(value.strip()) for value in values.split(",")]
    return grid


def _parse_value(text: str) -> Any:
    """As a TOML file would have it, so that the same value of a grid is the same."""
    if text in ("true", "false"):
        return text == "true"
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text
