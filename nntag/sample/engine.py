"""The engine of the generated samples: grammar rules as text and random numbers in, trees out.

A rule is a name at the start of a line and the items after it; indented lines continue it. Items stand between spaces
and are worked through from left to right. Each puts a piece to the right of what the rule has built so far, or, with
`<` in front, to the left of it, so that a rule can begin with the heart of a phrase and build outwards:

    name  name(args)       the piece that another rule builds; with `^name`, what follows sees the variables it has set
    @name                  the piece that the variable holds, or that the rule builds whose name it holds
    *name                  the items of another rule, or those written in the variable, as if they stood here
    ( ... )                what these items build, as one piece
    [ c : ... | ... ]      the items of the first alternative whose conditions hold, if any does; one without `:` always
                           does; a rule as a whole is a set of alternatives, too
    { 3 ... | 1 ... }      the items of one alternative, drawn by weight
    name=value  set(args)  give values to variables; `$list` draws one, `@name` copies one, `name=( ... )` keeps a piece
    =CATEGORY  =@name      changes the category of what has been built
    anything else          a word, as the grammar reads it

Variables tell what is wanted (a kind of noun, a number, a depth), and the rules that are called see them. `args` are,
with commas between them, `name=value`, values that are of one variable only (`place`), `+1` (one level deeper) and `2`
(at depth 2). Of conditions all must hold:

    .3  >.3                the rule's own draw, made once, when first asked for, is below or above this
    ?.3                    a new draw is below this; `?.5/.3/.1` has a bound for each depth, the last one for all deeper
    place  place/event     the variable has this value, or one of these; also `name=value` and `name=@other`
    depth<3  test          the depth is less, a test of the grammar's own
    !condition             it does not hold

`<~item` and `<&item` ask the grammar's `join` for its other ways of putting pieces together.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import Any

from nntag.sample.scope import Language, Piece, Random, Scope, Site, Step, read_settings, read_tests

Item = Any  # text, or what stands with an opening bracket and the alternatives inside, which are lists of items

OPENING = re.compile(r"(?:(\w+)=)?(<?)([~&]?)([(\[{])")
CLOSING = {"(": ")", "[": "]", "{": "}"}
SETTING = re.compile(r"set\((.*)\)|(\w+=.*)")
PLACE = re.compile(r"(<?)([~&]?)(.+)")
CALL = re.compile(r"(\^?)(@?)(\w+)(?:\((.*)\))?")


class Grammar:
    """Rules, ready to be expanded. Raises ValueError for a rule that breaks the notation."""

    def __init__(self, rules: Mapping[str, str], language: Language):
        self._language = language
        self._rules: dict[str, Step] = {**dict.fromkeys(rules, _do_nothing), **language.steps}
        for name, items in rules.items():
            try:
                self._rules[name] = self._read(items)
            except (KeyError, ValueError) as error:
                raise ValueError(f"the rule {name!r} cannot be read: {error}") from error
        self._texts: dict[str, Step] = {}  # items that were written in variables

    def expand(self, rule: str, scope: Scope, random: Random) -> Any:
        """What the rule builds with these variables; `depth` is 0 where it is not among them."""
        site = Site({"depth": 0, **scope}, random)
        self._rules[rule](site)
        return site.tree

    def _read(self, text: str) -> Step:
        return self._choose(_nest(iter([*self._language.rewrite(text).split(), ""]), ""))

    def _choose(self, alternatives: list[list[Item]]) -> Step:
        options = []
        for items in alternatives:
            at = items.index(":") if ":" in items else -1
            options.append((read_tests(items[: max(at, 0)], self._language), self._follow(items[at + 1 :])))

        def choose(site: Site) -> None:
            for test, follow in options:
                if test is None or test(site):
                    return follow(site)

        return choose if options[0][0] else options[0][1]

    def _draw(self, alternatives: list[list[Item]]) -> Step:
        bounds = list(accumulate(float(items[0]) for items in alternatives))
        options = [self._follow(items[1:]) for items in alternatives]
        return lambda site: options[bisect(bounds, site.random() * bounds[-1])](site)

    def _follow(self, items: list[Item]) -> Step:
        steps = [self._read_item(item) for item in items]

        def follow(site: Site) -> None:
            for step in steps:
                step(site)

        return steps[0] if len(steps) == 1 else follow

    def _read_item(self, item: Item) -> Step:
        if isinstance(item, tuple):
            (name, left, way, bracket), alternatives = item
            step = self._draw(alternatives) if bracket == "{" else self._choose(alternatives)
            if name:
                return _keep(name, _group(step))
            return self._attach(_group(step), left, way) if left or way or bracket == "(" else step
        if item[0] == "*":
            return self._inline(item[1:])
        if item[0] == "=":
            return self._retype(item[1:])
        if (setting := SETTING.fullmatch(item)) is not None:
            return read_settings(setting[1] or setting[2], self._language)
        left, way, text = PLACE.findall(item)[0]
        call = CALL.fullmatch(text)
        if call is not None and (call[2] or call[3] in self._rules):
            return self._attach(self._call(*call.groups("")), left, way)
        return self._attach(self._language.read_word(text), left, way)

    def _attach(self, piece: Piece, left: str, way: str) -> Step:
        join = self._language.join

        def attach(site: Site) -> None:
            added = piece(site)
            if site.tree is None or added is None:
                site.tree = site.tree or added
            else:
                site.tree = join(added, site.tree, way) if left else join(site.tree, added, way)

        return attach

    def _call(self, keeps: str, holds: str, name: str, args: str) -> Piece:
        rules, settle = self._rules, read_settings(args, self._language) if args else None

        def call(site: Site) -> Any:
            target = site.scope[name] if holds else name
            if not isinstance(target, str):
                return target
            inner = Site(site.scope, site.random)
            if settle is not None:
                settle(inner)
            rules[target](inner)
            if keeps and inner.scope is not site.scope:
                site.scope = {**inner.scope, "depth": site.scope["depth"]}
            return inner.tree

        return call

    def _inline(self, name: str) -> Step:
        def inline(site: Site) -> None:
            step = self._rules.get(name) or self._texts.get(text := site.scope[name])
            if step is None:
                step = self._texts[text] = self._read(text)
            step(site)

        return inline

    def _retype(self, category: str) -> Step:
        def change(site: Site) -> None:
            wanted = site.scope[category[1:]] if category[0] == "@" else category
            site.tree = self._language.retype(site.tree, wanted)

        return change


def _nest(words: Iterator[str], closing: str) -> list[list[Item]]:
    """The alternatives up to a closing bracket."""
    alternatives: list[list[Item]] = [[]]
    while (word := next(words)) != closing:
        if not word or word in CLOSING.values():
            raise ValueError(f"{closing!r} is missing, found {word!r}" if closing else f"{word!r} closes nothing")
        if word == "|":
            alternatives.append([])
        elif (opening := OPENING.fullmatch(word)) is not None:
            alternatives[-1].append((opening.groups(""), _nest(words, CLOSING[opening[4]])))
        else:
            alternatives[-1].append(word)
    return alternatives


def _do_nothing(site: Site) -> None:
    """Stands for a rule that is not read yet."""


def _group(step: Step) -> Piece:
    def group(site: Site) -> Any:
        outer, site.tree = site.tree, None
        step(site)
        piece, site.tree = site.tree, outer
        return piece

    return group


def _keep(name: str, piece: Piece) -> Step:
    def keep(site: Site) -> None:
        kept = piece(site)
        site.scope = {**site.scope, name: kept}

    return keep
