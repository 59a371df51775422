"""Items of a stream -> groups as large as what has arrived allows: a pipe is answered at once, a file is read fast."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from nntag.corpora.lines import Lines
from nntag.errors import DataError

GROUP_ITEMS = 1_000  # most items computed together; fewer where the next line has not arrived
GROUP_TOKENS = 20_000

T = TypeVar("T")


def group_arrived(items: Iterator[T], lines: Lines, count_tokens: Callable[[T], int]) -> Iterator[list[T]]:
    """Groups of the items that are read from `lines`; those before a fault come out before its `DataError`."""
    group: list[T] = []
    tokens = 0
    try:
        for item in items:
            group.append(item)
            tokens += count_tokens(item)
            if lines.waiting or len(group) >= GROUP_ITEMS or tokens >= GROUP_TOKENS:
                yield group
                group, tokens = [], 0
    except DataError:
        if group:
            yield group
        raise
    if group:
        yield group
