"""A folder of vectors that were computed before: keys in, memory-mapped arrays in half precision out.

A set of vectors is one `.npy` file, written beside its final place and renamed when complete. All sets together stay
under a limit: those that were not used for longest go first.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nntag.encoding.array_files import map_array
from nntag.errors import RunError, UsageError
from nntag.files import hold_lock, replace_file

CACHE = "contextual-cache"  # the folder's name, beside the data folders
GIGABYTE = 10**9


@dataclass(frozen=True, slots=True)
class CachedSet:
    """One file of vectors."""

    path: Path
    bytes: int
    used: float  # seconds since 1970: when a run last used it


class VectorCache:
    """The sets of vectors in one folder, which need not exist yet."""

    def __init__(self, folder: Path, limit: float = math.inf):
        """`limit`: most bytes of all sets together."""
        self.folder, self.limit = folder, limit

    def load(self, key: str, rows: int) -> np.ndarray | None:
        """float16[rows, L, D], read from the disk as it is needed; None where it is absent or damaged."""
        path = self._path(key)
        try:
            found = map_array(path)
            if found.dtype != np.float16 or found.ndim != 3 or len(found) != rows:
                return None
            os.utime(path)
        except (OSError, ValueError):
            return None
        return found

    def store(self, key: str, shape: tuple[int, int, int], fill: Callable[[np.ndarray], None]) -> np.ndarray:
        """The set that `fill` writes into an array of zeros, kept under `key`.

        Raises `UsageError` for a set that is larger than the limit, `RunError` where the disk has no room.
        """
        size = 2 * int(np.prod(shape))
        if size > self.limit:
            raise UsageError(
                f"the contextual vectors take {size / GIGABYTE:.1f} GB, more than contextual_cache_gb="
                f"{self.limit / GIGABYTE:g}; raise it, or take fewer layers (--set contextual_layers=4)"
            )
        path = self._path(key)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._make_room(size)
            with hold_lock(self.folder / f".{path.name}.lock"):
                found = self.load(key, shape[0])
                return self._write(path, shape, fill) if found is None else found  # another process was faster
        except OSError as error:
            raise RunError(f"{path}: cannot write the contextual vectors: {error.strerror or error}") from None

    def _write(self, path: Path, shape: tuple[int, int, int], fill: Callable[[np.ndarray], None]) -> np.ndarray:
        with replace_file(path) as partial:
            array = np.lib.format.open_memmap(partial, mode="w+", dtype=np.float16, shape=shape)
            _reserve(partial)
            fill(array)
            array.flush()
        return array

    def sets(self) -> list[CachedSet]:
        """What is there, longest unused first."""
        found = []
        for path in self.folder.glob("*.npy"):
            with contextlib.suppress(OSError):  # removed by another process meanwhile
                status = path.stat()
                found.append(CachedSet(path, status.st_size, status.st_mtime))
        return sorted(found, key=lambda item: (item.used, item.path))

    def clear(self) -> int:
        """Removes all sets and what killed runs left; returns how many bytes that gave back. Raises `RunError`."""
        found = self.sets()
        try:
            for item in found:
                item.path.unlink(missing_ok=True)
            self._remove_leftovers()
            if self.folder.is_dir() and not any(self.folder.iterdir()):
                self.folder.rmdir()
        except OSError as error:
            raise RunError(f"{error.filename}: cannot remove: {error.strerror}") from None
        return sum(item.bytes for item in found)

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}.npy"

    def _make_room(self, size: int) -> None:
        """Removes the sets unused for longest until `size` more bytes fit under the limit."""
        self._remove_leftovers()
        found = self.sets()
        total = sum(item.bytes for item in found)
        for item in found:
            if total + size <= self.limit:
                return
            item.path.unlink(missing_ok=True)  # a run that reads it keeps it until it ends
            total -= item.bytes

    def _remove_leftovers(self) -> None:
        """A killed writer leaves the file of its lock, which can be taken, and what it has written so far."""
        for lock in self.folder.glob(".*.npy.lock"):
            taken = UsageError(f"{lock}: another process is writing this set")
            with contextlib.suppress(UsageError), hold_lock(lock, taken) as is_alone:
                if is_alone:
                    lock.with_suffix(".partial").unlink(missing_ok=True)


def _reserve(path: Path) -> None:
    """Takes the file's blocks now: a full disk is an error here, but a crash once memory-mapped pages are written."""
    if hasattr(os, "posix_fallocate"):
        with path.open("r+b") as file:
            os.posix_fallocate(file.fileno(), 0, path.stat().st_size)
