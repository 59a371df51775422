"""Checks of gold labels where a split is made and where it is scored: counts of labels in, errors and warnings out.

A column that holds one tag, or none that the model knows, gives a perfect score or none at all; neither is a result.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping

from nntag.errors import DataError

EMPTY = "_"  # how treebanks write a value that is missing
MANY_TAGS = 500  # ours: a column with more tags than this, and than half of its words, is hardly one of tags
MOST_NAMED = 3

logger = logging.getLogger("nntag")


def check_training_tags(counts: Mapping[str, int], word_types: int, source: str, column: str | None) -> None:
    """Raises `DataError` where training has one tag alone; warns where it has about as many tags as words."""
    named = f"the column {column}" if column else "the column of tags"
    if list(counts) == [EMPTY]:
        raise DataError(
            source, None, f"{named} holds no tag in any line (every value is {EMPTY!r}); give another --column"
        )
    if len(counts) == 1:
        raise DataError(
            source, None, f"{named} has the tag {next(iter(counts))!r} on every word: nothing can be learned"
        )
    if len(counts) > max(MANY_TAGS, word_types / 2):
        logger.warning(
            "%s: %s has %d different tags for %d different words: are these tags, and not lemmas or the like?",
            source,
            named,
            len(counts),
            word_types,
        )


def check_gold_tags(counts: Mapping[str, int], known: Collection[str], source: str) -> None:
    """Raises `DataError` where a tagger knows none of the gold tags; warns where it knows few, or there is only one."""
    total, right = sum(counts.values()), sum(count for tag, count in counts.items() if tag in known)
    if total and not right:
        raise DataError(
            source,
            None,
            f"none of its tags ({_name(counts)}) is known to the model, whose tags are {_name(known)}; "
            "was it trained on another column?",
        )
    if right < total / 2:
        logger.warning("%s: the model knows the tags of only %d of its %d words", source, right, total)
    if len(counts) == 1 and total > 1:
        logger.warning("%s: every gold tag is %r, so that its accuracy says little", source, next(iter(counts)))


def check_classes(classes: Collection[object], seen: Collection[str], source: str) -> None:
    """Raises `DataError` where a tree model would be trained on one class alone; `seen`: the labels of the file."""
    if len(classes) == 1:
        labels = ", ".join(sorted(seen))
        raise DataError(
            source, None, f"all training sentences have one class (labels seen: {labels}; 0 to 4 are expected)"
        )


def _name(tags: Collection[str]) -> str:
    return ", ".join(list(tags)[:MOST_NAMED]) + (", ..." if len(tags) > MOST_NAMED else "")
