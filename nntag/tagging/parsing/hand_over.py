"""Words with their likely supertags -> the input of another CCG parser: EasyCCG, EasySRL, C&C or depccg.

Probabilities have six significant digits and are never 0; EasySRL and depccg read their natural logarithms. A word or
category that holds a separator of the format is refused: none of these formats has an escape.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from nntag.errors import UsageError
from nntag.tagging.parsing.parse import LikelyTags

NO_TAG = "X"  # part of speech where none is known
LEAST = 1e-38  # least probability that is written; below lie numbers that single precision rounds to 0
EXCLUDED = -1000.0  # depccg's log-probability of a category that is not likely


@dataclass(frozen=True, slots=True)
class TaggedWords:
    """One sentence to hand over."""

    tokens: Sequence[str]
    likely: LikelyTags  # for each token its categories and their probabilities, best first
    tags: Sequence[str] | None = None  # parts of speech
    fault: str = ""  # why there are no tokens, where what stood here could not be read


def write_easyccg(sentence: TaggedWords) -> str:
    """One sentence per line, words between `|`: word TAB POS TAB 0 TAB category TAB probability ... (`supertagged`)."""
    _refuse_separators(sentence, "easyccg", "|\t ")
    words = (
        "\t".join([word, tag, "0", *_fields(likely)])
        for word, tag, likely in zip(sentence.tokens, _tags(sentence), sentence.likely, strict=True)
    )
    return "|".join(words) + "\n"


def write_candc(sentence: TaggedWords) -> str:
    """C&C's multi-tags (`%w\\t%p\\t%S`): one word per line, a blank line after a sentence."""
    _refuse_separators(sentence, "candc", "\t ")
    words = (
        "\t".join([word, tag, str(len(likely)), *_fields(likely)]) + "\n"
        for word, tag, likely in zip(sentence.tokens, _tags(sentence), sentence.likely, strict=True)
    )
    return "".join(words) + "\n"


def write_easysrl(sentence: TaggedWords) -> str:
    """One sentence per line: `word|category=log-probability|...`, between spaces (`SupertaggedInputReader`)."""
    _refuse_separators(sentence, "easysrl", "| \t", "=")
    words = (
        "|".join([word, *(f"{category}={log_probability(p):.6g}" for category, p in likely)])
        for word, likely in zip(sentence.tokens, sentence.likely, strict=True)
    )
    return " ".join(words) + "\n"


def write_depccg(sentence: TaggedWords, categories: Sequence[str]) -> str:
    """One object a line, as depccg's `read_weights` takes them: all `categories`, float[T, N] of log-probabilities
    (-1000 for the unlikely) and float[T, T + 1] of head scores, all zero; both flat, with their shapes."""
    _refuse_separators(sentence, "depccg", " \t")
    columns = {category: number for number, category in enumerate(categories)}
    length = len(sentence.tokens)
    scores = np.full((length, len(columns)), EXCLUDED)
    for row, likely in zip(scores, sentence.likely, strict=True):
        for category, p in likely:
            row[columns[category]] = float(f"{log_probability(p):.6g}")
    record = {
        "words": " ".join(sentence.tokens),
        "categories": list(categories),
        "head_tags": scores.ravel().tolist(),
        "head_tags_shape": list(scores.shape),
        "heads": [0] * (length * (length + 1)),
        "heads_shape": [length, length + 1],
    }
    return json.dumps(record, ensure_ascii=False) + "\n"


Writer = Callable[[TaggedWords], str]

HAND_OVER_FORMATS = ("easyccg", "easysrl", "candc", "depccg")


def hand_over_writer(format: str, categories: Sequence[str]) -> Writer:
    """The function that writes one of HAND_OVER_FORMATS; `categories` are all that the tagger can give."""
    writers: dict[str, Writer] = {
        "easyccg": write_easyccg,
        "easysrl": write_easysrl,
        "candc": write_candc,
        "depccg": lambda sentence: write_depccg(sentence, categories),
    }
    return writers[format]


def log_probability(probability: float) -> float:
    """The natural logarithm, finite also for a probability that was rounded to 0."""
    return log(max(probability, LEAST))


def _fields(likely: Sequence[tuple[str, float]]) -> list[str]:
    return [field for category, p in likely for field in (category, f"{max(p, LEAST):.6g}")]


def _tags(sentence: TaggedWords) -> Sequence[str]:
    return sentence.tags or [NO_TAG] * len(sentence.tokens)


def _refuse_separators(sentence: TaggedWords, format: str, separators: str, in_categories: str = "") -> None:
    for name, items, refused in (
        ("word", sentence.tokens, separators),
        ("part of speech", sentence.tags or (), separators),
        ("category", {c for likely in sentence.likely for c, _ in likely}, separators + in_categories),
    ):
        for item in items:
            for separator in refused:
                if separator in item:
                    raise UsageError(
                        f"the {name} {item!r} holds {separator!r}, which separates fields in the format {format} and "
                        "has no escape there; replace it in the input, or choose another --format"
                    )
