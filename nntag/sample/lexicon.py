"""The lexicon of the sample grammar: the word lists of `english/` in, tables to draw words and verb frames from out.

Words are drawn by a Zipf law over their place in their list, so that every list has a long tail of rare words.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, Generic, NamedTuple, TypeVar

from nntag.sample.english import read_names, read_sections
from nntag.sample.inflection import Verb, form_adverb, form_quality, inflect_noun, inflect_verb

Item = TypeVar("Item")
Noun = tuple[str, str]  # singular, plural

ZIPF_SHIFT = 1.5  # ours: weight 1 / (rank + 1.5), so that the first word of a list is not drawn all the time
TOPICAL_WEIGHT = 12.0  # of a topic's own verbs among passives and verbs whose object is missing
KINDS = ("person", "thing", "place", "event")


class Table(Generic[Item]):
    """Items with weights, drawn by a function that gives random numbers in [0, 1)."""

    __slots__ = ("items", "_bounds")

    def __init__(self, items: Iterable[Item], weights: Iterable[float]):
        self.items: Sequence[Item] = tuple(items)
        self._bounds = list(accumulate(weights))

    def pick(self, random: Callable[[], float]) -> Item:
        """One of the items."""
        return self.items[bisect(self._bounds, random() * self._bounds[-1])]


def make_table(text: str, read: Callable[[str], Item]) -> Table[Item]:
    """The words of a list as `read` has them, with the weights behind `*` or, at place k from 0, 1 / (k + 1.5)."""
    entries = [entry.partition("*") for entry in text.split()]
    weights = [float(weight) if weight else 1 / (place + ZIPF_SHIFT) for place, (_, _, weight) in enumerate(entries)]
    return Table([read(word) for word, _, _ in entries], weights)


def list_words(text: str) -> Table[str]:
    """The words of a list as they stand."""
    return make_table(text, str)


@dataclass(frozen=True, slots=True)
class Topic:
    """The words of one topic."""

    name: str
    nouns: dict[str, Table[Noun]]  # by kind: person, thing, mass, place, event, part
    verbs: dict[str, Table[Verb]]  # use, act, happen
    adjectives: Table[str]

    @classmethod
    def read(cls, name: str, lines: list[str]) -> Topic:
        """The topic from its section of `topics.txt`."""
        lists = read_names(lines)
        nouns = {kind: make_table(lists[kind], inflect_noun) for kind in (*KINDS[:2], "mass", *KINDS[2:], "part")}
        verbs = {source: make_table(lists[source], inflect_verb) for source in ("use", "act", "happen")}
        return cls(name, nouns, verbs, list_words(lists["adjectives"]))


class Frame(NamedTuple):
    """Verbs that take the same arguments, and what the rules need to know of them."""

    verbs: Table[Verb] | None  # None: those of the topic
    settings: dict[str, str]  # source: the topic's list of verbs; X: the category; arguments, stranded: items of a rule


_FRAMES = read_sections("frames.txt")
_CATEGORIES = read_names(_FRAMES["categories"])


def _read_argument(argument: str) -> tuple[str, str]:
    """The category of an argument as the frames name it, and an item of a rule: `up!` -> `PR`, `up:RP:PR`."""
    if argument.endswith("!"):
        return "PR", f"{argument[:-1]}:RP:PR"
    if ":" in argument:
        return "PP", argument.replace("into:", "$directions:") + ":PP"
    return _CATEGORIES.get(argument, "NP"), f"^{argument}"


def _make_frame(use: str, arguments: list[str], verbs: str) -> Frame:
    """A row of the table for this use: a passive verb has lost its first argument, a gapped one misses its last."""
    feature, stranded = "f", ""  # the rules put the feature of the verb's form in for `f`
    if use == "passive":
        feature, arguments = "pss", arguments[1:]
    category = rf"S[{feature}]\NP"
    read = [_read_argument(argument) for argument in arguments]
    for wanted, _ in reversed(read):
        category = f"({category})/{f'({wanted})' if chr(92) in wanted else wanted}"
    if use == "gapped":
        preposition, _, _ = arguments[-1].rpartition(":")
        stranded = f"{preposition}:IN:PP/NP" if preposition else ""
        read.pop()
    source = verbs.removeprefix("topic.") if verbs.startswith("topic.") else ""
    settings = {"source": source, "X": category, "arguments": " ".join(item for _, item in read), "stranded": stranded}
    return Frame(None if source else make_table(verbs, inflect_verb), settings)


def _list_frames(use: str, kind: str) -> Table[Frame]:
    """Active verbs or passive ones, both with a subject of this kind, or gapped ones without an object of this kind."""
    frames, weights = [], []
    for line in _FRAMES["thing" if (use, kind) == ("active", "thing") else "person"]:
        weight, listed, verbs = map(str.strip, line.split("|"))
        arguments, kinds = listed.split(), listed.replace("use", "thing").split()
        if use == "passive" and (kinds[:1] != [kind] or "bare" in kinds):
            continue  # "was made to go", not "was made go"
        if use == "gapped" and " ".join(kinds[-1:]).rpartition(":")[2] != kind:
            continue
        frames.append(_make_frame(use, arguments, verbs))
        weights.append(float(weight) if use == "active" or not verbs.startswith("topic.") else TOPICAL_WEIGHT)
    return Table(frames, weights)


FRAMES = {use: {kind: _list_frames(use, kind) for kind in KINDS} for use in ("active", "passive", "gapped")}
TOPIC_TABLE = make_table(" ".join(topics := read_sections("topics.txt")), lambda name: Topic.read(name, topics[name]))
_READERS: dict[str, Callable[[str], Any]] = {
    "nouns": inflect_noun,
    "verbs": inflect_verb,
    "qualities": form_quality,
    "adverbs": form_adverb,
    "words": str,
}
LISTS: dict[str, Table] = {
    name: make_table(text, _READERS[section])
    for section, lines in read_sections("words.txt").items()
    for name, text in read_names(lines).items()
}
for _name, _category in (("controlling", r"(S[f]\NP)/(S[to]\NP)"), ("giving", r"((S[f]\NP)/NP)/NP")):
    _frames = FRAMES["active"]["person"].items
    LISTS[_name] = next(one.verbs for one in _frames if one.verbs and one.settings["X"] == _category)
