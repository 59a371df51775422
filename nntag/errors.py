"""The error family: everything that a user can fix, each printed as one line `nntag: error: ...` with exit code 2."""

from __future__ import annotations

import os
from typing import Any

LONGEST_MESSAGE = 500  # characters


def cut(text: str, longest: int) -> str:
    """The text, or of a longer one its beginning and its end with the number of its characters between them."""
    if len(text) <= longest:
        return text
    mark = f" ... ({len(text):,} characters) ... "
    kept = max(0, longest - len(mark))
    tail = kept // 3
    return text[: kept - tail] + mark + text[len(text) - tail :]


class NntagError(Exception):
    """Something the user can fix; the command line prints it on one line and exits with `exit_code`.

    Whatever a message quotes, the middle of a long one is cut: a damaged file can hold a field of megabytes.
    """

    exit_code = 2

    def __init__(self, message: str = ""):
        super().__init__(cut(message, LONGEST_MESSAGE))


class UsageError(NntagError):
    """A flag, a name or a configuration value that cannot be used."""


class RunError(NntagError):
    """A run folder, data folder or weights file that is missing, damaged or does not fit."""


class DataError(NntagError):
    """A fault in an input file, with its place: `FILE:LINE: reason` or `FILE:LINE:COLUMN: reason` (from 1)."""

    def __init__(self, path: str | os.PathLike[str], line: int | None, reason: str, column: int | None = None):
        self.path, self.line, self.column, self.reason = str(path), line, column, reason
        place = ":".join(str(part) for part in (path, line, column) if part is not None)
        super().__init__(f"{place}: {reason}")

    def __reduce__(self) -> tuple[Any, ...]:
        return DataError, (self.path, self.line, self.reason, self.column)
