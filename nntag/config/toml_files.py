"""TOML files: a path in, the table of the file out; errors name line and column."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from nntag.errors import DataError, UsageError


def read_toml(path: str | Path) -> dict[str, Any]:
    """Raises `UsageError` for a file that cannot be read, `DataError` for one that is not TOML."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise DataError(path, None, f"not valid TOML: {error}") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at ")  # ... (at line 2, column 12), or (at end of document)
        found = re.match(r"line (\d+), column (\d+)", place)
        line, column = (int(found[1]), int(found[2])) if found else (len(text.splitlines()), None)
        raise DataError(path, line, f"not valid TOML: {reason}", column) from None
