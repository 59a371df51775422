"""A file, a compressed file or standard input -> its numbered lines, decoded as UTF-8 whatever the locale says.

Lines end at LF or CRLF and nowhere else; a byte order mark is dropped at the very start only; bytes that are not UTF-8
are a `DataError` with line and column. A line is handed on as soon as it has arrived, and only one is held at a time.
Readers take raw lines and decode them where they parse an item, so that one bad byte spoils one item and not the file.
"""

from __future__ import annotations

import io
import lzma
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

from nntag.corpora.lookalikes import CHECKED_LINES, Check
from nntag.corpora.packing import OPENERS
from nntag.corpora.records import Place
from nntag.errors import DataError

RawLine = tuple[int, bytes]  # line number from 1, bytes with the line end

STDIN = "<stdin>"
_BOM = b"\xef\xbb\xbf"


class ByteStream(Protocol):
    """What an open binary file is to `Lines`."""

    def __iter__(self) -> Iterator[bytes]: ...

    def fileno(self) -> int: ...


class Lines:
    """The lines of one input; `path` is its name in messages. Files can be iterated again, standard input cannot."""

    def __init__(
        self, path: str, open_stream: Callable[[], AbstractContextManager[ByteStream]], arriving: bool = False
    ):
        """`arriving`: a pipe or a terminal, whose lines may take long to arrive."""
        self.path = path
        self.keep_marks = False  # what is tagged comes back line by line, with its marks; see `marks`
        self.waiting = False  # the next line has not arrived yet, asking for it may take long
        self.first_number = 1  # of the first line; another one where these are lines of a larger file
        self._open_stream, self._is_arriving = open_stream, arriving
        self._readers: tuple[str, ...] = ()  # what the lines are read as; without any: as anything

    def expect(self, reader: str, *also: str) -> None:
        """Lets `raw` raise DataError for a file that is of another kind than this reader's; see `lookalikes`.

        `also`: readers whose files this one takes too.
        """
        self._readers = (reader, *also)

    def __iter__(self) -> Iterator[tuple[int, str]]:
        for number, raw in self.raw():
            yield number, self.decode(number, raw)

    def raw(self) -> Iterator[RawLine]:
        """Undecoded lines with their line ends, without the byte order mark. Raises DataError where reading fails."""
        number = 0
        check = Check(*self._readers) if self._readers and self.first_number == 1 else None
        try:
            with self._open_stream() as stream:
                lines = self._arriving(stream.fileno()) if self._is_arriving else stream
                for number, raw in enumerate(lines, start=self.first_number):
                    if number == 1:
                        raw = raw.removeprefix(_BOM)
                    if check is not None:
                        self._refuse(number, check.see(number, raw))
                        if number == CHECKED_LINES:
                            self._refuse(1, check.conclude())
                            check = None
                    yield number, raw
                if check is not None:
                    self._refuse(1, check.conclude())
        except OSError as error:  # a missing file, a folder, a damaged gzip header
            raise self.fault(None, f"cannot be read: {error.strerror or error}") from error
        except (EOFError, zlib.error, lzma.LZMAError) as error:
            where = "after this line" if number else "from its first line on"
            raise self.fault(number or None, f"the compressed file is damaged {where}: {error}") from error

    def _refuse(self, number: int, reason: str | None) -> None:
        if reason is not None:
            raise self.fault(number, reason)

    def _arriving(self, descriptor: int) -> Iterator[bytes]:
        """The lines of a pipe or terminal as they arrive, keeping `waiting` up to date."""
        rest: list[bytes] = []  # the pieces of a line whose end has not arrived
        while chunk := os.read(descriptor, 1 << 16):
            *complete, last = chunk.split(b"\n")
            for number, line in enumerate(complete, start=1):
                self.waiting = number == len(complete)
                yield b"".join([*rest, line, b"\n"])
                rest = []
            rest.append(last)
        self.waiting = False
        if any(rest):
            yield b"".join(rest)

    def decode(self, number: int, raw: bytes) -> str:
        """The text of a raw line, without its line end."""
        raw = raw[:-2] if raw.endswith(b"\r\n") else raw.removesuffix(b"\n")
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError as error:
            column = len(raw[: error.start].decode("utf-8")) + 1
            byte = raw[error.start]
            raise self.fault(number, f"expected UTF-8, found the byte 0x{byte:02x} ({error.reason})", column) from error

    def blocks(self) -> Iterator[list[RawLine]]:
        """Raw lines in blocks: blank lines, then a run of other lines, then the one blank line that ends it.

        Together the blocks hold every line; the last one may hold blank lines only.
        """
        block: list[RawLine] = []
        started = False
        for number, raw in self.raw():
            block.append((number, raw))
            if not is_blank(raw):
                started = True
            elif started:
                yield block
                block, started = [], False
        if block:
            yield block

    def fault(self, line: int | None, reason: str, column: int | None = None) -> DataError:
        """The error for a place in this input; what cannot be shown on a terminal is escaped in it."""
        if not reason.isprintable():
            reason = "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in reason)
        return DataError(self.path, line, reason, column)

    def place(self, line: int) -> Place:
        """Where the record that starts on line `number` comes from."""
        return Place(self.path, line)


def is_blank(raw: bytes) -> bool:
    """Whether a raw line holds nothing but spaces and tabs before its LF or CRLF."""
    if raw[:1] > b" ":  # most lines
        return False
    return not (raw[:-2] if raw.endswith(b"\r\n") else raw.removesuffix(b"\n")).strip(b" \t")


def split_spaces(text: str) -> list[str]:
    """The parts of a line between runs of ASCII spaces and tabs; other Unicode spaces are part of a token."""
    parts = text.replace("\t", " ").split(" ")
    return parts if "" not in parts else [part for part in parts if part]


def open_lines(path: str | os.PathLike[str]) -> Lines:
    """The lines of a file (`.gz`, `.bz2` and `.xz` are unpacked on the way), or of standard input for `-`."""
    name = os.fspath(path)
    if name == "-":
        return Lines(STDIN, _standard_input, arriving=True)
    if unpack := OPENERS.get(Path(name).suffix.lower()):
        return Lines(name, lambda: unpack(name, "rb"))
    return Lines(name, lambda: open(name, "rb"), arriving=Path(name).is_fifo())


def lines_from_bytes(data: bytes, path: str = "<bytes>") -> Lines:
    """The lines of bytes in memory, read by the same rules as a file."""
    return Lines(path, lambda: io.BytesIO(data))


def _standard_input() -> AbstractContextManager[ByteStream]:
    return nullcontext(sys.stdin.buffer)  # left open: it is not ours to close
