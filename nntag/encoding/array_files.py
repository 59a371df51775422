"""A `.npy` file, from disk to an array that is read as it is needed; whatever is wrong with it is a `ValueError`."""

from __future__ import annotations

import tokenize
from pathlib import Path

import numpy as np

# What numpy lets through from a header that is no Python literal, or one of absurd sizes.
_DAMAGE = (EOFError, OverflowError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError)


def map_array(path: Path) -> np.ndarray:
    """The array in a file, memory-mapped. Raises `OSError`, and `ValueError` where the file is damaged."""
    try:
        array: np.ndarray = np.load(path, mmap_mode="r", allow_pickle=False)
    except _DAMAGE as error:
        raise ValueError(str(error)) from None
    return array
