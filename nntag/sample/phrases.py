"""What the parts of the sample grammar share: random choices, small words, and the phrases they ask each other for."""

from __future__ import annotations

import random
import re
from abc import ABC, abstractmethod
from typing import NamedTuple, TypeVar

from nntag.sample.derivations import Derivation, Leaf, Node, join
from nntag.sample.inflection import Verb
from nntag.sample.lexicon import FEATURES, GENERAL_NOUNS, TOPIC_TABLE, Frame, Noun, Table, Topic

Item = TypeVar("Item")

VP = r"S\NP"
VP_AFTER = r"(S\NP)\(S\NP)"
VP_BEFORE = r"(S\NP)/(S\NP)"
BE = {"VBD": "was", "VBZ": "is", "VBP": "are", "VB": "be", "VBG": "being", "VBN": "been"}


class Reference(NamedTuple):
    """What a noun phrase stands for, as far as the grammar needs it."""

    kind: str  # person, thing, place, event
    agreement: str  # sg, pl, or I
    topical: bool  # is it one of the topic's own nouns?


SOMEONE = Reference("person", "sg", False)


class Phrases(ABC):
    """A source of phrases; every choice comes from `self.random`, so a seed fixes them all."""

    def __init__(self, seed: int | str):
        self.random = random.Random(seed).random
        self.topic: Topic = TOPIC_TABLE.items[0]
        self.is_past = True

    def chance(self, probability: float) -> bool:
        return self.random() < probability

    def pick(self, table: Table[Item]) -> Item:
        return table.pick(self.random)

    def pick_noun(self, kind: str) -> tuple[Noun, bool]:
        """A noun, mostly the topic's own, and whether it is."""
        own = self.topic.nouns.get(kind)
        if own and (kind not in GENERAL_NOUNS or self.chance(0.8)):
            return self.pick(own), True
        return self.pick(GENERAL_NOUNS[kind]), False

    def pick_frame(self, table: Table[Frame], reference: Reference) -> Frame:
        """A verb frame; those of the topic's own verbs only for the topic's own nouns."""
        while True:
            frame = self.pick(table)
            if frame.source in ("", "act") or reference.topical or reference.kind == "person":
                return frame

    def pick_verb(self, frame: Frame) -> Verb:
        return self.pick(self.topic.verbs[frame.source] if frame.source else frame.verbs)

    def pick_tag(self, agreement: str) -> str:
        """The Penn tag of a finite verb in the tense of the sentence."""
        if self.is_past:
            return "VBD"
        return "VBZ" if agreement == "sg" else "VBP"

    def make_be(self, tag: str, agreement: str, argument: str) -> Leaf:
        """A form of `be` that takes this category."""
        return Leaf(rf"(S[{FEATURES[tag]}]\NP)/{argument}", tag, inflect_be(tag, agreement), "be")

    def add_infinitive(self, phrase: Derivation) -> Node:
        return join(Leaf(r"(S[to]\NP)/(S[b]\NP)", "TO", "to", "to"), phrase)

    @abstractmethod
    def noun_phrase(self, kind: str, depth: int, subject: bool = False) -> tuple[Derivation, Reference]:
        """An `NP`; `subject` says that it stands before its verb."""

    @abstractmethod
    def noun(self, kind: str, depth: int) -> tuple[Derivation, Reference]:
        """An `N` without determiner."""

    @abstractmethod
    def topical_object(self, depth: int) -> tuple[Derivation, Reference]:
        """An `NP` whose noun is one of the topic's own things."""

    @abstractmethod
    def verb_phrase(self, tag: str, subject: Reference, depth: int, has_be: bool = True) -> Derivation:
        """An `S[f]\\NP` whose first verb has this tag; `has_be` allows passives and copulas."""

    @abstractmethod
    def finite_phrase(self, subject: Reference, depth: int) -> Derivation:
        """An `S[dcl]\\NP` with or without auxiliaries."""

    @abstractmethod
    def passive_phrase(self, subject: Reference, depth: int, is_reduced: bool = False) -> Derivation:
        """An `S[pss]\\NP`; a reduced one, without `be`, is never a participle alone."""

    @abstractmethod
    def adjective_phrase(self, subject: Reference, depth: int) -> Derivation:
        """An `S[adj]\\NP`."""

    @abstractmethod
    def adjective_with_complement(self, subject: Reference, depth: int) -> Derivation:
        """An `S[adj]\\NP` of more than one word, such as `afraid of the storm`."""

    @abstractmethod
    def gapped_phrase(self, tag: str, gap: Reference, depth: int) -> Derivation:
        """An `(S[f]\\NP)/NP` whose missing object is `gap`."""

    @abstractmethod
    def clause(self, depth: int) -> Node:
        """An `S[dcl]`."""

    @abstractmethod
    def gapped_clause(self, gap: Reference, depth: int) -> Node:
        """An `S[dcl]/NP`."""


def inflect_be(tag: str, agreement: str) -> str:
    if tag == "VBD":
        return "were" if agreement == "pl" else "was"
    return "am" if tag == "VBP" and agreement == "I" else BE[tag]


def choose_article(word: str) -> str:
    """`a` or `an`, by the sound that a word starts with."""
    if re.match(r"hour|honest|heir|8|11$|18$", word):
        return "an"
    if re.match(r"us|uni|eu|one|ewe", word):
        return "a"
    return "an" if word[0].lower() in "aeiou" else "a"


def find_first_leaf(derivation: Derivation) -> Leaf:
    while isinstance(derivation, Node):
        derivation = derivation.children[0]
    return derivation


def make_mark(mark: str) -> Leaf:
    """A punctuation leaf, with its category and tag."""
    category, tag = MARKS[mark]
    return Leaf(category, tag, mark, mark)


MARKS = {
    ",": (",", ","),
    ".": (".", "."),
    "?": (".", "."),
    "!": (".", "."),
    ";": (";", ":"),
    ":": (":", ":"),
    "--": (":", ":"),
    "(": ("LRB", "-LRB-"),
    ")": ("RRB", "-RRB-"),
}
