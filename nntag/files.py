"""Files that several processes may meet: replaced whole or not at all, and locked by one process at a time."""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from nntag.errors import NntagError

LOCK = ".lock"  # the lock file of a folder; it is there only while a process holds it, or after that was killed
_NO_LOCKS = {getattr(errno, name) for name in ("ENOLCK", "EOPNOTSUPP", "ENOTSUP", "ENOSYS") if hasattr(errno, name)}

logger = logging.getLogger("nntag")


@contextlib.contextmanager
def replace_file(path: Path, shared: bool = False) -> Iterator[Path]:
    """Gives a path beside `path` to write to; that file becomes `path` when the block has ended well.

    Whoever reads `path`, even after a kill or a power cut, finds the old file or the new one, each whole. A block that
    fails leaves the old one, and nothing beside it. What a kill leaves beside it is overwritten the next time; with
    `shared`, for a file that two processes may write at the same time, each has a name of its own there. Raises
    `OSError` with the name of `path`.
    """
    partial = path.with_name(f".{path.name}{f'.{os.getpid()}' if shared else ''}.partial")
    try:
        yield partial
        _flush(partial)
        os.replace(partial, path)
    except OSError as error:
        if error.filename in (None, str(partial)):
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)


@contextlib.contextmanager
def replace_output(path: Path) -> Iterator[Path]:
    """`replace_file` for a file that the user names, which may be a device or a pipe: that is given itself. Raises
    `OSError`, also for a folder."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    is_special = path.exists() and not path.is_file()
    if is_special or path.parts[:2] in (("/", "dev"), ("/", "proc")):  # /dev/stdout may be a file
        yield path
        return
    with replace_file(path, shared=True) as partial:
        yield partial


@contextlib.contextmanager
def replace_files(folder: Path) -> Iterator[Path]:
    """Gives an empty folder to fill; its files take their places in `folder` when the block has ended well."""
    with tempfile.TemporaryDirectory(prefix=".partial-", dir=folder) as name:
        yield Path(name)
        files = sorted(Path(name).iterdir())
        for file in files:
            _flush(file)
        for file in files:
            os.replace(file, folder / file.name)


def _flush(path: Path) -> None:
    """Has the system write a file to disk; before that, a name can outlive a power cut without its content."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


@contextlib.contextmanager
def hold_lock(path: Path, taken: NntagError | None = None) -> Iterator[bool]:
    """Holds the lock whose file is `path` while the block runs; gives False where the file system has no locks.

    The lock is the operating system's: it ends with the process, however that ends. Where another process holds it,
    `taken` is raised, or without `taken` the other's end waited for. Raises `OSError` where the file cannot be made.
    """
    lock = FileLock(path, fallback_to_soft=False)
    held = True
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if taken is not None:
            raise taken from None
        logger.info("%s: another process holds this lock; waiting for it to end", path)
        lock.acquire()
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            raise
        held = False
    try:
        yield held
    finally:
        with contextlib.suppress(OSError):  # Windows does not remove an open file; there the lock does it itself
            path.unlink(missing_ok=True)  # before the release: afterwards it may be another's
        lock.release()
