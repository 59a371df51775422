"""Flags that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

Device = Annotated[str, typer.Option("--device", help="cpu, cuda, cuda:N, or auto (a GPU where there is one).")]
Threads = Annotated[
    int, typer.Option("--threads", help="Threads of torch's products; more than one seldom helps models of this size.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object instead of tables.")]
SkipBad = Annotated[bool, typer.Option("--skip-bad", help="Leave bad sentences out, list them on stderr, and go on.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="A line on stderr for each epoch, also in a pipe.")]
