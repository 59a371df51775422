"""CoNLL-U -> sentences of words with one column as tags, heads and relations; or blocks that can be written back.

Words are the rows numbered 1, 2, 3, ... in order; ranges (`2-3`) and empty nodes (`5.1`) are kept only in blocks.
CoNLL-U Plus (`.conllup`) says in its first line which columns it has: `# global.columns = ID FORM UPOS`.
The conllu package is not used to read: it takes rows of nine fields, IDs in any order, empty fields and comments
inside a sentence in silence, splits at two spaces, and names no line. The tests compare with it where it reads rightly.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines, RawLine, is_blank
from nntag.corpora.marks import replace_marks
from nntag.corpora.records import Sentence
from nntag.errors import DataError, UsageError

COLUMNS = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_NAMED_COLUMNS = re.compile(rb"# *global[.]columns *=([^\r\n]*)")
_GAPS = ("XPOS", "DEPREL")  # columns with a value for every word in most treebanks, and `_` for some words in others
_NO_WORD_ID = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|[0-9]+\.[1-9][0-9]*", re.ASCII)


@dataclass(frozen=True, slots=True)
class ConlluBlock:
    """The raw lines of one sentence with the blank lines about it, so that all blocks together are the file."""

    sentence: Sentence | None  # None: nothing but comments and blank lines
    raw: tuple[bytes, ...]
    word_rows: tuple[int, ...]  # index in `raw` of each word
    columns: tuple[str, ...] = COLUMNS  # of its file

    def with_column(self, values: Sequence[str], column: str = "UPOS") -> bytes:
        """The bytes of this block with `values`, one a word, in `column`; everything else is as it was."""
        return self.with_columns({column: values})

    def with_columns(self, values: Mapping[str, Sequence[str]]) -> bytes:
        """As `with_column`, for several columns."""
        rows = list(self.raw)
        for column, given in values.items():
            index = self._find(column)
            for row, value in zip(self.word_rows, given, strict=True):
                fields = rows[row].split(b"\t")
                old = fields[index]  # holds the line end where the column is the last
                end = b"\r\n" if old.endswith(b"\r\n") else b"\n" if old.endswith(b"\n") else b""
                fields[index] = value.encode("utf-8") + end
                rows[row] = b"\t".join(fields)
        return b"".join(rows)

    def with_misc(self, values: Mapping[str, Sequence[str]]) -> bytes:
        """The bytes of this block with `KEY=value` in MISC, for each key one value a word, beside what MISC holds."""
        merged, place = [], self._find("MISC")
        for row, *given in zip(self.word_rows, *values.values(), strict=True):
            old = self.raw[row].split(b"\t")[place].decode("utf-8").rstrip("\r\n")
            kept = [entry for entry in old.split("|") if entry != "_" and entry.partition("=")[0] not in values]
            merged.append("|".join([*kept, *(f"{key}={value}" for key, value in zip(values, given, strict=True))]))
        return self.with_column(merged, "MISC")

    def _find(self, column: str) -> int:
        if column.upper() not in self.columns:
            names = ", ".join(self.columns)
            raise UsageError(f"no column {column!r} in this CoNLL-U Plus file, whose columns are {names}")
        return self.columns.index(column.upper())


def column_index(column: str) -> int:
    """The place of a column named in any case (`upos`); raises UsageError for a name that CoNLL-U does not have."""
    if column.upper() not in COLUMNS:
        raise UsageError(f"no CoNLL-U column {column!r}: choose one of {', '.join(COLUMNS)}")
    return COLUMNS.index(column.upper())


def read_conllu(
    lines: Lines,
    column: str | None = "UPOS",
    need_heads: bool = False,
    on_bad: OnBad = raise_bad,
    further: Sequence[str] = (),
) -> Iterator[Sentence]:
    """Sentences with `column` as tags (None: no tags), and with those of the columns `further`.

    A UPOS `_` is a missing tag and a DataError; elsewhere `_` is a value, and XPOS and DEPREL warn of the first one.
    Heads and relations are kept where every word of the sentence has a HEAD from 0 to its length; `need_heads` makes
    anything else a DataError. Raises DataError for rows that break the format.
    """
    blocks = read_conllu_blocks(lines, () if column is None else (column, *further), need_heads, on_bad)
    return replace_marks((block.sentence for block in blocks if block.sentence is not None), lines)


def read_conllu_blocks(
    lines: Lines, named: Sequence[str] = (), need_heads: bool = False, on_bad: OnBad = raise_bad
) -> Iterator[ConlluBlock]:
    """Like `read_conllu`, with the raw lines; a block is handed on when its blank line has arrived."""
    lines.expect("conllu")
    wanted = tuple(column.upper() for column in named)
    columns: tuple[str, ...] = COLUMNS
    watched = [column for column in named if column.upper() in _GAPS]
    for block in lines.blocks():
        try:
            if block[0][0] == 1:
                columns = _find_columns(lines, block[0], named)
            sentence, word_rows = _parse_block(lines, block, columns, wanted, need_heads)
        except DataError as error:
            on_bad(error)
            continue
        if watched and sentence and sentence.tags:
            for column, tags in zip(named, (sentence.tags, *sentence.further), strict=True):
                if column in watched and "_" in tags:
                    logger.warning(
                        "%s: a word without %s; its tag is `_`, here and for every other such word",
                        sentence.place,
                        column,
                    )
                    watched.remove(column)
        yield ConlluBlock(sentence, tuple(raw for _, raw in block), word_rows, columns)


def _find_columns(lines: Lines, row: RawLine, named: Sequence[str]) -> tuple[str, ...]:
    """The columns that the first line of a CoNLL-U Plus file names; those of CoNLL-U where it names none."""
    number, raw = row
    found = _NAMED_COLUMNS.match(raw)
    if found is None:
        for column in named:
            column_index(column)
        return COLUMNS
    columns = tuple(lines.decode(number, found[1]).upper().split())
    missing = [name for name in ("ID", "FORM", *named) if name.upper() not in columns]
    if missing or len(set(columns)) < len(columns):
        problem = f"no column {missing[0]}" if missing else "a column twice"
        raise lines.fault(number, f"{problem} among global.columns: {' '.join(columns)}")
    return columns


def _parse_block(
    lines: Lines, block: list[RawLine], columns: tuple[str, ...], wanted: tuple[str, ...], need_heads: bool
) -> tuple[Sentence | None, tuple[int, ...]]:
    words: list[list[str]] = []
    word_rows: list[int] = []
    other_row = 0
    id_place = columns.index("ID")
    for index, (number, raw) in enumerate(block):
        if is_blank(raw):
            continue
        text = lines.decode(number, raw)
        if text.startswith("#"):
            if words or other_row:
                raise lines.fault(number, "a comment inside a sentence; is the blank line before it missing?")
            continue
        fields = text.split("\t")
        if len(fields) != len(columns):
            raise lines.fault(number, f"{len(fields)} columns found, {len(columns)} expected (separated by TABs)")
        if "" in fields:
            raise lines.fault(number, f"{columns[fields.index('')]} is empty; a missing value is written `_`")
        if fields[id_place] == str(len(words) + 1):
            if "UPOS" in wanted and fields[columns.index("UPOS")] == "_":
                raise lines.fault(number, f"UPOS of {fields[columns.index('FORM')]!r} is missing (`_`)")
            words.append(fields)
            word_rows.append(index)
        elif _NO_WORD_ID.fullmatch(fields[id_place]):
            other_row = number
        else:
            hint = "; is a blank line before it missing?" if words and fields[id_place] == "1" else ""
            raise lines.fault(number, f"expected the ID {len(words) + 1}, found {fields[id_place]!r}{hint}")
    if not words:
        if other_row:
            raise lines.fault(other_row, "a sentence without words: no row has the ID 1")
        return None, ()
    first = block[word_rows[0]][0]
    by_name = {name: tuple(row[place] for row in words) for place, name in enumerate(columns)}
    heads = _parse_heads(lines, [block[index][0] for index in word_rows], by_name.get("HEAD", ()), need_heads)
    sentence = Sentence(
        tokens=by_name["FORM"],
        tags=by_name[wanted[0]] if wanted else None,
        heads=heads,
        relations=None if heads is None else by_name.get("DEPREL"),
        further=tuple(by_name[column] for column in wanted[1:]),
        place=lines.place(first),
    )
    return sentence, tuple(word_rows)


def _parse_heads(lines: Lines, numbers: list[int], written: tuple[str, ...], needed: bool) -> tuple[int, ...] | None:
    """`numbers` are the lines of the words, `written` their HEADs, none where the file has no such column."""
    if not written:
        if needed:
            raise lines.fault(numbers[0], "the heads of the words are needed, and this file has no column HEAD")
        return None
    heads = []
    for number, head in zip(numbers, written, strict=True):
        if not (head.isascii() and head.isdigit() and len(head) < 10 and int(head) <= len(written)):
            if needed:
                raise lines.fault(number, f"expected a HEAD from 0 to {len(written)}, found {head!r}")
            return None
        heads.append(int(head))
    return tuple(heads)
