"""English word forms by rule: a lemma in, its plural, verb forms, adverb, noun or degree forms out.

Lists write irregular words with slashes: `knife/knives`, `sink/sank/sunk`, `good/better/best`.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

# Verbs of several syllables that are stressed on the last one and so double their consonant.
DOUBLING = frozenset(("admit", "begin", "commit", "forget", "occur", "permit", "prefer", "regret", "transfer"))


class Verb(NamedTuple):
    """The forms of one verb, named by their Penn tags."""

    VB: str
    VBP: str
    VBZ: str
    VBD: str
    VBN: str
    VBG: str

    @property
    def lemma(self) -> str:
        return self.VB


def _add_s(word: str) -> str:
    if re.search(r"(s|x|z|ch|sh)$", word) or re.search(r"[^aeiou]o$", word):
        return word + "es"
    return re.sub(r"([^aeiou])y$", r"\1ie", word) + "s"


def _lengthen(verb: str) -> str:
    """The stem that -ed, -ing, -er and -est are put to."""
    syllables = len(re.findall(r"[aeiouy]+", verb))
    short = syllables == 1 and re.search(r"[^aeiou][aeiouy][^aeiouwxy]$", verb)
    if short or verb in DOUBLING or (syllables > 1 and re.search(r"[^aeiou]el$", verb)):
        return verb + verb[-1]
    return verb


def _add_ed(verb: str) -> str:
    if verb.endswith("e"):
        return verb + "d"
    return re.sub(r"([^aeiou])y$", r"\1ie", verb) + "d" if re.search(r"[^aeiou]y$", verb) else _lengthen(verb) + "ed"


def _add_ing(verb: str) -> str:
    if verb.endswith("ie"):
        return verb[:-2] + "ying"
    if re.search(r"[^eoy]e$", verb):
        return verb[:-1] + "ing"
    return _lengthen(verb) + "ing"


@cache
def inflect_verb(entry: str) -> Verb:
    """`sink/sank/sunk` or `load` -> all forms; `overhear/overheard` has one form for past and participle."""
    lemma, *irregular = entry.split("/")
    past = irregular[0] if irregular else _add_ed(lemma)
    return Verb(lemma, lemma, _add_s(lemma), past, irregular[-1] if irregular else past, _add_ing(lemma))


@cache
def inflect_noun(entry: str) -> tuple[str, str]:
    """`boat` or `knife/knives` -> singular and plural."""
    singular, *plural = entry.split("/")
    return singular, plural[0] if plural else _add_s(singular)


@cache
def form_adverb(adjective: str) -> str:
    """`gentle` -> `gently`, `happy` -> `happily`."""
    if adjective.endswith("ic"):
        return adjective + "ally"
    if re.search(r"[^aeiou]le$", adjective):
        return adjective[:-1] + "y"
    if adjective.endswith("ll"):
        return adjective + "y"
    return re.sub(r"y$", "i", adjective) + "ly"


@cache
def form_quality(adjective: str) -> str:
    """`gentle` -> `gentleness`, `happy` -> `happiness`."""
    return re.sub(r"([^aeiou])y$", r"\1i", adjective) + "ness"


@cache
def compare_adjective(entry: str) -> tuple[str, str]:
    """`tall` or `good/better/best` -> comparative and superlative."""
    adjective, *irregular = entry.split("/")
    if irregular:
        return irregular[0], irregular[1]
    if adjective.endswith("e"):
        return adjective + "r", adjective + "st"
    stem = re.sub(r"([^aeiou])y$", r"\1i", adjective)
    stem = _lengthen(adjective) if stem == adjective else stem
    return stem + "er", stem + "est"


def choose_article(word: str) -> str:
    """`a` or `an`, by the sound that a word starts with."""
    if re.match(r"hour|honest|heir|8|11$|18$", word):
        return "an"
    if re.match(r"us|uni|eu|one|ewe", word):
        return "a"
    return "an" if word[0].lower() in "aeiou" else "a"
