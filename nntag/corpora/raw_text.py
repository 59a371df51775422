"""Lines of running text in, sentences with tokens and their offsets out; and a warning for what should have come so.

Sentences are split by nltk's Punkt with a list of English abbreviations, tokens by its `NLTKWordTokenizer`, the rules
of `nltk.word_tokenize`; nothing is downloaded. A token is always a piece of the text: nltk itself makes `` and '' of
quotation marks.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nntag.corpora.faults import OnBad, logger, raise_bad
from nntag.corpora.lines import Lines
from nntag.errors import DataError

WATCHED = 10  # sentences that are looked at for signs of untokenised text
# Words before whose full stop a sentence seldom ends; Punkt knows initials (`J. Smith`) by itself. ours.
_ABBREVIATIONS = """
adm apr assn aug ave bros capt cf co col corp dec dept dr e.g ed eds esq est etc feb fig figs fr gen gov hon i.e inc jan
jr jul jun lt ltd maj mar messrs mme mr mrs ms mt no nos nov oct op p.m a.m ph.d pp prof pvt rep rev sen sep sept sgt sr
st u.k u.n u.s viz vol vols vs
"""
ABBREVIATIONS = frozenset(_ABBREVIATIONS.split())
_QUOTES = {"``": ("``", "''", '"'), "''": ("''", '"')}  # nltk's token -> what may stand in the text for it

Span = tuple[int, int]  # from, up to: characters counted from 0


@dataclass(frozen=True, slots=True)
class RawSentence:
    """One sentence of a line of text; without tokens it stands for a blank line, or one that could not be read."""

    line: int  # number of the line, from 1
    text: str  # the whole line
    spans: tuple[Span, ...]  # of the tokens in `text`
    fault: str = ""  # why there are no tokens

    @property
    def tokens(self) -> tuple[str, ...]:
        """The tokens as they stand in the text."""
        return tuple(self.text[start:end] for start, end in self.spans)

    @property
    def spaces(self) -> tuple[bool, ...]:
        """For each token whether something stands between it and the next one; after the last one it does."""
        following = [start for start, _ in self.spans[1:]]
        gaps = [end < start for (_, end), start in zip(self.spans, following, strict=False)]
        return (*gaps, True)


def read_raw_text(lines: Lines, on_bad: OnBad = raise_bad) -> Iterator[RawSentence]:
    """The sentences of each line, as lines arrive; a blank line gives one without tokens, and one that is not UTF-8 one
    with a `fault` where `on_bad` does not raise."""
    lines.expect("text")
    for number, raw in lines.raw():
        try:
            text = lines.decode(number, raw)
        except DataError as error:
            on_bad(error)
            yield RawSentence(number, "", (), str(error))
            continue
        sentences = [spans for spans in map(tuple, split_text(text)) if spans]
        for spans in sentences or [()]:
            yield RawSentence(number, text, spans)


def split_text(text: str) -> Iterator[list[Span]]:
    """The spans of the tokens of each sentence of `text`."""
    splitter, tokenize = _load()
    for start, end in splitter.span(text):
        yield [(start + first, start + last) for first, last in align(tokenize(text[start:end]), text[start:end])]


def align(tokens: Sequence[str], text: str) -> Iterator[Span]:
    """Where each of nltk's tokens of `text` stands in it."""
    place = 0
    for token in tokens:
        while text[place].isspace():
            place += 1
        found = next(form for form in _QUOTES.get(token, (token,)) if text.startswith(form, place))
        yield place, place + len(found)
        place += len(found)


@functools.cache
def _load() -> tuple[Any, Callable[[str], list[str]]]:
    """The splitter and the tokeniser, imported where text is split: that takes a second."""
    from nltk.tokenize.destructive import NLTKWordTokenizer
    from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer

    from nntag.corpora.sentence_splitter import SentenceSplitter

    known = PunktParameters()
    known.abbrev_types = set(ABBREVIATIONS)
    return SentenceSplitter(PunktSentenceTokenizer(known)), NLTKWordTokenizer().tokenize


class UntokenisedWatch:
    """Warns, once, where half of the first sentences have a sign stuck to a word: `dog.` at their end, or `dog,`."""

    def __init__(self, path: str):
        self._path = path
        self._seen = self._odd = 0
        self._warned = False

    def see(self, tokens: Sequence[str]) -> None:
        """Looks at one sentence of text that should be tokenised."""
        if not tokens or self._warned or self._seen >= WATCHED:
            return
        self._seen += 1
        sign = find_stuck_sign(tokens)
        self._odd += sign is not None
        if sign and 2 * self._odd >= self._seen:
            self._warned = True
            logger.warning(
                "%s: this looks like text that is not tokenised (%s); --tokenize splits it into sentences and tokens",
                self._path,
                sign,
            )


def find_stuck_sign(tokens: Sequence[str]) -> str | None:
    """A word with a sign that a tokeniser would have parted from it; None where there is none."""
    last = tokens[-1]
    if last[-1] in ".!?" and last[:-1].isalpha() and len(last) > 3 and last[:-1].lower() not in ABBREVIATIONS:
        return last
    return next((token for token in tokens if token[-1] in ",;" and token[:-1].isalpha()), None)
