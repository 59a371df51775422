"""A grammar rule at work: its variables and its draw, the settings that change the variables, the conditions.

Settings and conditions are read from the notation that `engine.py` explains.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

Random = Callable[[], float]  # gives numbers in [0, 1)
Scope = dict[str, Any]  # the variables; replaced, never changed
BOUNDS = re.compile(r"([?>]?)([\d./]+)")


class Site:
    """A rule at work: its variables, what it has built so far (None at first) and its own random number."""

    __slots__ = ("scope", "random", "tree", "_draw")

    def __init__(self, scope: Scope, random: Random):
        self.scope, self.random = scope, random
        self.tree: Any = None
        self._draw = -1.0

    def draw(self) -> float:
        """The rule's own random number, made when it is first asked for."""
        if self._draw < 0:
            self._draw = self.random()
        return self._draw


Step = Callable[[Site], None]  # works items through
Piece = Callable[[Site], Any]  # makes one piece, or None
Test = Callable[[Site], bool]


@dataclass(frozen=True)
class Language:
    """What a grammar brings besides its rules."""

    read_word: Callable[[str], Piece]  # the text of a word -> what makes it
    read_value: Callable[[str], Piece]  # `$list` or `@name` -> what gives an entry
    join: Callable[[Any, Any, str], Any]  # left piece, right piece, `~`, `&` or "" -> one piece
    retype: Callable[[Any, str], Any] = lambda piece, category: piece  # the same piece with this category
    rewrite: Callable[[str], str] = str  # the text of items with abbreviations -> without
    values: Mapping[str, Scope] = field(default_factory=dict)  # a value -> the variables that it sets
    tests: Mapping[str, Test] = field(default_factory=dict)
    steps: Mapping[str, Step] = field(default_factory=dict)  # rules that are written in Python


def read_settings(args: str, language: Language) -> Step:
    """`place,+1,X=NP` -> what sets these variables."""
    fixed: Scope = {}
    drawn: list[tuple[str, Piece]] = []
    deeper = 0
    for part in filter(None, args.split(",")):
        name, _, value = part.rpartition("=")
        if value[0] in "$@":
            drawn.append((name, language.read_value(value)))
        elif value[0] == "+":
            deeper = int(value)
        elif value.isdigit():
            fixed["depth"] = int(value)
        else:
            fixed |= {name: value} if name else language.values[value]

    def settle(site: Site) -> None:
        site.scope = {**site.scope, **fixed}
        site.scope["depth"] += deeper
        for name, piece in drawn:
            value = piece(site)  # which may change other variables
            site.scope = {**site.scope, name: value}

    return settle


def read_tests(texts: list[str], language: Language) -> Test | None:
    """What tells whether all these conditions hold; None where there are none."""
    return reduce(_both, [read_test(text, language) for text in texts]) if texts else None


def _both(first: Test, second: Test) -> Test:
    return lambda site: first(site) and second(site)


def read_test(text: str, language: Language) -> Test:
    """`!place/event` -> what tells whether this condition holds."""
    if text[0] == "!":
        test = read_test(text[1:], language)
        return lambda site: not test(site)
    if text in language.tests:
        return language.tests[text]
    if (bounds := BOUNDS.fullmatch(text)) is not None:
        return _compare_draw(bounds[1], [float(bound) for bound in bounds[2].split("/")])
    if text.startswith("depth<"):
        return lambda site, limit=int(text[6:]): site.scope["depth"] < limit  # type: ignore[misc]
    name, _, value = text.rpartition("=")
    if not name:
        values = value.split("/")
        (name,) = language.values[values[0]]
        return lambda site: site.scope[name] in values
    if value[:1] == "@":
        return lambda site: site.scope[name] == site.scope[value[1:]]
    return lambda site: site.scope[name] == value


def _compare_draw(how: str, bounds: list[float]) -> Test:
    first, last = bounds[0], len(bounds) - 1
    if how == "?" and last:
        return lambda site: site.random() < bounds[min(site.scope["depth"], last)]
    if how == "?":
        return lambda site: site.random() < first
    return (lambda site: site.draw() > first) if how else (lambda site: site.draw() < first)
