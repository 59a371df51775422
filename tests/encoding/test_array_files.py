"""Damaged `.npy` files are a `ValueError`, whatever part of numpy notices."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nntag.encoding.array_files import map_array


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[:20],
        lambda data: data.replace(b"}", b" "),  # a header that has no end: numpy's tokenizer fails
        lambda data: data.replace(b"(5,)", b"(((,"),
        lambda data: data.replace(b"(5,)", b"(-5)"),
        lambda data: data.replace(b"<i4", b"|O "),  # objects: a pickle
        lambda data: data[:-1],
    ],
)
def test_damage_is_a_value_error(tmp_path: Path, damage) -> None:
    path = tmp_path / "a.npy"
    np.save(path, np.arange(5, dtype=np.int32))
    assert map_array(path).tolist() == [0, 1, 2, 3, 4]
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(ValueError):
        map_array(path)
