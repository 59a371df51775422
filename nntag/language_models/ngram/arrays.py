"""Numpy arrays in, one safetensors file out, and back as read-only memory maps: gigabytes load at once.

The file is an ordinary safetensors file (`safetensors.numpy.load_file` reads it); that library itself copies every
array when it writes and when it reads, which this module avoids.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nntag.errors import RunError, cut
from nntag.training.tensor_files import encode_header, read_header

_NAMES = {"int64": "I64", "int32": "I32", "float32": "F32"}
_DTYPES = {name: np.dtype(dtype).newbyteorder("<") for dtype, name in _NAMES.items()}


def write_arrays(path: Path, arrays: Mapping[str, NDArray]) -> None:
    """Writes one-dimensional int64, int32 and float32 arrays; raises OSError."""
    ordered = sorted(arrays.items(), key=lambda item: -item[1].dtype.itemsize)
    header = encode_header((name, _NAMES[array.dtype.name], array.shape, array.nbytes) for name, array in ordered)
    with open(path, "wb") as file:
        file.write(header)
        for _, array in ordered:
            file.write(np.ascontiguousarray(array, _DTYPES[_NAMES[array.dtype.name]]).data)


def map_arrays(path: Path) -> dict[str, NDArray]:
    """The arrays of the file, mapped from it, not read. Raises RunError where it is missing or damaged."""
    try:
        header = read_header(path)
        whole = np.memmap(path, np.uint8, "r")
        arrays = {}
        for name, entry in header.tensors.items():
            array = whole[entry.begin : entry.end].view(_DTYPES[entry.dtype])
            if (len(array),) != entry.shape:
                raise ValueError(f"{cut(name, 60)} is cut short")
            arrays[name] = array
        return arrays
    except (OSError, ValueError, KeyError) as error:
        raise RunError(f"{path}: not a complete n-gram model: {error}") from error
