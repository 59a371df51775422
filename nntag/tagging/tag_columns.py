"""The tags of one column as a tagger knows them: counts of the training split in, output classes out, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nntag.encoding.vocabulary import RARE
from nntag.errors import RunError
from nntag.schema import Maybe, Record, Rows, Schema, Text, Whole

# What the `vocab.json` of data and run folders have of their columns of tags.
TAGS: dict[str, Schema] = {"tags": Rows(Text(), 1), "tag_counts": Rows(Whole())}
SAME_LENGTH = ("tags", "tag_counts")
_RARE: dict[str, Schema] = {"rare_tag": Maybe(Text())}
_FURTHER = Rows(Record({"column": Text(), **TAGS}, _RARE, same_length=(SAME_LENGTH,)), 1)
MAYBE_TAGS: dict[str, Schema] = {**_RARE, "column": Text(), "further_columns": _FURTHER}


@dataclass(frozen=True, slots=True)
class TagColumn:
    """One column of tags; with several in one model, each has a softmax of its own."""

    name: str  # "" where it is the only one
    tags: tuple[str, ...]  # the output classes, in id order
    counts: tuple[int, ...]  # how often each occurs in training
    rare_tag: str | None = None  # the class of the tags under `--tag-cutoff`: trained, and never an answer

    @property
    def answers(self) -> tuple[str, ...]:
        """The tags that a tagger can give."""
        return tuple(tag for tag in self.tags if tag != self.rare_tag)


def columns_to_json(columns: Sequence[TagColumn], always_rare: bool = False) -> dict[str, Any]:
    """The only column, or the first one with the others beside it; the rare tag where its name does not tell it, or
    always."""
    first, *others = (_column_to_json(column, always_rare) for column in columns)
    return first | ({"further_columns": others} if others else {})


def columns_from_json(saved: Mapping[str, Any]) -> tuple[TagColumn, ...]:
    """What `columns_to_json` gave, in the `vocab.json` of a data or run folder; raises `RunError` for names that are
    not all different."""
    columns = tuple(
        TagColumn(
            part.get("column", ""),
            tuple(part["tags"]),
            tuple(part["tag_counts"]),
            part.get("rare_tag", _guess_rare_tag(part["tags"])),
        )
        for part in (saved, *saved.get("further_columns", []))
    )
    names = [column.name for column in columns]
    if len(set(names)) < len(names):
        raise RunError(f"damaged vocabularies: two columns of tags of one name among {', '.join(map(repr, names))}")
    return columns


def _column_to_json(column: TagColumn, always_rare: bool) -> dict[str, Any]:
    named = {"column": column.name} if column.name else {}
    is_told = column.rare_tag == _guess_rare_tag(column.tags) and not always_rare
    rare = {} if is_told else {"rare_tag": column.rare_tag}
    return {**named, "tags": list(column.tags), "tag_counts": list(column.counts), **rare}


def _guess_rare_tag(tags: Sequence[str]) -> str | None:
    """What version 0.1.0 did not write down."""
    return RARE if RARE in tags else None
