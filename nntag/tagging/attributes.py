"""Tags that are lists of attributes (`Case=Nom|Number=Sing`, as in CoNLL-U's FEATS) -> the attributes of words."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Mapping, Sequence

from conllu.parser import parse_dict_value

NONE = "_"  # a word without attributes
_ATTRIBUTE = r"[^|=]+=[^|=]+"
_ATTRIBUTES = re.compile(rf"{NONE}|{_ATTRIBUTE}(\|{_ATTRIBUTE})*")

Attribute = tuple[str, int, str]  # name, word, value


def holds_attributes(tags: Iterable[str]) -> bool:
    """Whether each tag is a list of attributes or `_`, and not all are `_`."""
    tags = set(tags)
    return bool(tags - {NONE}) and all(_ATTRIBUTES.fullmatch(tag) for tag in tags)


def find_attributes(tags: Sequence[str | None]) -> list[Attribute]:
    """The attributes of all words of a sentence; several values of one (`Acc,Dat`) are a value of their own."""
    return [(name, place, value or "") for place, tag in enumerate(tags) if tag for name, value in _parse(tag).items()]


@functools.lru_cache(10_000)
def _parse(tag: str) -> Mapping[str, str | None]:
    return parse_dict_value(tag) or {}
