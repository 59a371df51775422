"""`nntag read`: a file in a named format -> one plain object (for JSON) for each record that its reader makes of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from nntag.config.fields import unknown_name
from nntag.corpora.faults import OnBad, SkippedItems, raise_bad
from nntag.corpora.formats import find_format
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Paragraph, Question, Sentence, Tree
from nntag.errors import UsageError

Path = str | os.PathLike[str]


def read_records(
    format: str,
    path: Path,
    dim: int | None = None,
    answers: Path | None = None,
    column: str | None = None,
    skip_bad: bool = False,
    on_bad: OnBad | None = None,
) -> Iterator[dict[str, Any]]:
    """The records of a file (`-`: standard input) as objects with JSON types and stable keys.

    Sentences: tokens, tags, and where the format has them supertags, heads, relations. Trees: tokens, root_label, and
    labels, words and children of the nodes, children first. Questions: n, left, options, right, and answer where
    `answers` are given. Paragraphs: text. Vectors: word, vector. With `skip_bad`, bad items are warned of and left out.

    Raises UsageError for an unknown format or an option that it does not have, DataError for a bad file.
    """
    row = find_format(format)
    for name, value, owner in (("dim", dim, "vectors"), ("answers", answers, "sherlock")):
        if value is not None and format != owner:
            raise UsageError(f"{name} belongs to the format {owner!r}, not to {format!r}")
    options: dict[str, Any] = {} if column is None else _column_options(format, column)
    if format == "vectors":
        import numpy as np

        options.update(dimension=dim, dtype=np.float64)  # as written: float32 would not print 0.1 as 0.1
    elif format == "text":
        options["keep_blank"] = True  # line by line, as `tag` answers
    elif format == "sherlock" and answers is not None:
        options["answers"] = open_lines(answers)
    collect = on_bad or (SkippedItems() if skip_bad else raise_bad)
    for record in row.load_reader()(open_lines(path), on_bad=collect, **options):
        yield record_object(record, tags_are_supertags=format == "ccgbank" and column != "pos")


def _column_options(format: str, column: str) -> dict[str, Any]:
    """What `column` means to the reader of each format that has a choice."""
    if format in ("conllu", "pmb"):
        return {"column": column}
    if format == "columns":
        try:
            return {"column": int(column)}
        except ValueError:
            raise UsageError(f"column must be a number for the format columns, found {column!r}") from None
    choices = {"ccgbank": ("supertag", "pos"), "piped": ("supertag", "pos", "tag")}.get(format, ())
    if column not in choices:
        raise UsageError(unknown_name(f"column of the format {format}", column, choices))
    return {"fields": 2} if column == "tag" else {}


def record_object(record: Any, tags_are_supertags: bool = False) -> dict[str, Any]:
    """One record with JSON types. For CCGbank the tags are the supertags, and `pos` has the POS tags."""
    if isinstance(record, Sentence):
        layers: dict[str, Sequence[object] | None] = {"tokens": record.tokens}
        if tags_are_supertags:
            layers |= {"tags": record.supertags, "pos": record.tags}
        else:
            layers |= {"tags": record.tags, "supertags": record.supertags}
        layers |= {"heads": record.heads, "relations": record.relations}
        return {name: list(layer) for name, layer in layers.items() if layer is not None}
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
