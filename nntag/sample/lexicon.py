"""The lexicon of the sample grammar: the hand-written word lists in, tables to draw words and verb frames from out.

Words are drawn by a Zipf law over their place in their list, so that every list has a long tail of rare words.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import Generic, TypeVar

from nntag.sample import frames, words
from nntag.sample.inflection import Verb, inflect_noun, inflect_verb
from nntag.sample.topics import TOPICS

Item = TypeVar("Item")
Noun = tuple[str, str]  # singular, plural

FEATURES = {"VBD": "dcl", "VBZ": "dcl", "VBP": "dcl", "VB": "b", "VBG": "ng", "VBN": "pt"}  # Penn tag -> S feature
CLAUSE_ARGUMENTS = {
    "to": r"S[to]\NP",
    "ing": r"S[ng]\NP",
    "bare": r"S[b]\NP",
    "adj": r"S[adj]\NP",
    "done": r"S[pss]\NP",
    "that": "S[em]",
    "clause": "S[dcl]",
    "whether": "S[qem]",
    "what": "S[qem]",
    "how": "S[qem]",
}
NOUN_KINDS = frozenset(("person", "thing", "place", "event", "mass", "name", "role", "use", "claim", "plan"))
ZIPF_SHIFT = 1.5  # ours: weight 1 / (rank + 1.5), so that the first word of a list is not drawn all the time


class Table(Generic[Item]):
    """Items with weights, drawn by a function that gives random numbers in [0, 1)."""

    __slots__ = ("items", "_cumulative")

    def __init__(self, items: Iterable[Item], weights: Iterable[float]):
        self.items: Sequence[Item] = tuple(items)
        self._cumulative = list(accumulate(weights))

    def pick(self, random: Callable[[], float]) -> Item:
        return self.items[bisect(self._cumulative, random() * self._cumulative[-1])]


def make_zipf(items: Iterable[Item]) -> Table[Item]:
    """A table in which the item at place k, counted from 0, weighs 1 / (k + 1.5)."""
    listed = tuple(items)
    return Table(listed, (1 / (place + ZIPF_SHIFT) for place in range(len(listed))))


def list_words(text: str) -> Table[str]:
    return make_zipf(text.split())


def list_nouns(text: str) -> Table[Noun]:
    return make_zipf(inflect_noun(entry) for entry in text.split())


def list_verbs(text: str) -> Table[Verb]:
    return make_zipf(inflect_verb(entry) for entry in text.split())


@dataclass(frozen=True, slots=True)
class Frame:
    """What a verb takes, in order; `source` names the topic's own list of verbs where `verbs` is empty."""

    arguments: tuple[str, ...]
    verbs: Table[Verb]
    source: str = ""


@cache
def get_argument_category(argument: str) -> str:
    """The category of an argument as the frames name it: `on:thing` -> PP, `up!` -> PR, `to` -> `S[to]\\NP`."""
    if argument.endswith("!"):
        return "PR"
    if ":" in argument:
        return "PP"
    return "NP" if argument in NOUN_KINDS else CLAUSE_ARGUMENTS[argument]


@cache
def get_verb_category(feature: str, arguments: tuple[str, ...]) -> str:
    """The category of a verb: (`dcl`, (`person`, `thing`)) -> `((S[dcl]\\NP)/NP)/NP`."""
    category = rf"S[{feature}]\NP"
    for argument in reversed(arguments):
        wanted = get_argument_category(argument)
        category = f"({category})/{f'({wanted})' if chr(92) in wanted else wanted}"
    return category


def read_frames(text: str) -> tuple[list[Frame], list[float]]:
    """Frames and their weights from the lines `weight | arguments | verbs` of the word lists."""
    listed, weights = [], []
    for line in text.strip().replace("\n    ", " ").splitlines():
        weight, arguments, verbs = (field.strip() for field in line.split("|"))
        listed.append(Frame(tuple(arguments.split()), list_verbs(verbs)))
        weights.append(float(weight))
    return listed, weights


@dataclass(frozen=True, slots=True)
class Topic:
    """The words of one topic."""

    name: str
    nouns: dict[str, Table[Noun]]  # by kind: person, thing, mass, place, event, part
    verbs: dict[str, Table[Verb]]  # use, act, happen
    adjectives: Table[str]


def _read_topic(name: str, fields: dict[str, str]) -> Topic:
    kinds = {"person": "people", "thing": "things", "mass": "mass"}
    kinds |= {"place": "places", "event": "events", "part": "parts"}
    return Topic(
        name,
        {kind: list_nouns(fields[field]) for kind, field in kinds.items()},
        {field: list_verbs(fields[field]) for field in ("use", "act", "happen")},
        list_words(fields["adjectives"]),
    )


TOPIC_TABLE: Table[Topic] = make_zipf(_read_topic(name, fields) for name, fields in TOPICS.items())
GENERAL_NOUNS: dict[str, Table[Noun]] = {
    "person": list_nouns(words.PEOPLE),
    "thing": list_nouns(words.THINGS),
    "mass": list_nouns(words.MASS),
    "place": list_nouns(words.PLACES),
    "event": list_nouns(words.EVENTS),
    "role": list_nouns(words.ROLES),
    "part": list_nouns(words.PART_NOUNS),
    "claim": list_nouns(words.CLAIMS),
    "plan": list_nouns(words.PLANS),
    "quality": list_nouns(words.QUALITIES),
    "unit": list_nouns(words.UNITS),
    "period": list_nouns(words.PERIODS),
}

COMPARABLE = frozenset(words.COMPARABLE.split())  # adjectives with -er and -est
_NONE: Table[Verb] = Table((), ())
USE, ACT, HAPPEN = Frame(("use",), _NONE, "use"), Frame((), _NONE, "act"), Frame((), _NONE, "happen")
_person_frames, _person_weights = read_frames(frames.PERSON_FRAMES)
_thing_frames, _thing_weights = read_frames(frames.THING_FRAMES)
ACTIVE: dict[str, Table[Frame]] = {  # by the kind of the subject
    "person": Table([USE, ACT, *_person_frames], [22.0, 8.0, *_person_weights]),
    "thing": Table([HAPPEN, *_thing_frames], [10.0, *_thing_weights]),
}


def _select(kind: str, place: int) -> Table[Frame]:
    """The person frames that have a noun phrase of this kind as their first (0) or last (-1) argument."""
    chosen = [(USE, 12.0)] if kind == "thing" else []
    for frame, weight in zip(_person_frames, _person_weights, strict=True):
        argument = frame.arguments[place] if frame.arguments else ""
        if place == 0 and "bare" in frame.arguments:
            continue  # "was made to go", not "was made go"
        if argument == kind or (place == -1 and argument.endswith(f":{kind}")):
            chosen.append((frame, weight))
    return Table([frame for frame, _ in chosen], [weight for _, weight in chosen])


PASSIVE: dict[str, Table[Frame]] = {kind: _select(kind, 0) for kind in ("person", "thing", "place", "event")}
GAPPED: dict[str, Table[Frame]] = {kind: _select(kind, -1) for kind in ("person", "thing", "place", "event")}
