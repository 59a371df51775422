"""Tags of words in spans (`B-NP I-NP O`) -> the spans, as conlleval finds them.

conlleval is the scorer of the shared tasks CoNLL-2000 and CoNLL-2003 (E. F. Tjong Kim Sang, 2004). A span begins at B,
at I after O and wherever the type changes, so that IOB1, IOB2 and anything that a tagger gives can be scored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

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
