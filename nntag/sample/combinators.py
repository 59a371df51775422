"""The combinators of the sample grammar: two categories in, every step that joins them out (category, rule, head).

Rules: forward and backward application (`fa`, `ba`), forward and backward composition (`fc`, `bc`), backward crossed
composition (`bx`), `conj X -> X[conj]` (`conj`), `X X[conj] -> X` (`coord`), punctuation absorption (`lp`, `rp`), type
raising (`tr`) and the type-changing rules of CCGbank that take no second category (`tc`).
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from nntag.sample.categories import (
    Category,
    Functor,
    bind,
    forget_nb,
    is_modifier,
    is_raised,
    parse_category,
    unify,
)

PUNCTUATION = frozenset((",", ".", ":", ";", "LRB", "RRB"))
CONJUNCTIONS = frozenset(("conj", ",", ";"))
CONJ = "[conj]"

VP_MODIFIER = r"(S\NP)\(S\NP)"

TYPE_RAISING = frozenset(
    (
        ("NP", r"S/(S\NP)"),
        ("NP", r"(S\NP)\((S\NP)/NP)"),
        ("NP", r"((S\NP)/NP)\(((S\NP)/NP)/NP)"),
    )
)
TYPE_CHANGING = frozenset(
    (
        ("N", "NP"),
        (r"S[ng]\NP", "NP"),
        (r"S[ng]\NP", r"NP\NP"),
        (r"S[pss]\NP", r"NP\NP"),
        (r"S[adj]\NP", r"NP\NP"),
        ("S[dcl]/NP", r"NP\NP"),
        (r"(S[to]\NP)/NP", r"NP\NP"),
        (r"S[ng]\NP", VP_MODIFIER),
        (r"S[to]\NP", VP_MODIFIER),
        (r"S[ng]\NP", "S/S"),
        (r"S[pss]\NP", "S/S"),
        (r"S[to]\NP", "S/S"),
    )
)


class Step(NamedTuple):
    """One way to join two constituents; `head` is 0 or 1, the child that the head word comes from."""

    category: str
    rule: str
    head: int


@cache
def find_unary_rule(child: str, parent: str) -> str | None:
    """The rule that turns `child` into `parent`: `tr`, `tc` or None."""
    pair = (str(forget_nb(parse_category(child))), parent)
    if pair in TYPE_RAISING:
        return "tr"
    return "tc" if pair in TYPE_CHANGING else None


@cache
def find_steps(left: str, right: str) -> tuple[Step, ...]:
    """Every step that joins two neighbours; () where there is none. Application comes before composition."""
    if left.endswith(CONJ):
        return ()
    steps = []
    if right.endswith(CONJ):
        if _is_same(left, right[: -len(CONJ)]):
            steps.append(Step(right[: -len(CONJ)], "coord", 0))
        return tuple(steps)
    if left in PUNCTUATION:
        steps.append(Step(right, "lp", 1))
    elif right in PUNCTUATION:
        steps.append(Step(left, "rp", 0))
    if left in CONJUNCTIONS and right not in CONJUNCTIONS:
        steps.append(Step(f"{forget_nb(parse_category(right))}{CONJ}", "conj", 1))
    if not steps:
        steps.extend(_find_functor_steps(parse_category(left), parse_category(right)))
    return tuple(steps)


def _is_same(left: str, right: str) -> bool:
    return forget_nb(parse_category(left)) == forget_nb(parse_category(right))


def _find_functor_steps(left: Category, right: Category) -> list[Step]:
    steps = []
    if isinstance(left, Functor) and left.slash == "/":
        head = int(is_modifier(left) or _is_determiner(left) or is_raised(left))
        if (feature := unify(left.argument, right)) is not None:  # X/Y Y -> X
            steps.append(_step(bind(left.result, feature), "fa", head))
        if isinstance(right, Functor) and right.slash == "/":  # X/Y Y/Z -> X/Z
            feature = unify(left.argument, right.result)
            if feature is not None:
                steps.append(_step(Functor(bind(left.result, feature), "/", right.argument), "fc", head))
    if isinstance(right, Functor) and right.slash == "\\":
        head = int(not is_modifier(right))
        if (feature := unify(right.argument, left)) is not None:  # Y X\Y -> X
            steps.append(_step(bind(right.result, feature), "ba", 0 if is_raised(right) else head))
        if isinstance(left, Functor) and (feature := unify(right.argument, left.result)) is not None:
            rule = "bx" if left.slash == "/" else "bc"  # Y/Z X\Y -> X/Z and Y\Z X\Y -> X\Z
            steps.append(_step(Functor(bind(right.result, feature), left.slash, left.argument), rule, head))
    return steps


def _step(category: Category, rule: str, head: int) -> Step:
    return Step(str(category), rule, head)


def _is_determiner(category: Functor) -> bool:
    return str(category) == "NP[nb]/N"
