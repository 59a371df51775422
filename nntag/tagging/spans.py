"""Tags of words in spans (`B-NP I-NP O`) -> the spans, and their precision, recall and F1 as conlleval has them.

conlleval is the scorer of the shared tasks CoNLL-2000 and CoNLL-2003 (E. F. Tjong Kim Sang, 2004). A span begins at B,
at I after O and wherever the type changes, so that IOB1, IOB2 and anything that a tagger gives can be scored. A span is
right where both its borders and its type are. Without any span, precision, recall and F1 are 0, as they are there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

OUTSIDE = "O"
_SPAN_TAG = re.compile(r"O|[BI](-.*)?", re.DOTALL)

Span = tuple[str, int, int]  # type, first word, the word after the last


def holds_spans(tags: Iterable[str]) -> bool:
    """Whether these are the tags of a BIO column: `O`, `B-TYPE`, `I-TYPE`, or B and I alone, and nothing else."""
    tags = set(tags)
    return bool(tags - {OUTSIDE}) and all(_SPAN_TAG.fullmatch(tag) for tag in tags)


def name_scheme(sentences: Iterable[Sequence[str]]) -> str:
    """`IOB2` where each span begins with B, also called BIO; `IOB1` where B only parts neighbours of one type."""
    for tags in sentences:
        if any(tags[start].startswith("I") for _, start, _ in find_spans(tags)):
            return "IOB1"
    return "IOB2"


def find_spans(tags: Sequence[str | None]) -> list[Span]:
    """The spans of one sentence from left to right; a tag that is missing, or of no span, is outside of all."""
    spans: list[Span] = []
    start, before, inside = 0, OUTSIDE, ""  # of the span that is open, if `before` is not outside
    for place, tag in enumerate([*tags, OUTSIDE]):
        letter, _, kind = tag.partition("-") if tag and _SPAN_TAG.fullmatch(tag) else (OUTSIDE, "", "")
        begins = letter != OUTSIDE and (letter == "B" or before == OUTSIDE or kind != inside)
        if before != OUTSIDE and (begins or letter == OUTSIDE):
            spans.append((inside, start, place))
        if begins:
            start = place
        before, inside = letter, kind
    return spans


class SpanScore:
    """Counts of spans by type; `add` sentences, then `report`."""

    def __init__(self) -> None:
        self._gold: Counter[str] = Counter()
        self._predicted: Counter[str] = Counter()
        self._right: Counter[str] = Counter()

    def add(self, gold: Sequence[str | None], predicted: Sequence[str]) -> None:
        """Counts one sentence; words whose gold tag is missing are outside of all spans on both sides."""
        known = [None if right is None else tag for right, tag in zip(gold, predicted, strict=True)]
        wanted, found = find_spans(gold), find_spans(known)
        self._gold.update(kind for kind, _, _ in wanted)
        self._predicted.update(kind for kind, _, _ in found)
        self._right.update(kind for kind, _, _ in set(wanted) & set(found))

    def report(self) -> dict[str, Any]:
        """`span_precision`, `span_recall` and `span_f1` over all spans, and `spans`: counts, and the same by type."""
        right, gold, predicted = self._right.total(), self._gold.total(), self._predicted.total()
        overall = _precision_recall(right, gold, predicted)
        types = sorted(self._gold | self._predicted, key=lambda kind: (-self._gold[kind], kind))
        per_type = {
            kind: _precision_recall(self._right[kind], self._gold[kind], self._predicted[kind]) for kind in types
        }
        return {
            **{f"span_{name}": overall[name] for name in ("precision", "recall", "f1")},
            "spans": {"gold": gold, "predicted": predicted, "right": right, "per_type": per_type},
        }


def _precision_recall(right: int, gold: int, predicted: int) -> dict[str, Any]:
    """Shares between 0 and 1, 0 where there is nothing to share; F1 is the harmonic mean of the two others."""
    return {
        "precision": right / predicted if predicted else 0.0,
        "recall": right / gold if gold else 0.0,
        "f1": 2 * right / (gold + predicted) if gold + predicted else 0.0,
        "gold": gold,
        "predicted": predicted,
        "right": right,
    }
