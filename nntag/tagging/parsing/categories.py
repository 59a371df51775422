"""Is a tag a CCG category? The formats of other parsers are written for taggers whose tags are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from nntag.errors import UsageError

_ATOM = re.compile(r"[^()/\\\[\]\s]+(\[[^\[\]\s]+\])?")
_BRACKETS = re.compile(r"\(A([/\\]A)*\)(\[[^\[\]\s]+\])?")
_SHOWN = 3


def is_category(tag: str) -> bool:
    """Atoms with or without a feature, joined by slashes, with balanced brackets: `N`, `(S[dcl]\\NP)/NP`."""
    rest, before = _ATOM.sub("A", tag), ""
    while rest != before:
        rest, before = _BRACKETS.sub("A", rest), rest
    return re.fullmatch(r"A([/\\]A)*", rest) is not None


def require_categories(tags: Iterable[str], purpose: str) -> None:
    """Raises UsageError unless all tags are categories and one of them at least has a slash."""
    tags = list(tags)
    wrong = [tag for tag in tags if not is_category(tag)]
    if wrong:
        raise UsageError(f"{purpose} needs a model whose tags are CCG categories; this one also has {_list(wrong)}")
    if not any("/" in tag or "\\" in tag for tag in tags):
        raise UsageError(f"{purpose} needs a model whose tags are CCG categories; this one has {_list(tags)}")


def _list(tags: list[str]) -> str:
    more = f" and {len(tags) - _SHOWN} more" if len(tags) > _SHOWN else ""
    return ", ".join(tags[:_SHOWN]) + more
