"""Manifests: the size and the SHA-256 of each file of a folder, written with it and compared when it is opened."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nntag.errors import RunError
from nntag.json_files import read_json, without_infinity, write_json
from nntag.schema import Record, Table, Text, Whole

MANIFEST = "manifest.json"
ALWAYS_READ = 64 << 20  # bytes: up to this size, opening a folder compares a file's content too (some 40 ms)
FILE = Record({"bytes": Whole(), "sha256": Text()})
_SCHEMA = Record({"files": Table(FILE)})

Described = Mapping[str, Any]  # of one file: "bytes" and "sha256"


def sha256_of(path: str | os.PathLike[str]) -> str | None:
    """The hexadecimal SHA-256 of a file, read in blocks; None for a pipe, which cannot be read twice."""
    if not Path(path).is_file():
        return None
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe_file(path: Path) -> Described:
    """What a manifest says of one file."""
    return {"bytes": path.stat().st_size, "sha256": sha256_of(path)}


def list_files(folder: Path) -> list[str]:
    """Every file below the folder but its manifest, by its path there."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / MANIFEST)
    return [path.relative_to(folder).as_posix() for path in files]


def describe_files(folder: Path) -> dict[str, Described]:
    """What a manifest says of every file."""
    return {name: describe_file(folder / name) for name in list_files(folder)}


def write_manifest(folder: Path) -> None:
    """Writes the manifest of all files that are in the folder now."""
    write_json(folder / MANIFEST, {"files": describe_files(folder)})


def read_manifest(folder: Path) -> dict[str, Described] | None:
    """The folder's files as they were written; None where there is no manifest. Raises `RunError`."""
    path = folder / MANIFEST
    return read_json(path, _SCHEMA, "the manifest of a folder")["files"] if path.exists() else None


def check_file(path: Path, written: Described, advice: str, thorough: bool = False) -> None:
    """Raises `RunError` where a file is not as it was written.

    The content of a file of more than `ALWAYS_READ` bytes is compared only if `thorough`.
    """
    if not path.is_file():
        raise RunError(f"{path}: missing; {advice}")
    size = path.stat().st_size
    if size != written["bytes"]:
        raise RunError(f"{path}: has {size:,} bytes, and {written['bytes']:,} when it was written; {advice}")
    if (thorough or size <= ALWAYS_READ) and sha256_of(path) != written["sha256"]:
        raise RunError(f"{path}: damaged, or changed since it was written (its SHA-256 is another one); {advice}")


def check_manifest(folder: Path, advice: str, thorough: bool = False) -> int:
    """Compares all files of a folder with its manifest, if it has one; returns how many. Raises `RunError`."""
    files = read_manifest(folder) or {}
    for name, written in files.items():
        check_file(folder / name, written, advice, thorough)
    return len(files)


def seal_json(value: Mapping[str, Any]) -> dict[str, Any]:
    """The object with the SHA-256 of what it holds as `sha256`: a file of its own needs no manifest beside it."""
    return {**value, "sha256": _digest(value)}


def open_seal(value: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """What `seal_json` was given; an object without a seal as it is. Raises `RunError` where it has changed since."""
    held = {key: item for key, item in value.items() if key != "sha256"}
    if value.get("sha256", _digest(held)) != _digest(held):
        raise RunError(f"{path}: damaged, or changed since it was written (its SHA-256 is another one)")
    return held


def _digest(value: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(without_infinity(value), sort_keys=True).encode()).hexdigest()
