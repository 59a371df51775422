"""The error family: everything that a user can fix, each printed as one line `nntag: error: ...` with exit code 2."""

from __future__ import annotations

import os
from typing import Any


class NntagError(Exception):
    """Something the user can fix; the command line prints it on one line and exits with `exit_code`."""

    exit_code = 2


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
