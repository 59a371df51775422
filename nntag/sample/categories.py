"""CCG categories: category text in (`(S[dcl]\\NP)/NP`), its parts, its text again and unification of two of them out.

Features are as in CCGbank: an `S` without a feature is a variable, `NP[nb]` counts as `NP`, and every other feature
(`NP[thr]`, `NP[expl]`, `N[num]`) must be the same on both sides.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

ATOM = re.compile(r"([A-Za-z]+|[.,:;])(?:\[([a-z]+)\])?")


@dataclass(frozen=True, slots=True)
class Atom:
    """A category without a slash, such as `S[dcl]`, `N` or `,`."""

    base: str
    feature: str | None = None

    def __str__(self) -> str:
        return self.base if self.feature is None else f"{self.base}[{self.feature}]"


@dataclass(frozen=True, slots=True)
class Functor:
    """`result/argument` (the argument is looked for on the right) or `result\\argument` (on the left)."""

    result: Category
    slash: str
    argument: Category

    def __str__(self) -> str:
        return f"{_enclose(self.result)}{self.slash}{_enclose(self.argument)}"


Category = Atom | Functor


def _enclose(category: Category) -> str:
    return f"({category})" if isinstance(category, Functor) else str(category)


@cache
def parse_category(text: str) -> Category:
    """Read a category as CCGbank writes it; a `[conj]` mark is no part of it. Raises ValueError at a fault."""
    category, end = _parse_from(text, 0)
    if end != len(text):
        raise ValueError(f"cannot read the category {text!r} from {text[end:]!r} on")
    return category


@cache
def parse_node_category(text: str) -> Category:
    """Read the category of any node, also one that ends in the mark `[conj]`, which is left out."""
    return parse_category(text.removesuffix("[conj]"))


def _parse_from(text: str, start: int) -> tuple[Category, int]:
    category, at = _parse_operand(text, start)
    while at < len(text) and text[at] in "/\\":
        argument, end = _parse_operand(text, at + 1)
        category, at = Functor(category, text[at], argument), end
    return category, at


def _parse_operand(text: str, start: int) -> tuple[Category, int]:
    if text.startswith("(", start):
        category, end = _parse_from(text, start + 1)
        if not text.startswith(")", end):
            raise ValueError(f"the bracket at {start} in the category {text!r} is not closed")
        return category, end + 1
    match = ATOM.match(text, start)
    if match is None:
        raise ValueError(f"cannot read the category {text!r} from {text[start:]!r} on")
    return Atom(match[1], match[2]), match.end()


def unify(wanted: Category, given: Category) -> str | None:
    """Compare what a functor wants with what it gets; the result is the value of the feature variable.

    "" means that they match and nothing was bound, None that they do not match.
    """
    if isinstance(wanted, Functor) and isinstance(given, Functor):
        if wanted.slash != given.slash:
            return None
        result, argument = unify(wanted.result, given.result), unify(wanted.argument, given.argument)
        if result is None or argument is None or (result and argument and result != argument):
            return None
        return result or argument
    if isinstance(wanted, Functor) or isinstance(given, Functor) or wanted.base != given.base:
        return None
    if wanted.base == "S":
        if wanted.feature and given.feature:
            return "" if wanted.feature == given.feature else None
        return "" if wanted.feature else (given.feature or "")
    return "" if _strip_nb(wanted) == _strip_nb(given) else None


def _strip_nb(atom: Atom) -> Atom:
    return Atom(atom.base) if atom.feature == "nb" else atom


def bind(category: Category, feature: str) -> Category:
    """Give every `S` without a feature this one; "" changes nothing."""
    if not feature:
        return category
    if isinstance(category, Functor):
        return Functor(bind(category.result, feature), category.slash, bind(category.argument, feature))
    return Atom("S", feature) if category.base == "S" and category.feature is None else category


def forget_nb(category: Category) -> Category:
    """The category with every `NP[nb]` written `NP`."""
    if isinstance(category, Functor):
        return Functor(forget_nb(category.result), category.slash, forget_nb(category.argument))
    return _strip_nb(category)


def is_modifier(category: Category) -> bool:
    """Does this functor give back what it takes (`N/N`, `(S\\NP)\\(S\\NP)`, `NP[nb]/NP`)?"""
    return isinstance(category, Functor) and forget_nb(category.result) == forget_nb(category.argument)


def is_raised(category: Functor) -> bool:
    """Is it `T/(T\\X)` or `T\\(T/X)`?"""
    return isinstance(category.argument, Functor) and category.argument.result == category.result
