"""Plain text, one tokenised sentence per line -> sentences without tags; tokens stand between ASCII spaces and tabs."""

from __future__ import annotations

from collections.abc import Iterator

from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.lines import Lines, split_spaces
from nntag.corpora.marks import replace_marks
from nntag.corpora.records import Sentence
from nntag.errors import DataError


def read_text(lines: Lines, keep_blank: bool = False, on_bad: OnBad = raise_bad) -> Iterator[Sentence]:
    """One sentence a line; a blank line is left out, or with `keep_blank` an empty sentence."""
    return replace_marks(_read_lines(lines, keep_blank, on_bad), lines)


def _read_lines(lines: Lines, keep_blank: bool, on_bad: OnBad) -> Iterator[Sentence]:
    lines.expect("text")
    for number, raw in lines.raw():
        try:
            tokens = split_spaces(lines.decode(number, raw))
        except DataError as error:
            on_bad(error)
            continue
        if tokens or keep_blank:
            yield Sentence(tuple(tokens), place=lines.place(number))
