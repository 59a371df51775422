"""The folder of cached vectors: whole files or none, a limit, and damage that is noticed."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from nntag.encoding.contextual.cache import VectorCache
from nntag.errors import RunError, UsageError

SHAPE = (100, 2, 5)  # 2,000 bytes and a header


def fill_with(value: float):  # type: ignore[no-untyped-def]
    def fill(array: np.ndarray) -> None:
        array[:] = value

    return fill


def test_what_is_stored_is_loaded(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "cache", 10_000)
    assert cache.load("one", 100) is None
    stored = cache.store("one", SHAPE, fill_with(1.5))
    found = cache.load("one", 100)
    assert found is not None and found.shape == SHAPE and found.dtype == np.float16
    np.testing.assert_array_equal(found, stored)
    assert (found == 1.5).all() and not found.flags.writeable


def test_damaged_or_foreign_files_are_not_taken(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, 10_000)
    cache.store("one", SHAPE, fill_with(1))
    assert cache.load("one", 99) is None  # vectors of another text
    whole = (tmp_path / "one.npy").read_bytes()
    for damaged in (whole[:500], whole[:20], b"", b"no array"):
        (tmp_path / "one.npy").write_bytes(damaged)
        assert cache.load("one", 100) is None
    np.save(tmp_path / "one.npy", np.zeros(SHAPE))
    assert cache.load("one", 100) is None


def test_an_interrupted_set_leaves_nothing(tmp_path: Path) -> None:
    def fail(array: np.ndarray) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        VectorCache(tmp_path, 10_000).store("one", SHAPE, fail)
    assert os.listdir(tmp_path) == []


def test_the_longest_unused_sets_go_first(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, 3 * 2_200)
    for number, name in enumerate(("a", "b", "c")):
        cache.store(name, SHAPE, fill_with(number))
        os.utime(tmp_path / f"{name}.npy", (number, number))
    assert cache.load("a", 100) is not None  # now the last one used
    cache.store("d", SHAPE, fill_with(3))
    assert sorted(item.path.stem for item in cache.sets()) == ["a", "c", "d"]


def test_a_set_over_the_limit_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="take 2.0 GB, more than contextual_cache_gb=1; raise it"):
        VectorCache(tmp_path, 10**9).store("one", (1_000_000, 10, 100), fill_with(1))
    assert os.listdir(tmp_path) == []


def test_clear_removes_sets_and_leftovers_alone(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path / "cache", 10_000)
    assert cache.clear() == 0
    cache.store("one", SHAPE, fill_with(1))
    for ending in ("partial", "lock"):
        (cache.folder / f".two.npy.{ending}").touch()
    (cache.folder / "notes.txt").touch()
    assert cache.clear() == 2_128
    assert os.listdir(cache.folder) == ["notes.txt"]
    (cache.folder / "notes.txt").unlink()
    cache.clear()
    assert not cache.folder.exists()


def test_what_is_being_written_is_no_leftover(tmp_path: Path) -> None:
    cache = VectorCache(tmp_path, 10_000)

    def fill_while_others_clear(array: np.ndarray) -> None:
        assert sorted(os.listdir(tmp_path)) == [".one.npy.lock", ".one.npy.partial"]
        cache.clear()
        array[:] = 2

    cache.store("one", SHAPE, fill_while_others_clear)
    assert os.listdir(tmp_path) == ["one.npy"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="file/cache.*cannot write the contextual vectors"):
        VectorCache(tmp_path / "file" / "cache", 10_000).store("one", SHAPE, fill_with(1))


def test_a_full_disk_is_an_error_and_no_crash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(descriptor: int, start: int, size: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", refuse)
    with pytest.raises(RunError, match="No space left on device"):
        VectorCache(tmp_path, 10_000).store("one", SHAPE, fill_with(1))
    assert os.listdir(tmp_path) == []


def test_a_set_that_another_process_has_written_meanwhile_is_taken(tmp_path: Path) -> None:
    VectorCache(tmp_path).store("one", SHAPE, fill_with(1))
    found = VectorCache(tmp_path).store("one", SHAPE, fill_with(2))
    assert (found == 1).all()
