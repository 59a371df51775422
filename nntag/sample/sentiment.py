"""Generated sentiment trees: a seed in, labelled binary trees in the format of the Stanford Sentiment Treebank out.

The trees are reviews made by a small grammar; the text is generated. Every word has a value from -2 (very negative) to
2; every node gets the value that `compose` gives to its two children, and its label is that value plus 2. The rule:

1. A negation (`not`, `n't`, `never`, `hardly`, `no`, `without`, `lacks`) turns a positive phrase on its right into -1
   and a negative one into 1. An auxiliary joined with `n't` or `not` is itself a negation.
2. An intensifier (`very`, ...) makes a phrase that is not neutral 2 or -2; a diminisher (`slightly`, ...) 1 or -1.
3. `too` makes a neutral phrase -1 and leaves others as they are.
4. In `X but Y` and `although X , Y` the node has the value of Y, or of X where Y is neutral.
5. Every other node has the sum of its children, at most 2 and at least -2; so neutral context changes nothing.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from typing import NamedTuple

from nntag.corpora.escapes import escape_word
from nntag.sample.engine import Grammar
from nntag.sample.english import read_names, read_sections
from nntag.sample.inflection import choose_article
from nntag.sample.lexicon import list_words
from nntag.sample.scope import Language, Piece

LONGEST = 40
_SECTIONS = read_sections("reviews.txt")
LISTS = {name: list_words(text) for name, text in read_names(_SECTIONS["words"]).items()}
DETERMINERS = ("the", "a", "this", "that", "their")
ROLES = {
    **dict.fromkeys(("not", "n't", "never", "hardly", "no", "without", "lacks"), "negation"),
    **dict.fromkeys(LISTS["stronger"].items, "intensifier"),
    **dict.fromkeys(LISTS["weaker"].items, "diminisher"),
    **dict.fromkeys(("is", "was", "does", "did", "were"), "auxiliary"),
    "too": "excess",
    "but": "contrast",
    "although": "concession",
    ",": "comma",
}
VALUES = {
    word: int(value[1])
    for name, words in LISTS.items()
    if (value := re.search(r"(-?[12])$", name)) is not None
    for word in words.items
}

Phrase = str | tuple["Phrase", "Phrase"]  # a word or two phrases


class Part(NamedTuple):
    """What the rule needs to know of a phrase: its value, and what it does to the phrase on its right."""

    value: int
    role: str = ""


def compose(left: Part, right: Part) -> Part:
    """The value of a node from its two children, by the rule in the head of this module."""
    sign = (right.value > 0) - (right.value < 0)
    match left.role, right.role:
        case "comma", _:  # `, but Y` is still a contrast
            return right
        case _, "comma":  # `although X ,` a concession
            return left
        case "auxiliary", "negation":
            return Part(0, "negation")
        case "negation", _:
            return Part(-sign)
        case "intensifier", _:
            return Part(2 * sign)
        case "diminisher", _:
            return Part(sign)
        case "excess", _:
            return Part(right.value or -1)
        case "contrast" | "concession", _:
            return Part(right.value, f"{left.role} phrase")
        case ("concession phrase", _) | (_, "contrast phrase"):
            return Part(right.value or left.value)
    return Part(max(-2, min(2, left.value + right.value)))


def write_phrase(phrase: Phrase) -> tuple[str, Part]:
    """A phrase in brackets with its labels, and what the rule says of it; words that no list has are neutral."""
    if isinstance(phrase, str):
        part = Part(VALUES.get(phrase.lower(), 0), ROLES.get(phrase.lower(), ""))
        return f"({part.value + 2} {escape_word(phrase)})", part
    (left, first), (right, second) = map(write_phrase, phrase)
    part = compose(first, second)
    return f"({part.value + 2} {left} {right})", part


def _read_word(text: str) -> Piece:
    if text == "$determiner":
        return lambda site: DETERMINERS[int(5 * site.random() ** 2)]
    return (lambda site: LISTS[text[1:]].pick(site.random)) if text[0] == "$" else lambda site: text


def _join(left: Phrase, right: Phrase, way: str) -> Phrase:
    return (choose_article(_list_words(right)[0]) if left == "a" else left), right


def _list_words(phrase: Phrase) -> list[str]:
    return [phrase] if isinstance(phrase, str) else [word for part in phrase for word in _list_words(part)]


REVIEWS = Grammar(read_names(_SECTIONS["rules"]), Language(_read_word, _read_word, _join))


def generate_reviews(seed: int | str) -> Iterator[str]:
    """An endless stream of trees of at most 40 words, one line each without its end; the seed fixes every one."""
    draw = random.Random(seed).random
    while True:
        phrase = REVIEWS.expand("review", {"end": "silence"}, draw)
        if len(_list_words(phrase)) <= LONGEST:
            yield write_phrase(_capitalise(phrase))[0]


def _capitalise(phrase: Phrase) -> Phrase:
    if isinstance(phrase, str):
        return phrase[0].upper() + phrase[1:]
    return _capitalise(phrase[0]), phrase[1]
