"""CoNLL-U -> sentences of words with one column as tags, heads and relations; or blocks that can be written back.

Words are the rows numbered 1, 2, 3, ... in order; ranges (`2-3`) and empty nodes (`5.1`) are kept only in blocks.
The conllu package is not used to read: it takes rows of nine fields, IDs in any order, empty fields and comments
inside a sentence in silence, splits at two spaces, and names no line. The tests compare with it where it reads rightly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines, RawLine, is_blank
from nntag.corpora.records import Sentence
from nntag.errors import DataError, UsageError

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_FORM, _UPOS, _HEAD, _DEPREL = 1, 3, 6, 7
_GAPS = ("XPOS", "DEPREL")  # columns with a value for every word in most treebanks, and `_` for some words in others
_NO_WORD_ID = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|[0-9]+\.[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ConlluBlock:
    """The raw lines of one sentence with the blank lines about it, so that all blocks together are the file."""

    sentence: Sentence | None  # None: nothing but comments and blank lines
    raw: tuple[bytes, ...]
    word_rows: tuple[int, ...]  # index in `raw` of each word

    def with_column(self, values: Sequence[str], column: str = "UPOS") -> bytes:
        """The bytes of this block with `values`, one a word, in `column`; everything else is as it was."""
        rows = list(self.raw)
        index = column_index(column)
        for row, value in zip(self.word_rows, values, strict=True):
            fields = rows[row].split(b"\t")
            old = fields[index]  # holds the line end where the column is the last
            end = b"\r\n" if old.endswith(b"\r\n") else b"\n" if old.endswith(b"\n") else b""
            fields[index] = value.encode("utf-8") + end
            rows[row] = b"\t".join(fields)
        return b"".join(rows)

    def with_misc(self, values: Sequence[str], key: str) -> bytes:
        """The bytes of this block with `key=value` in MISC, one value a word, beside what MISC holds already."""
        merged = []
        for row, value in zip(self.word_rows, values, strict=True):
            old = self.raw[row].split(b"\t")[-1].decode("utf-8").rstrip("\r\n")
            kept = [entry for entry in old.split("|") if entry != "_" and not entry.startswith(f"{key}=")]
            merged.append("|".join([*kept, f"{key}={value}"]))
        return self.with_column(merged, "MISC")


def column_index(column: str) -> int:
    """The place of a column named in any case (`upos`); raises UsageError for a name that CoNLL-U does not have."""
    if column.upper() not in COLUMNS:
        raise UsageError(f"no CoNLL-U column {column!r}: choose one of {', '.join(COLUMNS)}")
    return COLUMNS.index(column.upper())


def read_conllu(
    lines: Lines, column: str | None = "UPOS", need_heads: bool = False, on_bad: OnBad = raise_bad
) -> Iterator[Sentence]:
    """Sentences with `column` as tags (None: no tags).

    A UPOS `_` is a missing tag and a DataError; elsewhere `_` is a value, and XPOS and DEPREL warn of the first one.
    Heads and relations are kept where every word of the sentence has a HEAD from 0 to its length; `need_heads` makes
    anything else a DataError. Raises DataError for rows that break the format.
    """
    for block in read_conllu_blocks(lines, column, need_heads, on_bad):
        if block.sentence is not None:
            yield block.sentence


def read_conllu_blocks(
    lines: Lines, column: str | None = None, need_heads: bool = False, on_bad: OnBad = raise_bad
) -> Iterator[ConlluBlock]:
    """Like `read_conllu`, with the raw lines; a block is handed on when its blank line has arrived."""
    tag_index = None if column is None else column_index(column)
    watch = column is not None and column.upper() in _GAPS
    for block in lines.blocks():
        try:
            sentence, word_rows = _parse_block(lines, block, tag_index, need_heads)
        except DataError as error:
            on_bad(error)
            continue
        if watch and sentence and sentence.tags and "_" in sentence.tags:
            logger.warning(
                "%s: a word without %s; its tag is `_`, here and for every other such word", sentence.place, column
            )
            watch = False
        yield ConlluBlock(sentence, tuple(raw for _, raw in block), word_rows)


def _parse_block(
    lines: Lines, block: list[RawLine], tag_index: int | None, need_heads: bool
) -> tuple[Sentence | None, tuple[int, ...]]:
    words: list[list[str]] = []
    word_rows: list[int] = []
    other_row = 0
    for index, (number, raw) in enumerate(block):
        if is_blank(raw):
            continue
        text = lines.decode(number, raw)
        if text.startswith("#"):
            if words or other_row:
                raise lines.fault(number, "a comment inside a sentence; is the blank line before it missing?")
            continue
        fields = text.split("\t")
        if len(fields) != len(COLUMNS):
            raise lines.fault(number, f"{len(fields)} columns found, {len(COLUMNS)} expected (separated by TABs)")
        if "" in fields:
            raise lines.fault(number, f"{COLUMNS[fields.index('')]} is empty; a missing value is written `_`")
        if fields[0] == str(len(words) + 1):
            if tag_index == _UPOS and fields[_UPOS] == "_":
                raise lines.fault(number, f"UPOS of {fields[_FORM]!r} is missing (`_`)")
            words.append(fields)
            word_rows.append(index)
        elif _NO_WORD_ID.fullmatch(fields[0]):
            other_row = number
        else:
            hint = "; is a blank line before it missing?" if words and fields[0] == "1" else ""
            raise lines.fault(number, f"expected the ID {len(words) + 1}, found {fields[0]!r}{hint}")
    if not words:
        if other_row:
            raise lines.fault(other_row, "a sentence without words: no row has the ID 1")
        return None, ()
    first = block[word_rows[0]][0]
    heads = _parse_heads(lines, [block[index][0] for index in word_rows], words, need_heads)
    sentence = Sentence(
        tokens=tuple(row[_FORM] for row in words),
        tags=None if tag_index is None else tuple(row[tag_index] for row in words),
        heads=heads,
        relations=None if heads is None else tuple(row[_DEPREL] for row in words),
        place=lines.place(first),
    )
    return sentence, tuple(word_rows)


def _parse_heads(lines: Lines, numbers: list[int], words: list[list[str]], needed: bool) -> tuple[int, ...] | None:
    heads = []
    for number, row in zip(numbers, words, strict=True):
        head = row[_HEAD]
        if not (head.isascii() and head.isdigit() and len(head) < 10 and int(head) <= len(words)):
            if needed:
                raise lines.fault(number, f"expected a HEAD from 0 to {len(words)}, found {head!r}")
            return None
        heads.append(int(head))
    return tuple(heads)
