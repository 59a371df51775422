"""safetensors files without their tensors: a header in, names, types and sizes out; and the SHA-256 that seals a file.

A sealed file holds, in its header, the SHA-256 of all its bytes, that of the digest's own 64 characters taken as zeros.
So one rename replaces a file with its seal, and no kill can come between the two.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from nntag.errors import RunError, cut
from nntag.json_files import check_regular, decode_json
from nntag.schema import Columns, Misfit, Record, Rows, Schema, Table, Text, Whole

UNSEALED = "0" * 64
LARGEST_HEADER = 100 << 20  # bytes: the limit of the safetensors library
_TENSOR = Record({"dtype": Text(), "shape": Rows(Whole()), "data_offsets": Columns((Whole(), Whole()))})
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class TensorEntry:
    """One tensor of a file."""

    dtype: str  # as safetensors writes it: "F32"
    shape: tuple[int, ...]
    begin: int  # bytes from the start of the file
    end: int

    def __str__(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


@dataclass(frozen=True, slots=True)
class Header:
    """What stands before the tensors of a file."""

    tensors: Mapping[str, TensorEntry]
    metadata: Mapping[str, str]


def read_header(path: Path) -> Header:
    """Raises `RunError` where the file is missing, is no safetensors file, or is cut short."""
    check_regular(path)
    try:
        size = path.stat().st_size
        with open(path, "rb") as file:
            head = _read_head(file, size)
    except (OSError, ValueError) as error:
        raise RunError(f"{path}: {_damaged(getattr(error, 'strerror', None) or str(error))}") from None
    entries = parse_header(head[8:], path, Table())
    metadata = entries.pop("__metadata__", {})
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise RunError(f"{path}: {_damaged('its metadata are not text')}")
    tensors = {}
    for name, entry in entries.items():
        try:
            _TENSOR.check(entry, cut(name, 60))
        except Misfit as error:
            raise RunError(f"{path}: {_damaged(str(error))}") from None
        begin, end = (len(head) + offset for offset in entry["data_offsets"])
        tensors[name] = TensorEntry(entry["dtype"], tuple(entry["shape"]), begin, end)
    if max((entry.end for entry in tensors.values()), default=len(head)) != size:
        raise RunError(f"{path}: {_damaged('its tensors do not fill the file')}")
    return Header(tensors, metadata)


def parse_header(text: bytes | str, path: Path, schema: Schema) -> Any:
    """The JSON of a header, or that in its metadata; raises `RunError`."""
    try:
        value = decode_json(text)
        schema.check(value, "it")
    except Misfit as error:
        raise RunError(f"{path}: {_damaged(str(error))}") from None
    return value


def _damaged(reason: str) -> str:
    return f"not a weights file in safetensors format, or damaged ({reason})"


def _read_head(file: BinaryIO, size: int) -> bytes:
    """The length of the header and the header itself; raises `ValueError`."""
    start = file.read(8)
    length = int.from_bytes(start, "little")
    if len(start) < 8 or length > min(size - 8, LARGEST_HEADER):
        raise ValueError("no header")
    return start + file.read(length)


def encode_header(
    tensors: Iterable[tuple[str, str, Sequence[int], int]], metadata: Mapping[str, str] | None = None
) -> bytes:
    """What stands before the tensors of a safetensors file: name, dtype, shape and bytes of each, in the file's order.

    Wide types come first in the file, so that every tensor begins at a multiple of its item size.
    """
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    end = 0
    for name, dtype, shape, size in tensors:
        begin, end = end, end + size
        header[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def write_sealed(file: BinaryIO, header: bytes, tensors: Iterable[memoryview]) -> None:
    """Writes a safetensors file in whose header the text `UNSEALED` stands once, that replaced by the SHA-256 of the
    whole; `tensors` are the bytes of one after another. Nothing is copied: a checkpoint may be half of the memory."""
    parts: Iterable[bytes | memoryview] = itertools.chain((header,), tensors)
    digest = hashlib.sha256()
    for part in parts:
        file.write(part)
        digest.update(part)
    file.seek(header.index(UNSEALED.encode()))
    file.write(digest.hexdigest().encode())


def check_seal(path: Path, digest: str) -> None:
    """Raises `RunError` where the file's bytes are not those that it was written with; its header has `digest`."""
    with open(path, "rb") as file:
        head = _read_head(file, os.path.getsize(path)).replace(digest.encode(), UNSEALED.encode(), 1)
        found = hashlib.sha256(head)
        while block := file.read(_BLOCK):
            found.update(block)
    if found.hexdigest() != digest:
        raise RunError(f"{path}: damaged, or changed since it was written (its SHA-256 is another one)")
