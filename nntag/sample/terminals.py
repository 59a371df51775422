"""The words of the sample grammar: a word as the rules write it in, the leaf that it gives on this occasion out.

A word is written `word:TAG:CATEGORY:lemma`; a category that stands in `CATEGORIES` can be left out, and a lemma that
follows from the word. Instead of a word, tag or category as they are, there can stand:

    $list  $topic.list     drawn from a list, or from one of the topic's, and inflected as the tag asks for
    @name  %be  1..30      the word that a variable holds; a form of be, have or do; a whole number
    un+@name               parts that make one word
    V  FIN                 as the tag: the tag that the variable `tag` holds; that of a finite verb, by tense and number
    X  (X)  S[f]           in the category: the category in the variable `X`; in brackets if it needs them; the feature
                           of this form of the verb

A few lists are functions, where the word depends on more than a table.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, NamedTuple

from nntag.sample.derivations import Leaf
from nntag.sample.inflection import Verb, compare_adjective
from nntag.sample.lexicon import LISTS, Noun, Table, Topic
from nntag.sample.scope import Piece, Site

FEATURES = {"VBD": "dcl", "VBZ": "dcl", "VBP": "dcl", "VB": "b", "VBG": "ng", "VBN": "pt"}  # Penn tag -> S feature
CATEGORIES = {  # Penn tag -> the category of a word for which none is written
    "CC": "conj", "CD": "N/N", "DT": "NP[nb]/N", "IN": "(X)/NP", "JJ": "N/N", "JJR": "N/N", "JJS": "N/N",
    "NN": "N", "NNP": "N", "NNS": "N", "RB": "X", "TO": r"(S[to]\NP)/(S[b]\NP)",
}  # fmt: skip
MARKS = {",": (",", ","), ".": (".", "."), "?": (".", "."), "!": (".", "."), ";": (";", ":")}  # category and tag
AUXILIARIES = {
    "be": Verb("be", "are", "is", "was", "been", "being"),
    "have": Verb("have", "have", "has", "had", "had", "having"),
    "do": Verb("do", "do", "does", "did", "done", "doing"),
}
BE = {("VBD", "pl"): "were", ("VBP", "I"): "am"}  # forms that tag and number decide together
OWN_NOUNS = 0.8  # how often a noun is the topic's own, where it has such nouns


class Word(NamedTuple):
    """A word in the form in which it is wanted."""

    word: str
    lemma: str


class Compound(NamedTuple):
    """Entries whose words make one word."""

    parts: list[Any]


def read_word(text: str) -> Piece:
    """What makes the leaf of a word that is written like this."""
    if text in MARKS:
        return lambda site: Leaf(*MARKS[text], text, text)
    if ":" not in text:
        raise ValueError(f"{text!r} is neither the name of a rule nor a word with its tag")
    written, tag, category, lemma = (*text.split(":"), "", "")[:4]
    category = category or CATEGORIES[tag]
    tag = "TO" if written == "to" else tag
    if written == "$" or not (re.search(r"[$@%+]|\.\.", written) or tag in ("V", "FIN") or "X" in category):
        leaf = Leaf(category, tag, written, lemma or written)
        return lambda site: leaf
    value = read_value(written)

    def make(site: Site) -> Leaf:
        scope = site.scope
        form = scope["tag"] if tag == "V" else tag
        if form == "FIN":
            form = "VBD" if scope["tense"] == "past" else "VBZ" if scope["number"] == "sg" else "VBP"
        word, found_lemma = _inflect(value(site), form, scope["number"])
        own_category = _fill(category, form, scope["X"])
        if ":" in word:  # a word of a list that has a tag of its own
            word, form = word.split(":")
        return Leaf(own_category, form, word, lemma or found_lemma)

    return make


def _inflect(entry: Any, tag: str, number: str) -> Word:
    """An entry in the form for this tag; nouns are pairs of singular and plural."""
    if isinstance(entry, str):
        if tag in ("JJR", "JJS"):
            return Word(compare_adjective(entry)[tag == "JJS"], entry)
        return Word(entry, entry.partition(":")[0])
    if isinstance(entry, Verb):
        if tag == "JJ":
            return Word(entry.VBN, entry.VBN)
        irregular = BE.get((tag, number)) if entry.lemma == "be" else None
        return Word(irregular or getattr(entry, tag), entry.lemma)
    if isinstance(entry, Compound):
        words = [_inflect(part, tag, number) for part in entry.parts]
        return Word("".join(word for word, _ in words), "".join(lemma for _, lemma in words))
    return entry if isinstance(entry, Word) else Word(entry[tag == "NNS"], entry[0])


def _fill(category: str, tag: str, wanted: str) -> str:
    """The category with `X` and `f` replaced."""
    if "X" in category:
        category = category.replace("(X)", f"({wanted})" if "/" in wanted or "\\" in wanted else wanted)
        category = category.replace("X", wanted)
    return category.replace("[f]", f"[{FEATURES[tag]}]") if "[f]" in category else category


def read_value(text: str) -> Piece:
    """What gives the entry that `$list`, `@name`, `%be` or `1..30` stands for; other text stands for itself."""
    if "+" in text:
        parts = [read_value(part) for part in text.split("+")]
        return lambda site: Compound([part(site) for part in parts])
    if text[0] == "@":
        return lambda site: site.scope[text[1:]]
    if text[0] == "%":
        return lambda site: AUXILIARIES[text[1:]]
    if (bounds := re.fullmatch(r"(\d+)\.\.(\d+)", text)) is not None:
        low, high = map(int, bounds.groups())
        return lambda site: str(low + int((high - low + 1) * site.random()))
    if text[0] != "$" or text == "$":
        return lambda site: text
    source, _, name = text[1:].rpartition(".")
    if source == "topic":
        return lambda site: _find_list(site.scope["topic"], name).pick(site.random)
    return DRAWN.get(name) or (lambda site: LISTS[name].pick(site.random))


def _find_list(topic: Topic, name: str) -> Table:
    return topic.verbs[name] if name in topic.verbs else topic.nouns[name]


def _draw_noun(site: Site) -> Noun:
    """A noun of the kind that is wanted, mostly the topic's own."""
    kind, topic = site.scope["kind"], site.scope["topic"]
    is_own = kind in topic.nouns and site.random() < OWN_NOUNS
    site.scope = {**site.scope, "own": "own" if is_own else "general"}
    return (topic.nouns if is_own else LISTS)[kind].pick(site.random)


def _draw_trader(site: Site) -> Noun:
    """A person by their trade, `rope-maker`: words that are rare one by one and common together."""
    thing, _ = site.scope["topic"].nouns["thing"].pick(site.random)
    singular, plural = LISTS["maker"].pick(site.random)
    return f"{thing}-{singular}", f"{thing}-{plural}"


def _draw_adjective(site: Site) -> str:
    kind, own = site.scope["kind"], site.scope["own"]
    if kind == "thing" and own == "own" and site.random() < 0.5:
        return site.scope["topic"].adjectives.pick(site.random)
    return LISTS["person_adjectives" if kind == "role" else f"{kind}_adjectives"].pick(site.random)


def _draw_adjective_with_preposition(site: Site) -> str:
    preposition, _, adjective = LISTS["of_adjectives"].pick(site.random).partition(":")
    site.scope = {**site.scope, "preposition": preposition}
    return adjective


def _draw_pronoun(site: Site) -> Word:
    nominative, oblique, number = LISTS[f"{site.scope['kind']}_pronouns"].pick(site.random).split("/")
    site.scope = {**site.scope, "number": number}
    return Word(nominative if site.scope["position"] == "subject" else oblique, nominative)


def _draw_number(site: Site, most: float) -> str:
    """A number above one: as a word, in figures, with a thousands comma; with `most` 1 also a decimal or a fraction."""
    random = site.random
    kind = random() * most
    if kind < 0.5:
        return LISTS["number_words"].pick(random)
    if kind < 0.8:
        return str(2 + int(98 * random() ** 2))
    if kind < 0.92:
        return f"{100 * (1 + int(90 * random() ** 2)):,}"
    if kind < 0.98:
        return f"{1 + int(30 * random() ** 2)}.{1 + int(9 * random())}"
    part = 1 + int(5 * random())
    return f"{part}/{part + 1 + int(4 * random())}"


def _draw_figure(site: Site) -> str:
    return f"{1 + int(99 * site.random() ** 2)}.{int(10 * site.random())}0"


DRAWN: dict[str, Piece] = {
    "noun": _draw_noun,
    "trader": _draw_trader,
    "adjective": _draw_adjective,
    "of_adjective": _draw_adjective_with_preposition,
    "pronoun": _draw_pronoun,
    "number": partial(_draw_number, most=0.92),
    "measure": partial(_draw_number, most=1.0),
    "figure": _draw_figure,
}
