"""One column of tags of a corpus: its training tags in, with the rare ones replaced; counts, checks and remarks out."""

from __future__ import annotations

import itertools
import logging
from collections import Counter
from collections.abc import Iterable
from typing import Any

from nntag.encoding.vocabulary import RARE, count_all, rank_by_count
from nntag.errors import UsageError
from nntag.tagging.attributes import find_attributes, holds_attributes
from nntag.tagging.drafts import Repeatable
from nntag.tagging.spans import holds_spans, name_scheme
from nntag.tagging.tag_columns import TagColumn

MOST_WARNED = 10

logger = logging.getLogger("nntag")

Rows = Iterable[tuple[str, ...]]  # one column: the tags of each sentence; iterated several times


class ColumnCounts:
    """What training has of one column. `train` holds its tags, those seen fewer than `cutoff` times as `rare`."""

    def __init__(self, train: Rows, cutoff: int, name: str = ""):
        """`name`: "" for the only column. Raises `UsageError` where all tags are rare."""
        self.name, self.rare = name, None
        self._key, self._spoken = (f"{name}_", f"{name} ") if name else ("", "")
        self.counts = count_all(train)
        cut = {tag for tag, count in self.counts.items() if count < cutoff}
        self.notes: list[str] = []
        self.train = train
        if cut:
            self.rare = rare = _name_rare(self.counts)
            self.train = Repeatable(lambda: (tuple(rare if tag in cut else tag for tag in tags) for tags in train))
            self.counts = count_all(self.train)
            self.notes = [f"{len(cut)} {self._spoken}tags seen fewer than {cutoff} times in training became {rare}"]
            if list(self.counts) == [rare]:
                raise UsageError(f"--tag-cutoff {cutoff}: no {self._spoken}tag is seen so often in training")
        self._parts = self._find_parts()

    def to_column(self) -> TagColumn:
        """The output classes."""
        tags = tuple(rank_by_count(self.counts))
        return TagColumn(self.name, tags, tuple(self.counts[tag] for tag in tags), self.rare)

    def describe(self) -> dict[str, Any]:
        """What `meta.json` says of the column."""
        details = {"tag_types": len(self.counts), **self._parts}
        return {f"{self._key}{key}": value for key, value in details.items()}

    def _find_parts(self) -> dict[str, Any]:
        """What the tags are made of, if of spans or attributes."""
        known = [tag for tag in self.counts if tag != self.rare]
        if holds_spans(known):
            scheme = name_scheme(self.train)
            self.notes.append(
                f"the {self._spoken}tags mark spans ({scheme}), which `nntag eval` also scores as conlleval does"
            )
            return {"spans": scheme}
        if holds_attributes(known):
            names = sorted({name for name, _, _ in find_attributes(known)})
            self.notes.append(
                f"the {self._spoken}tags are lists of attributes, which `nntag eval` also scores one by one: "
                + ", ".join(names)
            )
            return {"attributes": names}
        return {}

    def describe_split(self, rows: Rows) -> tuple[dict[str, int], dict[str, float]]:
        """How many tags a split has, and which share of its words has one that training does not have."""
        counts = count_all(rows)
        unseen = sum(count for tag, count in counts.items() if tag not in self.counts) / counts.total()
        return {f"{self._key}tag_types": len(counts)}, {f"{self._key}unseen_tags": unseen}

    def warn_of_unseen(self, split: str, rows: Rows) -> None:
        """Names the tags that a model cannot give, because training does not have them."""
        unseen = Counter(tag for tag in itertools.chain.from_iterable(rows) if tag not in self.counts)
        if unseen:
            named = ", ".join(f"{tag} ({count})" for tag, count in unseen.most_common(MOST_WARNED))
            more = f" and {len(unseen) - MOST_WARNED} more" if len(unseen) > MOST_WARNED else ""
            logger.warning(
                "%s has %stags that training never sees, their words count as errors: %s%s",
                split,
                self._spoken,
                named,
                more,
            )


def _name_rare(tags: Iterable[str]) -> str:
    """`RARE`, or where the corpus has a tag of that name, `RARE-2`, ...: the class is not a tag of the corpus."""
    names = itertools.chain([RARE], (f"{RARE}-{number}" for number in itertools.count(2)))
    return next(name for name in names if name not in tags)
