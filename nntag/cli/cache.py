"""`nntag cache`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nntag.cli.flags import Json

MEGABYTE = 10**6


def cache_command(
    folder: Annotated[Path, typer.Argument(help="Folder of data folders, or one of them.")] = Path("data/processed"),
    clear: Annotated[
        bool, typer.Option("--clear", help="Remove all of them; they are computed again when needed.")
    ] = False,
    json: Json = False,
) -> None:
    """List or remove the contextual vectors kept beside data folders.

    `nntag train --contextual` computes them once for each encoder and text.
    """
    import datetime

    from nntag.cli.printing import note, print_json, print_out
    from nntag.commands.cache import list_vectors, remove_vectors
    from nntag.tables import format_table

    found = list_vectors(folder)
    if json:
        print_json({"sets": [{"file": str(item.path), "bytes": item.bytes, "used": item.used} for item in found]})
    elif found and not clear:
        times = [f"{datetime.datetime.fromtimestamp(item.used):%Y-%m-%d %H:%M}" for item in found]
        rows = [[item.path.stem, item.bytes / MEGABYTE, time] for item, time in zip(found, times, strict=True)]
        print_out(format_table(rows, ["encoder and key", "MB", "last used"]))
    if clear:
        note(f"removed {remove_vectors(folder) / MEGABYTE:.1f} MB of contextual vectors")
    elif found:
        note(f"{sum(item.bytes for item in found) / MEGABYTE:.1f} MB; `nntag cache --clear` removes them")
    else:
        note(f"{folder}: no contextual vectors are kept there")
