"""JSON files that are read back: a path and a schema in, the value out; whatever does not fit is one `RunError`."""

from __future__ import annotations

import json
import math
import stat
from pathlib import Path
from typing import Any

from nntag.errors import RunError
from nntag.schema import Anything, Misfit, Schema

LARGEST_FILE = 64 << 20  # bytes; the vocabulary of five million words is about as large
MOST_LISTS = 2_000_000  # of lists and objects in a file: 30 times the memory of their brackets each


def write_json(path: Path, value: Any) -> None:
    """Writes readable UTF-8 JSON, one key a line, with a final newline.

    The bytes of a file name that is no UTF-8 are lone surrogates in Python; written as `\\udcff` they are valid JSON.
    """
    text = json.dumps(without_infinity(value), ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def without_infinity(value: Any) -> Any:
    """The value with null for every number that is infinite or not a number, which JSON cannot hold."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: without_infinity(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_infinity(item) for item in value]
    return value


def read_json(path: Path, schema: Schema = Anything(), what: str = "a file of nntag") -> Any:  # noqa: B008 (frozen)
    """The value of a JSON file of which `what` says what it is; raises `RunError` where it is missing or damaged."""
    try:
        value = decode_json(read_small_file(path))
    except Misfit as error:
        raise RunError(f"{path}: damaged JSON: {error}") from None
    check_json(value, path, schema, what)
    return value


def decode_json(data: bytes | str) -> Any:
    """The value of JSON text that nobody has checked; raises `Misfit`."""
    try:
        text = data if isinstance(data, str) else data.decode("utf-8")
        if text.count("[") + text.count("{") > MOST_LISTS:
            raise Misfit(f"more than {MOST_LISTS:,} lists and objects")
        return json.loads(text)
    except RecursionError:
        raise Misfit("nested too deep") from None
    except ValueError as error:
        raise Misfit(str(error)) from None


def check_json(value: Any, path: Path, schema: Schema, what: str) -> None:
    """Raises `RunError` where the value that stands in the file `path` is not what the schema wants."""
    try:
        schema.check(value, "it")
    except Misfit as error:
        raise RunError(f"{path}: not {what}: {str(error).replace('it.', '', 1)}") from None


def read_small_file(path: Path, largest: int = LARGEST_FILE) -> bytes:
    """The bytes of a file; raises `RunError` for a larger one, and for a device or pipe, which may have no end."""
    check_regular(path)
    try:
        with open(path, "rb") as file:
            data = file.read(largest + 1)
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from None
    if len(data) > largest:
        raise RunError(f"{path}: larger than {largest >> 20} MiB, which no such file of nntag is")
    return data


def check_regular(path: Path) -> None:
    """Raises `RunError` for what is not there, and for a folder, a device or a pipe."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError) as error:  # ValueError: a zero byte in the name
        raise RunError(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    if not stat.S_ISREG(mode):
        raise RunError(f"{path}: not an ordinary file")
