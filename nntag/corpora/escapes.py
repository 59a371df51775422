"""Treebank words with escapes (`-LRB-`, `\\/`, `\\*`) -> plain words, and back; tags are never changed."""

from __future__ import annotations

import re

_BRACKETS = {"-LRB-": "(", "-RRB-": ")", "-LCB-": "{", "-RCB-": "}", "-LSB-": "[", "-RSB-": "]"}
_ESCAPES = {**_BRACKETS, "\\/": "/", "\\*": "*"}
_BACK = {plain: escaped for escaped, plain in _ESCAPES.items()}
_ESCAPED = re.compile("|".join(re.escape(escaped) for escaped in _ESCAPES))
_PLAIN = re.compile("|".join(re.escape(plain) for plain in _BACK))


def unescape_word(word: str) -> str:
    """`7\\/8` -> `7/8`, `-LRB-` -> `(`; escapes inside a longer word are undone too."""
    if "-" not in word and "\\" not in word:
        return word
    return _ESCAPED.sub(lambda match: _ESCAPES[match[0]], word)


def escape_word(word: str) -> str:
    """The way back, for files in which brackets delimit nodes."""
    return _PLAIN.sub(lambda match: _BACK[match[0]], word)
