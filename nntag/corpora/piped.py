"""One sentence a line, `word|POS|supertag` a token as C&C and EasyCCG write it, or `word|tag` -> tagged sentences.

Tokens are separated by ASCII spaces; fields are counted from the right, so that a word may hold a bar itself.
"""

from __future__ import annotations

from collections.abc import Iterator

from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.lines import Lines, is_blank
from nntag.corpora.marks import replace_marks
from nntag.corpora.records import Sentence
from nntag.errors import DataError

_LAYOUTS = {3: "word|POS|supertag", 2: "word|tag"}


def read_piped(lines: Lines, fields: int = 3, on_bad: OnBad = raise_bad) -> Iterator[Sentence]:
    """`fields` = 3: tags and supertags; 2: tags alone. Raises DataError for a token with a missing or empty field."""
    return replace_marks(_read_lines(lines, fields, on_bad), lines)


def _read_lines(lines: Lines, fields: int, on_bad: OnBad) -> Iterator[Sentence]:
    lines.expect("piped" if fields == 3 else _LAYOUTS[fields])
    for number, raw in lines.raw():
        if is_blank(raw):
            continue
        try:
            tokens = split_piped(lines, number, lines.decode(number, raw), fields)
        except DataError as error:
            on_bad(error)
            continue
        columns = tuple(zip(*tokens, strict=True))
        yield Sentence(columns[0], columns[1], columns[2] if fields == 3 else None, place=lines.place(number))


def split_piped(lines: Lines, number: int, text: str, fields: int) -> list[list[str]]:
    """The fields of each token of a line. Raises DataError for one that is missing or empty."""
    tokens = []
    for token in text.split(" "):
        if not token:
            continue
        parts = token.rsplit("|", fields - 1)
        if len(parts) != fields or "" in parts or "\t" in token:
            problem = "with a TAB in it" if "\t" in token else "with a field missing or empty"
            column = text.index(token) + 1
            raise lines.fault(number, f"expected {_LAYOUTS[fields]}, found {token!r} {problem}", column)
        tokens.append(parts)
    return tokens
