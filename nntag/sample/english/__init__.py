"""The English of the samples as plain tables (words, verb frames, grammar rules): the name of a file in, its lines out.

A file has sections under names in brackets. An indented line continues the one before it, `#` begins a comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib import resources


def read_sections(file: str) -> dict[str, list[str]]:
    """The lines of each section of a file in this folder."""
    text = resources.files(__name__).joinpath(file).read_text(encoding="utf-8")
    text = re.sub(r"\n[ \t]+", " ", re.sub(r"(?m)(^|\s+)#.*$", "", text))
    _, *parts = re.split(r"(?m)^\[(\w+)\]$", text)
    return {name: list(filter(None, body.split("\n"))) for name, body in zip(parts[::2], parts[1::2], strict=True)}


def read_names(lines: Iterable[str]) -> dict[str, str]:
    """`name: text` or `name  text` a line -> the texts by name. Raises ValueError where a name comes twice."""
    texts: dict[str, str] = {}
    for line in lines:
        name, text = re.split(r":?\s+", line, maxsplit=1)
        if name in texts:
            raise ValueError(f"the name {name!r} comes twice")
        texts[name] = text
    return texts
