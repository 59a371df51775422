"""What tags say beyond single words, or in parts, spans and attributes: tags in, the shares of right parts out.

A part is a tuple that begins with its type: a span `("NP", 3, 5)`, an attribute `("Case", 3, "Nom")`. It is right where
the gold tags have the same. Precision, recall and F1 are 0 where there is nothing to share, as in conlleval.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from nntag.tagging.attributes import find_attributes, holds_attributes
from nntag.tagging.spans import find_spans, holds_spans

SHARES = ("precision", "recall", "f1")


@dataclass(frozen=True, slots=True)
class PartKind:
    """One kind of parts: how to see that a column has them, and to find those of a sentence."""

    name: str
    holds: Callable[[Iterable[str]], bool]
    find: Callable[[Sequence[str | None]], Sequence[tuple[Any, ...]]]

    @property
    def key(self) -> str:
        """Where reports have the counts: `spans`."""
        return f"{self.name}s"

    @property
    def figures(self) -> tuple[str, ...]:
        """Where reports have the shares: `span_precision`, `span_recall`, `span_f1`."""
        return tuple(f"{self.name}_{share}" for share in SHARES)


KINDS = (PartKind("span", holds_spans, find_spans), PartKind("attribute", holds_attributes, find_attributes))


def find_part_kind(tags: Iterable[str]) -> PartKind | None:
    """What the tags of a column are made of, if of parts."""
    tags = set(tags)
    return next((kind for kind in KINDS if kind.holds(tags)), None)


class PartScore:
    """Counts of parts by type; `add` sentences, then `report`."""

    def __init__(self, kind: PartKind):
        self._kind = kind
        self._gold: Counter[str] = Counter()
        self._predicted: Counter[str] = Counter()
        self._right: Counter[str] = Counter()

    def add(self, gold: Sequence[str | None], predicted: Sequence[str]) -> None:
        """Counts one sentence; a word whose gold tag is missing has no part on either side."""
        known = [None if right is None else tag for right, tag in zip(gold, predicted, strict=True)]
        wanted, found = set(self._kind.find(gold)), set(self._kind.find(known))
        for counts, parts in ((self._gold, wanted), (self._predicted, found), (self._right, wanted & found)):
            counts.update(part[0] for part in parts)

    def report(self) -> dict[str, Any]:
        """The shares over all parts, and under the kind's key the counts, and the same by type."""
        total = _count_shares(*(counts.total() for counts in (self._right, self._gold, self._predicted)))
        types = sorted(self._gold | self._predicted, key=lambda name: (-self._gold[name], name))
        shares = dict(zip(self._kind.figures, (total.pop(share) for share in SHARES), strict=True))
        return {**shares, self._kind.key: {**total, "per_type": {name: self._of_type(name) for name in types}}}

    def _of_type(self, name: str) -> dict[str, Any]:
        return _count_shares(self._right[name], self._gold[name], self._predicted[name])


def _count_shares(right: int, gold: int, predicted: int) -> dict[str, Any]:
    """Shares between 0 and 1; F1 is the harmonic mean of precision and recall."""
    return {
        "precision": right / predicted if predicted else 0.0,
        "recall": right / gold if gold else 0.0,
        "f1": 2 * right / (gold + predicted) if gold + predicted else 0.0,
        "gold": gold,
        "predicted": predicted,
        "right": right,
    }
