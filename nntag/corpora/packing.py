"""Compressed files: a name in, its opener and the name without the packing's suffix out."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

OPENERS: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


def unpacked_name(path: str | Path) -> Path:
    """`train.conllu` for `train.conllu.gz`; any other path as it is."""
    path = Path(path)
    return path.with_suffix("") if path.suffix.lower() in OPENERS else path
