"""`nntag read`."""

from __future__ import annotations

from typing import Annotated

import typer

from nntag.cli.flags import with_flags
from nntag.config.options.preprocess import ReadOptions
from nntag.corpora.formats import FORMATS, describe_columns

HELPS = {"format": f"Format of the file: {', '.join(FORMATS)}.", "column": f"Which tags: {describe_columns()}."}


@with_flags(ReadOptions, HELPS)
def read_command(
    options: ReadOptions,
    json: Annotated[
        bool, typer.Option("--json", help="One JSON object per record, each on a line of its own.")
    ] = False,
) -> None:
    """Print what a reader makes of a file."""
    import json as json_module

    from nntag.cli.printing import note, print_out
    from nntag.commands.read import read_records

    count = 0
    for record in read_records(options):
        count += 1
        if json:
            print_out(json_module.dumps(record, ensure_ascii=False))
        else:
            print_out("  ".join(f"{key}={_shorten(value)}" for key, value in record.items()))
    note(f"{options.file}: {count} records read as {options.format}")


def _shorten(value: object) -> str:
    return " ".join(str(item) for item in value) if isinstance(value, list | tuple) else str(value)
