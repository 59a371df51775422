"""Word vectors as text (GloVe, word2vec, fastText) -> words and a float32 matrix, of all words or wanted ones.

Fields are separated by one ASCII space, trailing spaces are ignored; the vector is the last D fields and the word is
everything before them, spaces too. D is what the caller says, else the header, else what the first line has.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines, open_lines
from nntag.errors import DataError

_HEADER = re.compile(r"([0-9]{1,12}) ([0-9]{1,6})")


class WordSet(Protocol):
    """A set, a dictionary or a vocabulary."""

    def __contains__(self, word: str, /) -> bool: ...


@dataclass(frozen=True)
class WordVectors:
    """`matrix`: float32[words, dimension], a row for each of `words`."""

    words: tuple[str, ...]
    matrix: np.ndarray


def load_vectors(
    path: str | os.PathLike[str],
    wanted: WordSet | None = None,
    dimension: int | None = None,
    on_bad: OnBad = raise_bad,
    others: int = 0,
) -> WordVectors:
    """The vectors of a file, or those of `wanted` words and of the first `others` besides them.

    There may be none: matrix float32[0, 0].
    """
    words: list[str] = []
    rows: list[np.ndarray] = []
    for word, vector in read_vectors(open_lines(path), wanted, dimension, on_bad=on_bad, others=others):
        words.append(word)
        rows.append(vector)
    matrix = np.stack(rows) if rows else np.zeros((0, 0), dtype=np.float32)
    return WordVectors(tuple(words), matrix)


def read_vectors(
    lines: Lines,
    wanted: WordSet | None = None,
    dimension: int | None = None,
    dtype: type[np.floating] = np.float32,
    on_bad: OnBad = raise_bad,
    others: int = 0,
) -> Iterator[tuple[str, np.ndarray]]:
    """Word and vector of each line, or of the `wanted` words and the first `others` besides them.

    The first vector of a repeated word wins. Repeated words, empty lines and words, and a header whose count is wrong
    are warned of. Raises DataError for fewer than D values, and where a value of such a word is not a finite number.
    """
    lines.expect("vectors")
    seen: set[str] = set()
    promised: int | None = None
    entries = 0
    for number, raw in lines.raw():
        try:
            text = lines.decode(number, raw).rstrip(" ")
            if number == 1 and (header := _HEADER.fullmatch(text)):
                promised, width = int(header[1]), int(header[2])
                if dimension not in (None, width):
                    logger.warning(
                        "%s:1: the header gives %d as the dimension, but %d was asked for", lines.path, width, dimension
                    )
                dimension = dimension or width
                continue
            entries += 1
            if not text:
                logger.warning("%s:%d: an empty line was left out", lines.path, number)
                continue
            dimension = dimension or _first_dimension(lines, number, text)
            word, values = _split_entry(lines, number, text, dimension)
            if not word:
                logger.warning("%s:%d: a vector without a word was left out", lines.path, number)
            is_other = wanted is not None and word not in wanted
            if not word or (is_other and others == 0):
                continue
            if word in seen:
                logger.warning("%s:%d: %r occurs again; its first vector is kept", lines.path, number, word)
                continue
            vector = _parse_values(lines, number, values, dimension, dtype)
            others -= is_other
        except DataError as error:
            on_bad(error)
            continue
        seen.add(word)
        yield word, vector
    if promised is not None and promised != entries:
        logger.warning("%s:1: the header announces %d entries, the file has %d", lines.path, promised, entries)


def _first_dimension(lines: Lines, number: int, text: str) -> int:
    spaces = text.count(" ")
    if not spaces:
        raise lines.fault(number, f"expected a word and its values, separated by spaces, found {text[:40]!r}")
    return spaces


def _split_entry(lines: Lines, number: int, text: str, dimension: int) -> tuple[str, str]:
    """The word and its values, not parsed yet."""
    spaces = text.count(" ")
    if spaces < dimension:
        raise lines.fault(number, f"{spaces} values, {dimension} expected after the word in {text[:40]!r}")
    if spaces == dimension:
        word, _, values = text.partition(" ")
    else:
        word, *rest = text.rsplit(" ", dimension)
        values = " ".join(rest)
    return word, values


def _parse_values(lines: Lines, number: int, values: str, dimension: int, dtype: type[np.floating]) -> np.ndarray:
    try:
        vector = np.fromstring(values, dtype=dtype, sep=" ")
    except ValueError:
        vector = np.empty(0, dtype=dtype)
    if len(vector) == dimension and bool(np.isfinite(vector).all()):
        return vector
    for value in values.split(" "):
        try:
            parsed = np.fromstring(value, dtype=dtype, sep=" ")
        except ValueError:
            parsed = np.empty(0, dtype=dtype)
        if len(parsed) != 1 or not np.isfinite(parsed[0]):
            problem = "is not finite" if len(parsed) == 1 else "is not a number"
            raise lines.fault(number, f"expected {dimension} finite numbers, but the value {value!r} {problem}")
    raise lines.fault(number, f"expected {dimension} values, found {len(vector)}")
