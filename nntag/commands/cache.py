"""`nntag cache`: the contextual vectors that were kept beside data folders, listed or removed."""

from __future__ import annotations

from pathlib import Path

from nntag.encoding.contextual.cache import CACHE, CachedSet, VectorCache
from nntag.encoding.data_folder import META


def list_vectors(folder: Path) -> list[CachedSet]:
    """The sets kept in `folder`, which holds data folders or is one; longest unused first."""
    return _find_cache(folder).sets()


def remove_vectors(folder: Path) -> int:
    """Removes them all; returns how many bytes that gave back. They are computed again where they are needed.

    Raises `RunError`.
    """
    return _find_cache(folder).clear()


def _find_cache(folder: Path) -> VectorCache:
    beside = folder.resolve().parent if (folder / META).is_file() else folder
    return VectorCache(beside / CACHE)
