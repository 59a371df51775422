"""What the reader tests share: run a reader on text in memory, and see its records, faults and warnings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from nntag.corpora.lines import Lines, lines_from_bytes
from nntag.corpora.marks import DOCUMENT_MARKS, SENTENCE_MARKS, TRACE_TAG, UNKNOWN_MARKS
from nntag.errors import DataError

Reader = Callable[..., Iterable[Any]]


def is_plain(token: str) -> bool:
    """Whether a made-up token is a word to every reader, and none of the marks that they leave out or rewrite."""
    marks = UNKNOWN_MARKS | SENTENCE_MARKS | DOCUMENT_MARKS | {TRACE_TAG}
    return token not in marks and not token.startswith("<")


def toy_lines(data: str | bytes) -> Lines:
    return lines_from_bytes(data.encode("utf-8") if isinstance(data, str) else data, "toy")


def read(reader: Reader, data: str | bytes, **options: Any) -> list[Any]:
    """All records; the first fault raises."""
    return list(reader(toy_lines(data), **options))


def read_on(reader: Reader, data: str | bytes, **options: Any) -> tuple[list[Any], list[DataError]]:
    """The records and the faults of a reading that leaves out bad items."""
    faults: list[DataError] = []
    return list(reader(toy_lines(data), on_bad=faults.append, **options)), faults


def fault(reader: Reader, data: str | bytes, **options: Any) -> str:
    """The message of the first fault."""
    with pytest.raises(DataError) as caught:
        read(reader, data, **options)
    assert caught.value.path == "toy"
    return str(caught.value)


def tokens(records: Iterable[Any]) -> list[str]:
    """The tokens of each record with bars between them, for short assertions."""
    return ["|".join(record.tokens) for record in records]


def tagged(records: Iterable[Any]) -> list[str]:
    return [" ".join(f"{t}/{tag}" for t, tag in zip(r.tokens, r.tags, strict=True)) for r in records]
