"""The text of a tagging data folder: `WORD<tab>TAG` lines, a blank line after each sentence, "" for no tag.

Where words have several tags, each has a column of its own: `WORD<tab>TAG<tab>TAG`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.errors import RunError

Tags = list[tuple[str | None, ...]]  # one for each token of each sentence


@dataclass(frozen=True, slots=True)
class TaggedText:
    """Sentences: their tokens and, one for each token, the gold tag or None; and so for each further column."""

    tokens: list[tuple[str, ...]]
    tags: Tags
    further: tuple[Tags, ...] = ()

    @property
    def columns(self) -> tuple[Tags, ...]:
        """All columns of tags."""
        return (self.tags, *self.further)


def join_sentences(sentences: Iterable[Sequence[Sequence[str | None]]]) -> TaggedText:
    """The text of (tokens, tags, ...) sentences."""
    rows: list[Any] = list(sentences)
    tokens, tags, *further = ([row[place] for row in rows] for place in range(len(rows[0]) if rows else 2))
    return TaggedText(tokens, tags, tuple(further))


def write_columns_file(path: Path, sentences: Iterable[Sequence[Sequence[str | None]]]) -> None:
    """Writes (tokens, tags) pairs, or (tokens, tags, tags, ...)."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for sentence in sentences:
            columns = [[field or "" for field in column] if None in column else column for column in sentence]
            file.write("\n".join([*map("\t".join, zip(*columns, strict=True)), "\n"]))


def read_columns_file(path: Path, columns: int = 1) -> TaggedText:
    """Reads what `write_columns_file` wrote, with so many tags a word; raises `RunError` naming the line where it is
    damaged."""
    try:
        text = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(f"{path}: damaged data folder: {error}; run `nntag preprocess` again") from None
    sentences: list[Any] = []
    rows: list[list[str | None]] = []
    for number, line in enumerate([*text.split("\n"), ""], 1):  # the last sentence counts without its blank line
        if line:
            token, *tags = line.rsplit("\t", columns)
            if len(tags) != columns:
                raise RunError(
                    f"{path}:{number}: damaged data folder: expected WORD{', tab, TAG' * columns}; "
                    "run `nntag preprocess` again"
                )
            rows.append([token, *(tag or None for tag in tags)])
        elif rows:
            sentences.append(tuple(zip(*rows, strict=True)))
            rows = []
    return join_sentences(sentences)
