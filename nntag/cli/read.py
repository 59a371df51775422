"""`nntag read`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nntag.cli.app import app
from nntag.cli.options import SkipBad


@app.command("read")
def read_command(
    format: Annotated[
        str, typer.Argument(help="Format of the file: ccgbank, ptb, conllu, columns, piped, pmb, text, ...")
    ],
    file: Annotated[str, typer.Argument(help="File to read; - is standard input.")],
    answers: Annotated[Path | None, typer.Argument(help="sherlock: the file with the answers.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line for each record.")] = False,
    dim: Annotated[int | None, typer.Option("--dim", help="vectors: their dimension.")] = None,
    column: Annotated[str | None, typer.Option("--column", help="Which column holds the tags.")] = None,
    skip_bad: SkipBad = False,
) -> None:
    """Print what a reader makes of a file."""
    import json as json_module

    from nntag.cli.report import note, print_out
    from nntag.commands.read import read_records

    count = 0
    for record in read_records(format, file, dim=dim, answers=answers, column=column, skip_bad=skip_bad):
        count += 1
        if json:
            print_out(json_module.dumps(record, ensure_ascii=False))
        else:
            print_out("  ".join(f"{key}={_short(value)}" for key, value in record.items()))
    note(f"{file}: {count} records read as {format}")


def _short(value: object) -> str:
    return " ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
