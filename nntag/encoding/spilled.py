"""Long rows of numbers that are appended to: the last ones in memory, the others in a file without a name."""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

import numpy as np

BLOCK = 1 << 20  # entries in memory, and those that are read back at a time


class SpilledArray:
    """Numbers of one kind, a type code of `array`: appended at the end, read back in any part.

    Memory is that of `BLOCK` entries, whatever their number. The file lies in `folder`, the folder for temporary files
    without one; it has no name, so that nothing is left of it, however the process ends.
    """

    def __init__(self, kind: str, folder: Path | None = None):
        self._tail = array(kind)
        self._folder = folder
        self._file: IO[bytes] | None = None
        self._stored = 0  # entries in the file

    def __len__(self) -> int:
        return self._stored + len(self._tail)

    @property
    def kind(self) -> np.dtype:
        """The kind of the entries, as numpy has it."""
        return np.dtype(self._tail.typecode)

    def append(self, value: int) -> None:
        """One more entry. Raises `OSError`, which names the folder, where its disk is full."""
        self._tail.append(value)
        if len(self._tail) >= BLOCK:
            self._spill()

    def extend(self, values: Iterable[int]) -> None:
        """More entries. Raises `OSError` where the disk is full."""
        self._tail.extend(values)
        if len(self._tail) >= BLOCK:
            self._spill()

    def extend_array(self, values: np.ndarray) -> None:
        """The entries of an array, as `extend`, without a loop over them."""
        self._tail.frombytes(values.astype(self.kind, copy=False).tobytes())
        if len(self._tail) >= BLOCK:
            self._spill()

    def read(self, start: int, stop: int) -> np.ndarray:
        """The entries from `start` up to `stop`, all of them in memory."""
        kind = self.kind
        parts = []
        if self._file is not None and start < self._stored:
            self._file.seek(start * kind.itemsize)
            parts.append(np.frombuffer(self._file.read((min(stop, self._stored) - start) * kind.itemsize), kind))
        if stop > self._stored:
            parts.append(np.array(self._tail[max(0, start - self._stored) : stop - self._stored], kind))
        return parts[0] if len(parts) == 1 else np.concatenate([np.empty(0, kind), *parts])

    def blocks(self, start: int = 0, stop: int | None = None, size: int | None = None) -> Iterator[np.ndarray]:
        """The entries from `start` up to `stop`, or to the end, `BLOCK` or `size` at a time."""
        end, step = len(self) if stop is None else stop, size or BLOCK
        for first in range(start, end, step):
            yield self.read(first, min(first + step, end))

    def map(self) -> np.ndarray:
        """All entries, read-only, memory-mapped where they lie in the file; `close` leaves them as they are."""
        if self._file is None:
            return self.read(0, len(self))
        self._spill()
        return np.memmap(self._file, self.kind, "r")

    def close(self) -> None:
        """Removes the file; the length stays."""
        if self._file is not None:
            self._file.close()

    def _spill(self) -> None:
        try:
            if self._file is None:
                self._file = tempfile.TemporaryFile(dir=self._folder)  # noqa: SIM115 (open until `close`)
            self._file.seek(0, 2)
            self._tail.tofile(self._file)
            self._file.flush()
        except OSError as error:
            if error.filename is None:  # the file has no name that would help
                error.filename = str(self._folder or tempfile.gettempdir())
            raise
        self._stored += len(self._tail)
        del self._tail[:]
