"""Sentences or trees in, the same out without the marks among their words; and the one list of such marks.

A mark for an unknown word becomes `<unk>`, as n-gram toolkits write it; marks of documents and of sentence borders, and
the traces of a treebank, are left out. Their number is reported once per file. Where lines must stay as they are
(`nntag tag`), nothing is changed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from nntag.corpora.faults import logger
from nntag.corpora.lines import Lines
from nntag.corpora.records import Sentence, Tree

UNKNOWN_WORD = "<unk>"
UNKNOWN_MARKS = frozenset(
    ("<UNK>", "<Unk>", "[UNK]", "<unknown>", "<UNKNOWN>", "<oov>", "<OOV>", "<|unk|>", "*UNK*", "_UNK_", "@@UNKNOWN@@")
)
PERHAPS_UNKNOWN = frozenset(("UNK", "unk"))  # may be words: they stay, and are told of
SENTENCE_MARKS = frozenset(
    ("<s>", "</s>", "<S>", "</S>", "<bos>", "<eos>", "<BOS>", "<EOS>", "<sos>", "<SOS>", "<|endoftext|>")
)
DOCUMENT_MARKS = frozenset(("-DOCSTART-", "-DOCEND-"))
TRACE_TAG = "-NONE-"
W = TypeVar("W", str, str | None)
_MARKUP = re.compile(r"</?(?:doc|document|text|file|article|page|p|para|head)(?: [^<>]*)?>")


@dataclass
class _Counts:
    """The marks of one file, for its warnings."""

    left_out: Counter[str] = field(default_factory=Counter)
    unknown: Counter[str] = field(default_factory=Counter)
    perhaps: Counter[str] = field(default_factory=Counter)

    def replace_unknown(self, words: tuple[W, ...]) -> tuple[W, ...]:
        """The words with `UNKNOWN_WORD` for each mark of an unknown one, which are counted."""
        if not PERHAPS_UNKNOWN.isdisjoint(words):
            self.perhaps.update(word for word in words if word in PERHAPS_UNKNOWN)
        if UNKNOWN_MARKS.isdisjoint(words):
            return words
        self.unknown.update(word for word in words if word in UNKNOWN_MARKS)
        return tuple(UNKNOWN_WORD if word in UNKNOWN_MARKS else word for word in words)  # type: ignore[misc]

    def warn(self, path: str) -> None:
        """Tells of what was found."""
        if self.left_out:
            logger.warning("%s: left out, as marks and not words: %s", path, _list_counts(self.left_out))
        if self.unknown:
            logger.warning("%s: read as %s: %s", path, UNKNOWN_WORD, _list_counts(self.unknown))
        if self.perhaps:
            logger.warning(
                "%s: read as words: %s; if they stand for unknown words, write %s",
                path,
                _list_counts(self.perhaps),
                UNKNOWN_WORD,
            )


def replace_marks(sentences: Iterable[Sentence], lines: Lines) -> Iterator[Sentence]:
    """The sentences without marks; one that holds nothing else is left out. Warns at the end of the file,
    whose `lines` they were read from; nothing is changed where these are to be kept (`Lines.keep_marks`).

    In sentences without tags, those of plain text, the marks of sentence borders stay: language models refuse them.
    """
    if lines.keep_marks:
        yield from sentences
        return
    counts = _Counts()
    for sentence in sentences:
        kept = _find_words(sentence, counts.left_out)
        if len(kept) < len(sentence):
            if not kept:
                continue
            sentence = _keep(sentence, kept)
        tokens = counts.replace_unknown(sentence.tokens)
        yield sentence if tokens is sentence.tokens else replace(sentence, tokens=tokens)
    counts.warn(lines.path)


def replace_tree_marks(trees: Iterable[Tree], lines: Lines) -> Iterator[Tree]:
    """The trees with `UNKNOWN_WORD` for the marks of unknown words; no leaf is left out. Warns as `replace_marks`."""
    counts = _Counts()
    for tree in trees:
        words = counts.replace_unknown(tree.words)
        yield tree if words is tree.words else replace(tree, words=words)
    counts.warn(lines.path)


def _find_words(sentence: Sentence, left_out: Counter[str]) -> Sequence[int]:
    """The places of the words; the marks are counted."""
    tokens, tags = sentence.tokens, sentence.tags
    if tokens and tokens[0].startswith("<") and _is_markup(sentence):
        left_out[tokens[0].rstrip(">") + ">"] += 1
        return []
    borders = (0, len(tokens) - 1) if tags is not None else ()
    marks = {place: tokens[place] for place in borders if tokens[place] in SENTENCE_MARKS}
    if not DOCUMENT_MARKS.isdisjoint(tokens):
        marks |= {place: token for place, token in enumerate(tokens) if token in DOCUMENT_MARKS}
    if tags is not None and TRACE_TAG in tags:
        marks |= {place: TRACE_TAG for place, tag in enumerate(tags) if tag == TRACE_TAG}
    if not marks:
        return range(len(tokens))
    left_out.update(marks.values())
    return [place for place in range(len(tokens)) if place not in marks]


def _is_markup(sentence: Sentence) -> bool:
    """Whether the whole sentence is one tag such as `<doc id="1">`, whose parts a reader took for words or a tag."""
    fields = (*sentence.tokens, *(sentence.tags or ()))
    return len(fields) < 20 and (len(sentence) == 1 or not sentence.tags) and bool(_MARKUP.fullmatch(" ".join(fields)))


def _keep(sentence: Sentence, kept: Sequence[int]) -> Sentence:
    """The words at these places; heads are lost where a word hangs from one that is left out."""

    def choose(values: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if values is None else tuple(values[place] for place in kept)

    numbers = {0: 0} | {place + 1: number for number, place in enumerate(kept, start=1)}
    heads = None if sentence.heads is None else [numbers.get(sentence.heads[place]) for place in kept]
    known = None if heads is None or None in heads else tuple(head for head in heads if head is not None)
    return Sentence(
        tokens=tuple(sentence.tokens[place] for place in kept),
        tags=choose(sentence.tags),
        supertags=choose(sentence.supertags),
        heads=known,
        relations=None if known is None else choose(sentence.relations),
        further=tuple(tuple(column[place] for place in kept) for column in sentence.further),
        place=sentence.place,
    )


def _list_counts(counts: Counter[str]) -> str:
    return ", ".join(f"{mark} ({count} times)" for mark, count in counts.most_common())
