"""Tagged sentences as items for a file; and two systems' items in, their accuracy and F1 side by side out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from nntag.schema import Maybe, Record, Rows, Schema, Table, Text
from nntag.tagging.parts import PartKind, PartScore, find_part_kind
from nntag.tagging.text_files import TaggedText
from nntag.training.item_files import Item
from nntag.training.paired_figures import PairedFigure, compare_accuracy

_TAGS: dict[str, Schema] = {"gold": Rows(Maybe(Text())), "predicted": Rows(Text())}
_FURTHER = Table(Record(_TAGS, same_length=(("gold", "predicted"),)))
ITEM = Record(
    {"tokens": Rows(Text()), **_TAGS},
    {"column": Text(), "further_columns": _FURTHER},
    same_length=(("tokens", "gold"), ("tokens", "predicted")),
)
IDENTITY = ("tokens", "gold", "column")  # by which two items are of the same sentence


def make_items(text: TaggedText, predicted: Iterable[Sequence[Sequence[str]]], names: Sequence[str]) -> Iterator[Item]:
    """One item a sentence; `predicted` has its tags column by column. The gold tag is None where it is missing.

    `gold` and `predicted` are those of the first column; with several, the others stand under their names.
    """
    for tokens, tags, *gold in zip(text.tokens, predicted, *text.columns, strict=True):
        item: dict[str, Any] = {"tokens": tokens, "gold": gold[0], "predicted": tags[0]}
        if len(names) > 1:
            pairs = zip(names[1:], gold[1:], tags[1:], strict=True)
            item["column"] = names[0]
            item["further_columns"] = {name: {"gold": own, "predicted": found} for name, own, found in pairs}
        yield item


def compare_items(first: Sequence[Item], second: Sequence[Item]) -> list[PairedFigure]:
    """Of each column that both have, as `_compare_column`."""
    figures = _compare_column(_prefix(first[0].get("column")), first, second)
    further, others = (items[0].get("further_columns", {}) for items in (first, second))
    for name in further:
        if name in others:
            columns = [[item["further_columns"][name] for item in items] for items in (first, second)]
            figures += _compare_column(_prefix(name), columns[0], columns[1])
    return figures


def _prefix(column: str | None) -> str:
    return f"{column} " if column else ""


def _compare_column(prefix: str, first: Sequence[Item], second: Sequence[Item]) -> list[PairedFigure]:
    """Accuracy of the tokens that have a gold tag; and the F1 of spans or attributes where tags are made of those, else
    the mean F1 of the gold tags, each counting the same."""
    first, second = ([item for item in items if any(item["gold"])] for items in (first, second))
    accuracy = compare_accuracy(f"{prefix}accuracy", "sentences", "tokens", (_right(first), _right(second)))
    tags = sorted({tag for item in first for tag in item["gold"] if tag is not None})
    given = {tag for item in (*first, *second) for tag in item["predicted"]}
    if (kind := find_part_kind({*tags, *given})) is not None:
        parts = (_count_parts(first, kind), _count_parts(second, kind))
        return [accuracy, PairedFigure(f"{prefix}{kind.name} F1", "sentences", parts, _f1)]
    sums = (_count_tags(first, tags), _count_tags(second, tags))
    return [accuracy, PairedFigure(f"{prefix}macro F1", "sentences", sums, _macro_f1)]


def _right(items: Sequence[Item]) -> list[list[bool]]:
    pairs = (zip(item["gold"], item["predicted"], strict=True) for item in items)
    return [[gold == tag for gold, tag in item if gold is not None] for item in pairs]


def _count_tags(items: Sequence[Item], tags: Sequence[str]) -> np.ndarray:
    """float64[K, 2 * tags]: of each tag twice how often it is right, then how often it is gold plus how often given."""
    numbers = {tag: number for number, tag in enumerate(tags)}
    counts = np.zeros((len(items), 2, len(tags)))
    for sums, item in zip(counts, items, strict=True):
        for gold, tag in zip(item["gold"], item["predicted"], strict=True):
            if gold is None:
                continue
            sums[0, numbers[gold]] += 2 * (gold == tag)
            sums[1, numbers[gold]] += 1
            if tag in numbers:
                sums[1, numbers[tag]] += 1
    return counts.reshape(len(items), -1)


def _count_parts(items: Sequence[Item], kind: PartKind) -> np.ndarray:
    """float64[K, 2]: twice the parts that are right, and gold plus predicted ones, of each sentence."""
    counts = []
    for item in items:
        score = PartScore(kind)
        score.add(item["gold"], item["predicted"])
        found = score.report()[kind.key]
        counts.append((2 * found["right"], found["gold"] + found["predicted"]))
    return np.array(counts, float)


def _f1(sums: np.ndarray) -> np.ndarray:
    """0 where nothing is gold and nothing given."""
    return sums[..., 0] / np.maximum(sums[..., 1], 1)


def _macro_f1(sums: np.ndarray) -> np.ndarray:
    """The mean over the tags that occur; a resampling may leave some out."""
    doubled, totals = np.split(sums, 2, axis=-1)
    occurs = totals > 0
    return np.divide(doubled, totals, out=np.zeros_like(doubled), where=occurs).sum(-1) / occurs.sum(-1)
