"""The sentences of the sample: a seed in, an endless stream of CCG derivations with their topics out.

The text is generated; no sentence was taken from anywhere. `english/` has the rules and words, `engine.py` works the
rules through, and here stands what the rules take for granted about English: which variables there are, how two pieces
are joined, what the tests mean, how a verb is chosen.
"""

from __future__ import annotations

import random
import re
from typing import NamedTuple

from nntag.sample.derivations import Derivation, Leaf, Node, find_first_leaf, iterate_leaves, join, retype
from nntag.sample.engine import Grammar
from nntag.sample.english import read_names, read_sections
from nntag.sample.inflection import choose_article
from nntag.sample.lexicon import FRAMES, LISTS, TOPIC_TABLE, Topic
from nntag.sample.scope import Language, Scope, Site, Test
from nntag.sample.terminals import read_value, read_word

SHORTEST, LONGEST = 3, 40
PAST = 0.68  # of all sentences
COMPARABLE = frozenset(LISTS["comparable"].items)  # adjectives with -er and -est
APPROXIMATIONS = frozenset(word.partition(":")[0] for word in LISTS["approximations"].items)
SHORTENED = dict(entry.partition("/")[::2] for entry in LISTS["before_nt"].items)  # auxiliary -> its form before n't
VARIABLES = {
    # Of the noun that the rule is about, which in a verb phrase is the subject.
    "kind": "person thing place event role mass part year town pair",
    "number": "sg pl uncounted I",
    "own": "own general",  # is it one of the topic's own nouns?
    "position": "subject object",
    # Of the verb phrase that is wanted.
    "tense": "past present",
    "tag": "VB VBG VBN FIN",
    "copula": "be no_be",  # may its verb be `be`?
    "phrase": "state change",
    "source": "use act happen",  # from which of the topic's lists the verb is
    "participle": "whole reduced",  # does a form of `be` stand before it?
}
START: Scope = {"kind": "", "number": "", "own": "general", "tag": "FIN", "X": ""}
VALUES: dict[str, Scope] = {
    "someone": {"kind": "person", "number": "sg", "own": "general"},
    **{value: {variable: value} for variable, values in VARIABLES.items() for value in values.split()},
}


def _begins_with(word: str) -> Test:
    return lambda site: find_first_leaf(site.tree).lemma == word


TESTS: dict[str, Test] = {
    "pronoun": lambda site: isinstance(site.tree, Leaf),
    "nothing": lambda site: site.tree is None,
    "in_ly": lambda site: site.tree.word.endswith("ly"),
    "about": lambda site: find_first_leaf(site.tree).word in APPROXIMATIONS,
    "numbered": lambda site: find_first_leaf(site.tree).tag == "CD",
    "plain": lambda site: find_first_leaf(site.tree).tag == "NNS",
    "comparable": lambda site: site.scope["adjective"] in COMPARABLE,
    "begins_with_re": lambda site: site.scope["verb"].lemma.startswith("re"),
    **{f"'{word}": _begins_with(word) for word in ("the", "near", "behind", "beyond")},
}


def _join(left: Derivation, right: Derivation, way: str) -> Derivation:
    """Two pieces as one: by coordination with `&`; with `~` only the right one where both begin with the same word."""
    if way == "~" and find_first_leaf(left).lemma == find_first_leaf(right).lemma:
        return right
    if isinstance(left, Leaf) and left.lemma == "a":
        left = left._replace(word=choose_article(find_first_leaf(right).word))
    if isinstance(left, Leaf) and isinstance(right, Leaf) and right.word == "n't":
        if left.word in SHORTENED:
            left = left._replace(word=SHORTENED[left.word] or left.word)
        else:
            right = right._replace(word="not")
    return join(left, right, "conj" if way == "&" else "")


def _choose_frame(site: Site) -> None:
    """A verb with what it takes; the topic's own verbs only where the topic's own nouns are spoken of, or persons."""
    scope = site.scope
    table = FRAMES[scope["frames"]][scope["kind"]]
    while True:
        frame = table.pick(site.random)
        source = frame.settings["source"]
        if source in ("", "act") or scope["own"] == "own" or scope["kind"] == "person":
            break
    verb = (frame.verbs or scope["topic"].verbs[source]).pick(site.random)
    site.scope = {**scope, "verb": verb, **frame.settings}


def _spell_out(text: str) -> str:
    """`on:thing` -> `( on:IN:(X)/NP object(thing,+1) )`, `on:thing:PP` -> `( on:IN:PP/NP object(thing,+1) )`."""
    text = re.sub(r"(?<!\S)([^\s:]+):([a-z]+):PP(?!\S)", r"( \1:IN:PP/NP object(\2,+1) )", text)
    return re.sub(r"(?<!\S)([^\s:]+):([a-z]+)(?!\S)", r"( \1:IN:(X)/NP object(\2,+1) )", text)


ENGLISH = Grammar(
    read_names(line for file in ("clauses.txt", "phrases.txt") for line in read_sections(file)["rules"]),
    Language(
        read_word,
        read_value,
        _join,
        retype,
        _spell_out,
        values=VALUES,
        tests=TESTS,
        steps={"choose_frame": _choose_frame},
    ),
)


class Generated(NamedTuple):
    """One generated sentence."""

    derivation: Node
    topic: str


class SentenceGenerator:
    """A source of sentences; the seed fixes every one."""

    def __init__(self, seed: int | str):
        self._random = random.Random(seed).random

    def generate(self, topic: Topic | None = None) -> Generated:
        """One sentence of 3 to 40 words, on this topic or on any."""
        while True:
            chosen = topic or TOPIC_TABLE.pick(self._random)
            tense = "past" if self._random() < PAST else "present"
            root = ENGLISH.expand("sentence", {**START, "topic": chosen, "tense": tense}, self._random)
            if SHORTEST <= sum(1 for _ in iterate_leaves(root)) <= LONGEST:
                return Generated(_capitalise(root), chosen.name)


def _capitalise(derivation: Node) -> Node:
    """The derivation with a capital at the start of its first word."""
    first, *rest = derivation.children
    if isinstance(first, Node):
        changed: Derivation = _capitalise(first)
    else:
        changed = first._replace(word=first.word[0].upper() + first.word[1:])
    return derivation._replace(children=(changed, *rest))
