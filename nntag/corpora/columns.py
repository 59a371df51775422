"""One word a line with its tag in a later column, a blank line between sentences -> tagged sentences.

A line with a TAB is split at TABs, any other at runs of ASCII spaces. A hash sign is a word like any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines, RawLine, is_blank
from nntag.corpora.marks import replace_marks
from nntag.corpora.records import Sentence
from nntag.errors import DataError, UsageError

DOUBTFUL_ROWS = 12  # ours: of a file without blank lines, from which it is more likely text, or lacks them


def read_columns(
    lines: Lines,
    column: int | None = None,
    words_only: bool = False,
    on_bad: OnBad = raise_bad,
    further: Sequence[int] = (),
) -> Iterator[Sentence]:
    """Words from column 1, tags from `column` (counted from 1; negative from the right), more of them from the columns
    `further`; with `words_only` no tags, whatever else the lines hold.

    Without `column` every line must hold exactly two fields; with it, as many as the first line, which sets the width.
    Raises DataError for another number of fields or an empty one, UsageError for a column that cannot hold tags.
    """
    columns = () if column is None else (column, *further)
    for number in columns:
        if number in (0, 1):
            raise UsageError(f"column {number}: column 1 holds the words; tags start at column 2, or -1 for the last")
    return replace_marks(_doubt_one_sentence(_read_blocks(lines, columns, words_only, on_bad), lines), lines)


def _doubt_one_sentence(sentences: Iterator[Sentence], lines: Lines) -> Iterator[Sentence]:
    """The sentences; warns of a file that is a single long one: plain text, perhaps, whose lines are equally long."""
    rows = count = 0
    for sentence in sentences:
        rows, count = rows + len(sentence), count + 1
        yield sentence
    if count == 1 and rows >= DOUBTFUL_ROWS and not lines.keep_marks:
        logger.warning(
            "%s: no blank line in it, so that its %d lines are one sentence; a sentence a line is read as text",
            lines.path,
            rows,
        )


def _read_blocks(lines: Lines, columns: Sequence[int], words_only: bool, on_bad: OnBad) -> Iterator[Sentence]:
    """Tags from the second column where `columns` names none."""
    lines.expect("columns")
    places = [column - 1 if column > 0 else column for column in columns or (2,)]
    width = 0 if columns else 2  # 0: not known before the first line
    for block in lines.blocks():
        rows = [row for row in block if not is_blank(row[1])]
        try:
            fields = [_split_row(lines, *row) for row in rows]
            if words_only:
                if fields:
                    yield Sentence(tuple(row[0] for row in fields), place=lines.place(rows[0][0]))
                continue
            if fields and not width:
                width = _first_width(lines, rows[0], len(fields[0]), columns)
            for (number, _), row_fields in zip(rows, fields, strict=True):
                if len(row_fields) != width:
                    raise lines.fault(number, _width_reason(width, row_fields, bool(columns)))
        except DataError as error:
            on_bad(error)
            continue
        if fields:
            words, tags, *more = (tuple(row[index] for row in fields) for index in (0, *places))
            yield Sentence(words, tags, further=tuple(more), place=lines.place(rows[0][0]))


def _split_row(lines: Lines, number: int, raw: bytes) -> list[str]:
    text = lines.decode(number, raw)
    if "\t" not in text:
        return [part for part in text.split(" ") if part]
    fields = text.split("\t")
    if "" in fields:
        raise lines.fault(number, f"field {fields.index('') + 1} of {len(fields)} is empty")
    return fields


def _first_width(lines: Lines, row: RawLine, width: int, columns: Sequence[int]) -> int:
    for column in columns:
        if not (column <= width and -column < width):
            raise lines.fault(row[0], f"expected a tag in column {column}, found {width} columns")
    return width


def _width_reason(width: int, fields: list[str], is_named: bool) -> str:
    reason = f"expected {width} fields, found {len(fields)}: {' '.join(fields[:4])!r}"
    return reason if is_named or len(fields) < width else reason + "; name the column of the tags to read wider files"
