"""Treebank words with escapes (`-LRB-`, `\\/`, `\\*`) -> plain words, and back; tags are never changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

W = TypeVar("W", str, str | None)

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
_ESCAPES = {**_BRACKETS, "\\/": "/", "\\*": "*"}
_BACK = {plain: escaped for escaped, plain in _ESCAPES.items()}
_ESCAPED = re.compile("|".join(re.escape(escaped) for escaped in _ESCAPES))
_TO_ESCAPED = str.maketrans(_BACK)


def unescape_word(word: str) -> str:
    """`7\\/8` -> `7/8`, `-LRB-` -> `(`; escapes inside a longer word are undone too."""
    if "-" not in word and "\\" not in word:
        return word
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], word)


def unescape_words(words: Sequence[W]) -> Sequence[W]:
    """The same for many words; those that are None stay so."""
    text = "\n".join(filter(None, words))
    if "-" not in text and "\\" not in text:
        return words
    return [unescape_word(word) if word else word for word in words]


def escape_word(word: str) -> str:
    """The way back, for files in which brackets delimit nodes."""
    return word.translate(_TO_ESCAPED)


def escape_words(words: Sequence[W]) -> Sequence[W]:
    """The same for many words; those that are None stay so."""
    text = "\n".join(filter(None, words))
    return words if text.translate(_TO_ESCAPED) == text else [escape_word(word) if word else word for word in words]
