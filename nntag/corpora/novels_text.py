"""Running text of novels, or a question about one, in; tokens out: both by the same rules.

Questions of the completion challenge come tokenised in part ("he rose , _____ his hat , and went." or "do n't"),
novels not at all. The rules below give the same tokens for either, and change nothing when they meet their own output
again, so that a candidate is the word that training has seen:

- letters keep their case, which is the vocabulary's affair;
- a hyphenated word is one token (`sitting-room`); so is a number with its letters (`1,200`, `7th`);
- `n't`, `'s`, `'ll`, `'ve`, `'re`, `'d`, `'m` are tokens of their own, others inside a word stay (`o'clock`);
- quotation marks and the underscores of italics are dropped: the questions have hardly any;
- every other sign is a token, runs of dots and of hyphens one each; so the full stop of `mr.` is one, too.
"""

from __future__ import annotations

import re

_LETTER = r"[^\W\d_]"
_CLITIC = rf"(?:s|ll|ve|re|d|m)(?!{_LETTER})"
_TOKEN = re.compile(
    rf"\d+(?:[.,:]\d+)*{_LETTER}*"
    rf"|n't(?!{_LETTER})"
    rf"|'{_CLITIC}"
    rf"|{_LETTER}+?(?=n't(?!{_LETTER}))"
    rf"|{_LETTER}+(?:(?:-|'(?!{_CLITIC})){_LETTER}+)*"
    r"|\.\.+|--+"
    r"|[^\w\s'\"`\u201c\u201d\u2018\u201e\u00ab\u00bb]",
    re.IGNORECASE,
)
_HAS_WORD = re.compile(r"[^\W_]")
_NUMBER_WORD = "one|two|three|four|five|six|seven|eight|nine|ten|(the )?(first|second|third|fourth|fifth|last)"
_HEADING = re.compile(
    rf"\W*(chapter|book|part|volume|section|scene|act|canto)\s+([ivxlc]+|\d+|{_NUMBER_WORD})\b", re.IGNORECASE
)
_HEADING_WORDS = 15


def tokenize(text: str) -> list[str]:
    """The tokens of a sentence or of a part of one."""
    return _TOKEN.findall(text.replace("\u2019", "'").replace("\u2014", "--"))


def has_words(text: str) -> bool:
    """Whether there is any letter or digit, and not only `* * *` between two scenes."""
    return _HAS_WORD.search(text) is not None


def is_heading(paragraph: str) -> bool:
    """Whether a paragraph is the head of a chapter or of a part, or all in capitals, rather than prose."""
    if len(paragraph.split()) > _HEADING_WORDS:
        return False
    if _HEADING.match(paragraph):
        return True
    return not any(letter.islower() for letter in paragraph) and not paragraph.rstrip("\"' ").endswith(("!", "?"))
