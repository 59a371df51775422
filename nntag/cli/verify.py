"""`nntag verify`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def verify_command(
    folders: Annotated[list[Path], typer.Argument(help="Data folders and run folders.", show_default=False)],
) -> None:
    """Check data and run folders byte by byte.

    Every command compares the files that it opens with the SHA-256 sums that were written with them, but of files of
    more than 64 MiB only the size; `verify` reads those too, and loads the models. One line for each folder; exit code
    2 names the first file that is missing, damaged or changed.
    """
    from nntag.cli.printing import print_out
    from nntag.commands.verify import verify
    from nntag.errors import NntagError, RunError

    faults: list[NntagError] = []
    for folder in folders:
        try:
            print_out(verify(folder).describe())
        except NntagError as error:
            if len(folders) == 1:
                raise
            faults.append(error)
            print_out(f"{folder}: bad: {error}")
    if faults:
        raise RunError(f"{len(faults)} of {len(folders)} folders are bad; the first: {faults[0]}")
