"""What the commands write: results on stdout, as text or JSON; remarks and warnings on stderr."""

from __future__ import annotations

import json
import logging
import shutil
import sys
from collections.abc import Sequence
from typing import Any

from nntag.json_files import without_infinity
from nntag.tables import format_table


def write_out(data: bytes) -> None:
    """Writes bytes to stdout at once."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_out(text: str = "") -> None:
    """Prints one result line to stdout."""
    write_out(f"{text}\n".encode("utf-8", "surrogateescape"))


def print_table(rows: Sequence[Sequence[object]], header: Sequence[str] = ()) -> None:
    """Prints a table, on a terminal wrapped at its width; elsewhere every row has one line."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    print_out(format_table(rows, header, width=width))


def print_json(value: Any) -> None:
    """Prints one JSON object to stdout; null stands for a number that is not finite."""
    print_out(json.dumps(without_infinity(value), ensure_ascii=False, indent=1))


def note(text: str) -> None:
    """Prints a remark to stderr: which run was taken, what was written where."""
    print(f"nntag: {text}", file=sys.stderr)


class WarningHandler(logging.Handler):
    """Prints the package's remarks to stderr as `nntag: ...`, its warnings as `nntag: warning: ...`."""

    def emit(self, record: logging.LogRecord) -> None:
        level = f"{record.levelname.lower()}: " if record.levelno > logging.INFO else ""
        note(f"{level}{record.getMessage()}")
