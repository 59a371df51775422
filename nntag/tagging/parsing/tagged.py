"""Supertagged text that `nntag tag` or another tagger wrote -> words with their categories and probabilities.

Reads the formats of `hand_over` and `nntag tag --format json`; an empty line, or for C&C one more blank line than the
one that ends a sentence, is an empty sentence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from math import exp
from typing import Any

from nntag.config.fields import unknown_name
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.lines import Lines, RawLine, is_blank
from nntag.errors import DataError, UsageError
from nntag.tagging.parsing.hand_over import EXCLUDED, NO_TAG, TaggedWords

Scored = list[tuple[str, float]]


Reader = Callable[[Lines, OnBad], Iterator[TaggedWords]]


def read_tagged(lines: Lines, format: str, on_bad: OnBad = raise_bad) -> Iterator[TaggedWords]:
    """Sentences in one of the TAGGED_FORMATS. Raises DataError for a broken line, UsageError for another format.

    Where `on_bad` does not raise, an empty sentence with a `fault` stands in the place of each bad one.
    """
    if format not in TAGGED_FORMATS:
        raise UsageError(unknown_name("--input-format", format, TAGGED_FORMATS))
    return TAGGED_FORMATS[format](lines, on_bad)


def _read_lines(parse: Callable[[str], TaggedWords], expected: str) -> Reader:
    """A reader for a format with a sentence a line."""

    def read(lines: Lines, on_bad: OnBad) -> Iterator[TaggedWords]:
        for number, raw in lines.raw():
            try:
                yield _checked(lines, number, expected, parse, lines.decode(number, raw))
            except DataError as error:
                yield _mark(error, on_bad)

    return read


def _mark(error: DataError, on_bad: OnBad) -> TaggedWords:
    on_bad(error)
    return TaggedWords([], [], fault=str(error))


def _checked(
    lines: Lines, number: int, expected: str, parse: Callable[[Any], TaggedWords], item: object
) -> TaggedWords:
    try:
        sentence = parse(item)
        if isinstance(sentence.tokens, str):
            raise TypeError
        pairs = list(zip(sentence.tokens, sentence.likely, strict=True))
        "".join(sentence.tokens).encode()  # lone surrogates have no UTF-8
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError):
        raise lines.fault(number, f"expected {expected}, found {ascii(item)[:60]}") from None
    for word, likely in pairs:
        if not isinstance(word, str) or not word.strip(" ") or any(separator in word for separator in "\t\r\n"):
            raise lines.fault(number, f"expected words without tabs and line ends, found {word!r}")
        if not likely or not all(category and 0 < p < 1.001 for category, p in likely):
            raise lines.fault(
                number, f"expected categories with probabilities above 0 for {word!r}, found {likely[:3]}"
            )
    return sentence


def _read_candc(lines: Lines, on_bad: OnBad) -> Iterator[TaggedWords]:
    rows: list[RawLine] = []
    first = 1
    for number, raw in lines.raw():
        if is_blank(raw):
            yield _check_rows(lines, first, rows, on_bad)
            rows, first = [], number + 1
        else:
            rows.append((number, raw))
    if rows:
        yield _check_rows(lines, first, rows, on_bad)


def _check_rows(lines: Lines, first: int, rows: list[RawLine], on_bad: OnBad) -> TaggedWords:
    try:
        return _checked(lines, first, _CANDC, _parse_candc, [lines.decode(*row) for row in rows])
    except DataError as error:
        return _mark(error, on_bad)


def _parse_easyccg(text: str) -> TaggedWords:
    fields = [word.split("\t") for word in text.split("|")] if text else []
    return _from_fields([(row[0], row[1], row[3:]) for row in fields])


def _parse_candc(rows: list[str]) -> TaggedWords:
    fields = [row.split("\t") for row in rows]
    if any(len(row) != 3 + 2 * int(row[2]) for row in fields):
        raise ValueError
    return _from_fields([(row[0], row[1], row[3:]) for row in fields])


def _parse_easysrl(text: str) -> TaggedWords:
    tokens, likely = [], []
    for part in text.split():
        word, *scored = part.split("|")
        tokens.append(word)
        pairs = [item.rsplit("=", 1) for item in scored]
        likely.append(_sorted([(category, exp(float(score))) for category, score in pairs]))
    return TaggedWords(tokens, likely)


def _parse_depccg(text: str) -> TaggedWords:
    record = json.loads(text)
    tokens, categories = record["words"].split(), record["categories"]
    length, width = record["head_tags_shape"]
    scores = record["head_tags"]
    if (length, width, len(scores)) != (len(tokens), len(categories), length * width):
        raise ValueError
    rows = (scores[start : start + width] for start in range(0, length * width, width))
    likely = [
        _sorted([(category, exp(score)) for category, score in zip(categories, row, strict=True) if score > EXCLUDED])
        for row in rows
    ]
    return TaggedWords(tokens, likely)


def _parse_json(text: str) -> TaggedWords:
    record = json.loads(text)
    likely = record.get("likely_tags") or [[(tag, 1.0)] for tag in record["tags"]]
    pos = record.get("pos")
    return TaggedWords(record["tokens"], [[(str(tag), float(p)) for tag, p in tags] for tags in likely], pos)


def _from_fields(rows: list[tuple[str, str, list[str]]]) -> TaggedWords:
    """Rows of word, part of speech, and categories and probabilities by turns."""
    likely = [
        [(category, float(p)) for category, p in zip(fields[::2], fields[1::2], strict=True)] for _, _, fields in rows
    ]
    tags = [tag for _, tag, _ in rows]
    return TaggedWords([word for word, _, _ in rows], likely, None if set(tags) <= {NO_TAG} else tags)


def _sorted(likely: Scored) -> Scored:
    return sorted(likely, key=lambda item: -item[1])


_CANDC = "lines of word, part of speech, a number, and that many categories with probabilities, tab-separated"

TAGGED_FORMATS: dict[str, Reader] = {
    "json": _read_lines(_parse_json, "an object with tokens and likely_tags, as `nntag tag --format json` writes it"),
    "easyccg": _read_lines(_parse_easyccg, "word TAB POS TAB 0 TAB category TAB probability ..., words between bars"),
    "easysrl": _read_lines(_parse_easysrl, "word|category=log-probability|..., words between spaces"),
    "candc": _read_candc,
    "depccg": _read_lines(_parse_depccg, "an object with words, categories, head_tags and head_tags_shape"),
}
