"""Rows of integers that spill to a file: read back as they were appended, in memory that does not grow."""

from __future__ import annotations

import os
from array import array
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nntag.encoding import spilled
from nntag.encoding.overlap import SentenceHashes
from nntag.encoding.spilled import SpilledArray


@settings(max_examples=60, deadline=None)
@given(parts=st.lists(st.lists(st.integers(-9, 9), max_size=7), max_size=9), block=st.integers(1, 5), data=st.data())
def test_any_part_is_read_back(parts: list[list[int]], block: int, data: st.DataObject) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spilled, "BLOCK", block)
        stored, kept = SpilledArray("i"), array("i")
        for part in parts:
            stored.extend(part)
            stored.append(7)
            kept.extend([*part, 7])
        start = data.draw(st.integers(0, len(kept)))
        stop = data.draw(st.integers(start, len(kept)))
        assert len(stored) == len(kept) and stored.read(start, stop).tolist() == kept[start:stop].tolist()
        assert [value for found in stored.blocks(start, stop) for value in found.tolist()] == kept[start:stop].tolist()
        assert all(len(found) <= block for found in stored.blocks()) and stored.read(0, 0).dtype == np.int32
        stored.close()


def test_memory_is_that_of_a_block_and_the_file_has_no_name(tmp_path: Path) -> None:
    stored = SpilledArray("q", tmp_path)
    for _ in range(6):
        stored.extend(range(spilled.BLOCK // 2))
    assert len(stored) == 3 * spilled.BLOCK and len(stored._tail) < spilled.BLOCK
    if os.name == "posix":
        assert list(tmp_path.iterdir()) == []


def test_hashes_in_several_blocks_count_like_a_list(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(spilled, "BLOCK", 3)
    monkeypatch.setattr("nntag.encoding.overlap.BLOCK", 1)
    train = [[f"w{number % 7}"] for number in range(11)]
    dev = [[f"w{number % 9}"] for number in range(23)]
    known = SentenceHashes(dev, tmp_path).count_known(SentenceHashes(train, tmp_path))
    assert known == sum(sentence in train for sentence in dev) == 19


@pytest.mark.parametrize("block", [1, 3, 100])
def test_arrays_are_appended_and_mapped_whole(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, block: int) -> None:
    monkeypatch.setattr(spilled, "BLOCK", block)
    stored = SpilledArray("f", tmp_path)
    assert stored.map().tolist() == [] and stored.map().dtype == np.float32
    stored.extend_array(np.array([0.5, 1.5, -2.5, 3.5], np.float32)[::2])
    stored.extend_array(np.empty(0, np.float32))
    stored.append(7.25)
    stored.extend_array(np.arange(3, dtype=np.int64))
    mapped = stored.map()
    stored.close()
    assert isinstance(mapped, np.memmap) == (block < 100) and mapped.dtype == np.float32
    assert mapped.tolist() == [0.5, -2.5, 7.25, 0, 1, 2]
