"""Gold derivations and predicted ones -> coverage, supertags, whole sentences, brackets and exact derivations.

A bracket is an inner node: its category and the words it spans. Brackets that stand several times (unary rules) count
as often as they stand, as in PARSEVAL. A sentence without a parse has no predicted brackets and keeps the tags that the
tagger gave it, where they are known; without them its supertags count as wrong.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from nntag.corpora.records import Tree
from nntag.errors import DataError
from nntag.tagging.parsing.parse import supertags_of
from nntag.tagging.parsing.pictures import find_spans


class ParseScore:
    """Collects sentences; `report` gives all figures."""

    def __init__(self) -> None:
        self._sentences = self._parsed = self._exact = self._tokens = 0
        self._tagged = True  # the tagger's tags are known for every sentence so far
        self._right: Counter[str] = Counter()  # tokens and sentences whose supertags are right, before and after
        self._brackets = {kind: _Overlap() for kind in ("labelled", "unlabelled")}

    def add(self, gold: Tree, predicted: Tree | None, tags: Sequence[str] | None = None) -> None:
        """Counts one sentence; `predicted` None: no parse; `tags`: what the tagger gave before parsing, if known."""
        right = supertags_of(gold)
        after = supertags_of(predicted) if predicted else tags
        self._sentences += 1
        self._tokens += len(right)
        self._tagged &= tags is not None
        self._parsed += predicted is not None
        self._add_tags("before", right, tags)
        self._add_tags("after", right, after)
        self._exact += predicted is not None and gold.labels == predicted.labels and gold.children == predicted.children
        for kind, overlap in self._brackets.items():
            overlap.add(*(find_brackets(tree, kind == "labelled") for tree in (gold, predicted)))

    def _add_tags(self, when: str, gold: Sequence[str], tags: Sequence[str] | None) -> None:
        if tags is not None:
            hits = sum(a == b for a, b in zip(gold, tags, strict=True))
            self._right[f"tokens_{when}"] += hits
            self._right[f"sentences_{when}"] += hits == len(gold)

    def report(self) -> dict[str, Any]:
        """Shares lie between 0 and 1. Raises DataError where no sentence was added."""
        if not self._sentences:
            raise DataError("<evaluation>", None, "no derivations to evaluate on")
        figures: dict[str, Any] = {
            "sentences": self._sentences,
            "tokens": self._tokens,
            "parsed": self._parsed,
            "coverage": self._parsed / self._sentences,
        }
        for when in ("before", "after"):
            known = when == "after" or self._tagged
            figures[f"supertags_{when}"] = self._right[f"tokens_{when}"] / self._tokens if known else None
            figures[f"whole_sentences_{when}"] = self._right[f"sentences_{when}"] / self._sentences if known else None
        figures["exact_derivations"] = self._exact / self._sentences
        figures["brackets"] = {kind: overlap.report() for kind, overlap in self._brackets.items()}
        return figures


def find_brackets(tree: Tree | None, labelled: bool) -> Counter[tuple[str, int, int]]:
    """The inner nodes of a derivation: category ("" if unlabelled), first word, word after the last."""
    if tree is None:
        return Counter()
    rows = zip(tree.labels, tree.children, find_spans(tree), strict=True)
    return Counter((label if labelled else "", *span) for label, children, span in rows if children)


class _Overlap:
    """Precision, recall and F1 of multisets."""

    def __init__(self) -> None:
        self.gold = self.predicted = self.right = 0

    def add(self, gold: Counter[Any], predicted: Counter[Any]) -> None:
        self.gold += gold.total()
        self.predicted += predicted.total()
        self.right += (gold & predicted).total()

    def report(self) -> dict[str, Any]:
        total = self.gold + self.predicted
        return {
            "precision": self.right / self.predicted if self.predicted else None,
            "recall": self.right / self.gold if self.gold else None,
            "f1": 2 * self.right / total if total else None,
            "gold": self.gold,
            "predicted": self.predicted,
        }
