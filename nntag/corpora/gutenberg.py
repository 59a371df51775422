"""Project Gutenberg novels -> paragraphs of running text, without licence header and footer.

Two kinds of files: `*** START OF ... EBOOK` to `*** END OF ... EBOOK`, and those of the 1990s, whose header ends at
`*END*THE SMALL PRINT!` and whose last lines say `End of the Project Gutenberg Etext`. Credits to those who typed a
text go with its header. A file that is not UTF-8 is read as cp1252, or Latin-1 where it holds bytes that cp1252 does
not have, with a warning; what its header declares is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines
from nntag.corpora.records import Paragraph
from nntag.errors import DataError

_START = re.compile(r"\s*\*{3}\s*START OF (THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
_END = re.compile(r"\s*\*{3}\s*END OF (THE|THIS) PROJECT GUTENBERG", re.IGNORECASE)
_SMALL_PRINT_START = re.compile(r"\W*START\W*THE SMALL PRINT!", re.IGNORECASE)
_SMALL_PRINT_END = re.compile(r"\W*END\W*THE SMALL PRINT!", re.IGNORECASE)
_OLD_END = re.compile(r"\W*(this is )?(the )?end\b.{0,12}\bproject\s+gutenberg", re.IGNORECASE)
_OLD_LAST_LINE = re.compile(r"\W*(of\s+)?(the\s+)?project\s+gutenberg('s)?\s+(e-?text|e-?book|edition)", re.IGNORECASE)
_CUT_BEFORE_LAST_LINE = re.compile(r"\W*((the )?end )?(of( the)?)?\W*", re.IGNORECASE)
_CREDIT = re.compile(
    r"\bproject gutenberg\b|\b(e-?texts?|electronic (text|edition))\b|\b(scanned|proofed),? (and|by|in|with|edited)\b"
    r"|^\W*(this \w+ )?(was )?(produced|prepared|transcribed|typed|digiti[sz]ed)( and \w+)? by\b",
    re.IGNORECASE,
)
_OLD_END_LINES = 400  # how far from the end "End of the Project Gutenberg Etext" may stand: errata may follow it
_OLD_LAST_LINES = 60  # the same for the bare title that ends other files
_CREDIT_PARAGRAPHS, _CREDIT_LENGTH = 6, 500  # where credits are looked for: among the first, short paragraphs


def read_gutenberg(lines: Lines, on_bad: OnBad = raise_bad) -> Iterator[Paragraph]:
    """The paragraphs between header and footer; a file without markers is all text. Holds the whole file."""
    lines.expect("gutenberg")
    try:
        text_lines = _decode_file(lines)
    except DataError as error:
        on_bad(error)
        return
    start = _find_start(text_lines)
    end = _find_end(text_lines, start)
    for count, (line, parts) in enumerate(_split_paragraphs(text_lines, start, end)):
        text = " ".join(parts)
        if count >= _CREDIT_PARAGRAPHS or len(text) > _CREDIT_LENGTH or not _CREDIT.search(text):
            yield Paragraph(text, lines.place(line))


def _decode_file(lines: Lines) -> list[str]:
    raws = [raw for _, raw in lines.raw()]
    for number, raw in enumerate(raws, start=1):
        try:
            lines.decode(number, raw)
        except DataError:
            break
    else:
        return [lines.decode(number, raw) for number, raw in enumerate(raws, start=1)]
    whole = b"".join(raws)
    try:
        encoding, text = "cp1252", whole.decode("cp1252")
    except UnicodeDecodeError:
        encoding, text = "latin-1", whole.decode("latin-1")
    logger.warning("%s:%d: not UTF-8; the file is read as %s", lines.path, number, encoding)
    return [line.removesuffix("\r") for line in text.split("\n")]


def _find_start(text_lines: list[str]) -> int:
    """The index of the first line after the header."""
    start = _first_match(_START, text_lines, 0, len(text_lines))
    small_print = _first_match(_SMALL_PRINT_END, text_lines, 0, len(text_lines))
    if start is None:
        return 0 if small_print is None else _after_small_print(text_lines, small_print)
    body = start + 1
    if "***" not in text_lines[start].strip().lstrip("* "):  # a long title: the marker ends on one of the next lines
        closing = next((n for n in range(body, min(body + 3, len(text_lines))) if text_lines[n].endswith("***")), None)
        body = body if closing is None else closing + 1
    old_start = _first_match(_SMALL_PRINT_START, text_lines, body, len(text_lines))
    if old_start is not None:  # reissued: the new header is followed by the old one
        old_end = _first_match(_SMALL_PRINT_END, text_lines, old_start, len(text_lines))
        body = body if old_end is None else _after_small_print(text_lines, old_end)
    return body


def _after_small_print(text_lines: list[str], marker: int) -> int:
    wrapped = "*END*" in "".join(text_lines[marker + 1 : marker + 2])  # the marker goes on in the next line
    return marker + 2 if wrapped else marker + 1


def _find_end(text_lines: list[str], start: int) -> int:
    """The index of the first line of the footer."""
    marker = _first_match(_END, text_lines, start, len(text_lines))
    end = len(text_lines) if marker is None else marker
    while end > start and not text_lines[end - 1].strip():
        end -= 1
    last = _first_match(_OLD_END, text_lines, max(start, end - _OLD_END_LINES), end)
    if last is None:
        last = _first_match(_OLD_LAST_LINE, text_lines, max((start + end) // 2, end - _OLD_LAST_LINES), end)
    if last is None:
        return end
    while last > start and _CUT_BEFORE_LAST_LINE.fullmatch(text_lines[last - 1]):
        last -= 1
    return last


def _first_match(pattern: re.Pattern[str], text_lines: list[str], start: int, end: int) -> int | None:
    return next((number for number in range(start, end) if pattern.match(text_lines[number])), None)


def _split_paragraphs(text_lines: list[str], start: int, end: int) -> Iterator[tuple[int, list[str]]]:
    """The number of the first line, counted from 1, and the stripped lines of each run of lines that are not blank."""
    parts: list[str] = []
    for index in range(start, end):
        part = text_lines[index].strip(" \t")
        if part:
            parts.append(part)
        elif parts:
            yield index + 1 - len(parts), parts
            parts = []
    if parts:
        yield end + 1 - len(parts), parts
