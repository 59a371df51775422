"""`nntag read`: a file in a named format -> one plain object (for JSON) for each record that its reader makes of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from nntag.config.options.preprocess import ReadOptions
from nntag.corpora.faults import OnBad, SkippedItems, raise_bad
from nntag.corpora.formats import FORMATS, Format, find_format
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Paragraph, Question, Sentence, Tree
from nntag.errors import UsageError


def read_records(options: ReadOptions, on_bad: OnBad | None = None) -> Iterator[dict[str, Any]]:
    """The records of a file (`-`: standard input) as objects with JSON types and stable keys.

    Sentences: tokens, tags, and where the format has them supertags, heads, relations. Trees: tokens, root_label, and
    labels, words and children of the nodes, children first. Questions: n, left, options, right, and answer where
    `answers` are given. Paragraphs: text. Vectors: word, vector. With `skip_bad`, bad items are left out,
    each with a warning.

    Raises UsageError for an unknown format or an option that it does not have, DataError for a bad file.
    """
    row = find_format(options.format)
    column = row.choose_column(options.column)
    reader_options = {**row.read_options, **column.options, **_read_flags(row, options)}
    collect = on_bad or (SkippedItems() if options.skip_bad else raise_bad)
    as_tags = row.supertags_are_tags and column.attribute == "supertags"
    for record in row.load_reader()(open_lines(options.file), on_bad=collect, **reader_options):
        yield record_object(record, tags_are_supertags=as_tags)


def _read_flags(row: Format, options: ReadOptions) -> dict[str, Any]:
    """The flags of single formats, as their readers' parameters; raises UsageError for one of another format."""
    found: dict[str, Any] = {}
    for flag in ("dim", "answers"):
        value = getattr(options, flag)
        if value is None:
            continue
        if flag not in row.read_flags:
            owner = next(other.name for other in FORMATS.values() if flag in other.read_flags)
            raise UsageError(f"{flag} belongs to the format {owner!r}, not to {row.name!r}")
        found[row.read_flags[flag]] = open_lines(value) if isinstance(value, os.PathLike) else value
    return found


def record_object(record: Any, tags_are_supertags: bool = False) -> dict[str, Any]:
    """One record with JSON types. For CCGbank the tags are the supertags, and `pos` has the POS tags."""
    if isinstance(record, Sentence):
        columns: dict[str, Sequence[object] | None] = {"tokens": record.tokens}
        if tags_are_supertags:
            columns |= {"tags": record.supertags, "pos": record.tags}
        else:
            columns |= {"tags": record.tags, "supertags": record.supertags}
        columns |= {"heads": record.heads, "relations": record.relations}
        return {name: list(values) for name, values in columns.items() if values is not None}
    if isinstance(record, Tree):
        root = record.labels[-1]
        return {
            "tokens": list(record.tokens),
            "root_label": int(root) if root.isdigit() else root,
            "labels": list(record.labels),
            "words": list(record.words),
            "children": [list(children) for children in record.children],
        }
    if isinstance(record, Question):
        answer = {} if record.answer is None else {"answer": "abcde"[record.answer]}
        left, right = " ".join(record.left), " ".join(record.right)
        return {"n": record.number, "left": left, "options": list(record.options), "right": right} | answer
    if isinstance(record, Paragraph):
        return {"text": record.text}
    word, vector = record
    return {"word": word, "vector": vector.tolist()}
