"""Derivations of the sample grammar: leaves and nodes in, the joined node out, and a check of every step of a tree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from nntag.sample.categories import parse_category
from nntag.sample.combinators import find_steps, find_unary_rule

ROOTS = frozenset(("S[dcl]", "S[q]", "S[wq]", r"S[b]\NP"))


class DerivationError(ValueError):
    """A derivation with a step that no combinator allows."""


class Leaf(NamedTuple):
    """One word; `word` is unescaped (`(`), `tag` a Penn tag, `category` the supertag."""

    category: str
    tag: str
    word: str
    lemma: str


class Node(NamedTuple):
    """An inner node with one or two children; `head` is the number of the child that its head word comes from."""

    category: str
    rule: str
    head: int
    children: tuple[Derivation, ...]


Derivation = Leaf | Node


def join(left: Derivation, right: Derivation, rule: str = "") -> Node:
    """Combine two neighbours by the first rule that applies, or by the one named. Raises DerivationError for none."""
    for step in find_steps(left.category, right.category):
        if not rule or step.rule == rule:
            return Node(step.category, step.rule, step.head, (left, right))
    raise DerivationError(f"no {rule or 'rule'} joins {left.category} and {right.category}")


def retype(child: Derivation, category: str) -> Node:
    """Change a category by type raising or a type-changing rule. Raises DerivationError where there is none."""
    rule = find_unary_rule(child.category, category)
    if rule is None:
        raise DerivationError(f"no rule turns {child.category} into {category}")
    return Node(category, rule, 0, (child,))


def iterate_leaves(derivation: Derivation) -> Iterator[Leaf]:
    """The leaves from left to right."""
    stack = [derivation]
    while stack:
        item = stack.pop()
        if isinstance(item, Leaf):
            yield item
        else:
            stack.extend(reversed(item.children))


def find_first_leaf(derivation: Derivation) -> Leaf:
    """The leftmost leaf."""
    while isinstance(derivation, Node):
        derivation = derivation.children[0]
    return derivation


def check_derivation(derivation: Derivation) -> None:
    """Check every step of a derivation, its leaves and its root. Raises DerivationError at the first fault."""
    if derivation.category not in ROOTS:
        raise DerivationError(f"a sentence cannot be {derivation.category}")
    stack = [derivation]
    while stack:
        item = stack.pop()
        if isinstance(item, Leaf):
            _check_leaf(item)
        else:
            _check_step(item)
            stack.extend(item.children)


def _check_leaf(leaf: Leaf) -> None:
    if not leaf.word or not leaf.tag or any(character.isspace() for character in leaf.word + leaf.tag):
        raise DerivationError(f"a leaf needs one word and one tag, not {leaf.word!r} and {leaf.tag!r}")
    try:
        parse_category(leaf.category)
    except ValueError as error:
        raise DerivationError(str(error)) from error


def _check_step(node: Node) -> None:
    categories = tuple(child.category for child in node.children)
    if len(categories) == 1:
        allowed = node.rule == find_unary_rule(categories[0], node.category) and node.head == 0
    elif len(categories) == 2:
        allowed = (node.category, node.rule, node.head) in find_steps(*categories)
    else:
        allowed = False
    if not allowed:
        step = f"{node.category} with head {node.head} by {node.rule}"
        raise DerivationError(f"{' '.join(categories)} does not give {step}")
