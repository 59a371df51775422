"""A large file -> parts of whole sentences, each read alone as if it stood in the whole file; no torch, no engine.

Plain text and other formats of one sentence a line are cut at line ends, CoNLL-U behind blank lines. Packed files and
other formats are one part.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from nntag.corpora.lines import Lines, is_blank, lines_from_bytes, open_lines
from nntag.corpora.packing import OPENERS
from nntag.errors import DataError

_BLOCK = 1 << 20


@dataclass(frozen=True)
class Part:
    """A stretch of a file: bytes `start` to `end`, which begin at `first_line` (from 1)."""

    path: str
    start: int
    end: int | None  # None: a whole file, read as it is
    first_line: int = 1


def cut_file(path: Path, size: int, cut: str | None) -> tuple[list[Part], str]:
    """The parts of a file and its SHA-256, in one pass; `cut`: "lines", "blocks" (at blank lines), or None (nowhere).

    A part holds `size` bytes and what is left of the sentence that they end in. Raises `DataError` for an unreadable
    file.
    """
    whole = cut is None or path.suffix.lower() in OPENERS
    digest = hashlib.sha256()
    parts: list[Part] = []
    start, line = 0, 1
    try:
        with open(path, "rb") as file:
            for length, lines in _measure(file, size, cut == "blocks", digest.update):
                parts.append(Part(str(path), start, start + length, line))
                start, line = start + length, line + lines
    except OSError as error:
        raise DataError(path, None, f"cannot be read: {error.strerror or error}") from None
    return [Part(str(path), 0, None)] if whole or not parts else parts, digest.hexdigest()


def _measure(file: BinaryIO, size: int, blocks: bool, see: Callable[[bytes], object]) -> Iterator[tuple[int, int]]:
    """Bytes and line ends of each part; every byte is shown to `see`."""
    carried = b""  # the first line of a part that was read to find the end of the one before
    while True:
        length, ends, last = len(carried), carried.count(b"\n"), carried
        while length < size and (data := file.read(min(_BLOCK, size - length))):
            see(data)
            length, ends, last = length + len(data), ends + data.count(b"\n"), data
        if not length:
            return
        carried, is_blank_above = b"", False
        while blocks or not last.endswith(b"\n"):
            is_rest, last = not last.endswith(b"\n"), file.readline()
            see(last)
            if not last:
                break
            if is_blank_above and not is_blank(last):
                carried = last
                break
            length, ends, is_blank_above = length + len(last), ends + 1, is_blank(last) and not is_rest
        yield length, ends


def open_part(part: Part) -> Lines:
    """The lines of a part, with the numbers that they have in the whole file."""
    if part.end is None:
        return open_lines(part.path)
    with open(part.path, "rb") as file:
        file.seek(part.start)
        lines = lines_from_bytes(file.read(part.end - part.start), part.path)
    lines.first_number = part.first_line
    return lines
