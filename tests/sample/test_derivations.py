"""Every step of generated derivations, checked by the package and by a second calculus written here from scratch."""

from __future__ import annotations

import random
import re
from itertools import islice

import pytest

from nntag.sample import DerivationError, check_derivation, generate_sentences
from nntag.sample.categories import parse_category, unify
from nntag.sample.combinators import find_steps, find_unary_rule
from nntag.sample.derivations import Leaf, Node, iterate_leaves, join, retype

PUNCTUATION = {",", ".", ":", ";", "LRB", "RRB"}


def read(text: str):
    """A category as nested tuples (result, slash, argument) or an atom as a string; no code shared with the package."""
    parts, depth, operands, slashes, start = text, 0, [], [], 0
    for at, character in enumerate(parts):
        depth += (character == "(") - (character == ")")
        if depth == 0 and character in "/\\":
            operands.append(parts[start:at])
            slashes.append(character)
            start = at + 1
    operands.append(parts[start:])
    trees = [read(part[1:-1]) if part[0] == "(" else part for part in operands]
    result = trees[0]
    for slash, tree in zip(slashes, trees[1:], strict=True):
        result = (result, slash, tree)
    return result


def match(pattern, given, found: dict):
    """Does `given` fit `pattern`, whose bare S takes on any feature (the same one everywhere)?"""
    if isinstance(pattern, tuple) or isinstance(given, tuple):
        same_kind = isinstance(pattern, tuple) and isinstance(given, tuple) and pattern[1] == given[1]
        return same_kind and match(pattern[0], given[0], found) and match(pattern[2], given[2], found)
    pattern, given = pattern.replace("NP[nb]", "NP"), given.replace("NP[nb]", "NP")
    if pattern == "S" and re.fullmatch(r"S\[\w+\]", given):
        return found.setdefault("S", given) == given
    return pattern == given or (given == "S" and pattern.startswith("S["))


def fill(pattern, found: dict):
    if isinstance(pattern, tuple):
        return fill(pattern[0], found), pattern[1], fill(pattern[2], found)
    return found.get(pattern, pattern)


def strip(category):
    return tuple(map(strip, category)) if isinstance(category, tuple) else category.replace("NP[nb]", "NP")


def expect(rule: str, left: str, right: str):
    """What the named rule makes of two categories; None if it does not apply."""
    if rule == "lp":
        return read(right) if left in PUNCTUATION else None
    if rule == "rp":
        return read(left) if right in PUNCTUATION else None
    if rule == "conj":
        return (strip(read(right)), "conj") if left in ("conj", ",", ";") else None
    if rule == "coord":
        inner = read(right.removesuffix("[conj]"))
        return inner if right.endswith("[conj]") and strip(read(left)) == strip(inner) else None
    functor, other = (read(left), read(right)) if rule in ("fa", "fc") else (read(right), read(left))
    if not isinstance(functor, tuple) or functor[1] != ("/" if rule in ("fa", "fc") else "\\"):
        return None
    found: dict = {}
    if rule in ("fa", "ba"):
        return fill(functor[0], found) if match(functor[2], other, found) else None
    inner_slash = {"fc": "/", "bc": "\\", "bx": "/"}[rule]
    if not isinstance(other, tuple) or other[1] != inner_slash or not match(functor[2], other[0], found):
        return None
    return fill(functor[0], found), inner_slash, other[2]


UNARY = {
    ("N", "NP"), ("NP", r"S/(S\NP)"), ("NP", r"(S\NP)\((S\NP)/NP)"), ("NP", r"((S\NP)/NP)\(((S\NP)/NP)/NP)"),
    ("S[dcl]/NP", r"NP\NP"), (r"(S[to]\NP)/NP", r"NP\NP"), (r"S[ng]\NP", "NP"),
    *((rf"S[{feature}]\NP", r"NP\NP") for feature in ("ng", "pss", "adj")),
    *((rf"S[{feature}]\NP", r"(S\NP)\(S\NP)") for feature in ("ng", "to")),
    *((rf"S[{feature}]\NP", "S/S") for feature in ("ng", "pss", "to")),
}  # fmt: skip


def iterate_nodes(item):
    if isinstance(item, Node):
        yield item
        for child in item.children:
            yield from iterate_nodes(child)


@pytest.fixture(scope="module")
def sentences():
    return [generated.derivation for generated in generate_sentences(3000, seed=101)]


def test_every_step_holds_by_the_package_and_by_a_second_calculus(sentences):
    seen = set()
    for derivation in sentences:
        check_derivation(derivation)
        for node in iterate_nodes(derivation):
            categories = [child.category for child in node.children]
            seen.add(node.rule)
            if len(categories) == 1:
                assert (categories[0].replace("NP[nb]", "NP"), node.category) in UNARY, node
                continue
            category = node.category
            is_conjunct = category.endswith("[conj]") and node.rule == "conj"
            found = (read(category.removesuffix("[conj]")), "conj") if is_conjunct else read(category)
            assert found == expect(node.rule, *categories), (categories, node.category, node.rule)
    assert seen == {"fa", "ba", "fc", "bc", "bx", "lp", "rp", "conj", "coord", "tr", "tc"}


def test_a_changed_category_is_found(sentences):
    choose = random.Random(5)
    for derivation in islice(sentences, 300):
        leaves = list(iterate_leaves(derivation))
        target = leaves[choose.randrange(len(leaves) - 1)]

        def change(item, target=target):
            if isinstance(item, Leaf):
                return item._replace(category="PP/S[wq]") if item is target else item
            return item._replace(children=tuple(change(child) for child in item.children))

        with pytest.raises(DerivationError):
            check_derivation(change(derivation))


def test_a_wrong_head_rule_root_or_word_is_found(sentences):
    derivation = next(one for one in sentences if one.rule == "rp")
    broken = [
        derivation._replace(head=1),
        derivation._replace(rule="fa"),
        derivation._replace(children=derivation.children[:1]),
        derivation._replace(children=derivation.children * 2),
        derivation.children[1],
        Node("S[dcl]", "rp", 0, (Leaf("S[dcl]", "VB", "two words", "two"), Leaf(".", ".", ".", "."))),
        Node("S[dcl]", "rp", 0, (Leaf("S[dcl]", "VB", "", ""), Leaf(".", ".", ".", "."))),
    ]
    for item in broken:
        with pytest.raises(DerivationError):
            check_derivation(item)


@pytest.mark.parametrize(
    ("left", "right", "rule", "result", "head"),
    [
        ("NP[nb]/N", "N", "fa", "NP[nb]", 1),
        (r"(S[dcl]\NP)/NP", "NP[nb]", "fa", r"S[dcl]\NP", 0),
        ("NP", r"S[dcl]\NP", "ba", "S[dcl]", 1),
        (r"S[dcl]\NP", r"(S\NP)\(S\NP)", "ba", r"S[dcl]\NP", 0),
        (r"S/(S\NP)", r"(S[dcl]\NP)/NP", "fc", "S[dcl]/NP", 1),
        (r"(S[dcl]\NP)/(S[b]\NP)", r"(S[b]\NP)/NP", "fc", r"(S[dcl]\NP)/NP", 0),
        (r"(S[dcl]\NP)/(S[b]\NP)", r"(S\NP)\(S\NP)", "bx", r"(S[dcl]\NP)/(S[b]\NP)", 0),
        ("conj", "NP[nb]", "conj", "NP[conj]", 1),
        ("NP[nb]", "NP[conj]", "coord", "NP", 0),
        (",", r"S[dcl]\NP", "conj", r"S[dcl]\NP[conj]", 1),
        (",", r"NP\NP", "lp", r"NP\NP", 1),
        ("S[q]", ".", "rp", "S[q]", 0),
    ],
)
def test_steps_by_hand(left, right, rule, result, head):
    assert (result, rule, head) in find_steps(left, right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (r"(S[dcl]\NP)/(S[b]\NP)", r"S[ng]\NP"),  # "will going"
        (r"(S[dcl]\NP[thr])/NP", "PP"),
        ("NP", r"S[dcl]\NP[thr]"),  # "she there was"
        ("N", "N/N"),
        ("NP[conj]", "NP"),
        ("NP", r"S[dcl]\NP[conj]"),
        ("N/N[num]", "N"),
    ],
)
def test_what_does_not_join(left, right):
    assert find_steps(left, right) == ()
    with pytest.raises(DerivationError):
        join(Leaf(left, "X", "x", "x"), Leaf(right, "X", "x", "x"))


def test_type_changing_is_closed():
    assert find_unary_rule("N", "NP") == "tc"
    assert find_unary_rule("NP[nb]", r"S/(S\NP)") == "tr"
    assert find_unary_rule("NP", "N") is None
    with pytest.raises(DerivationError):
        retype(Leaf("NP", "PRP", "she", "she"), "N")


@pytest.mark.parametrize("text", ["", "(", "S[dcl]\\", "S[dcl]\\NP)", "(S/NP", "S//NP", "S[", "NP NP", "S[conj]x"])
def test_broken_categories(text):
    with pytest.raises(ValueError, match="category"):
        parse_category(text)


def test_categories_are_written_as_read(sentences):
    for derivation in sentences:
        for leaf in iterate_leaves(derivation):
            assert str(parse_category(leaf.category)) == leaf.category


def test_the_feature_variable_takes_one_value_only():
    pattern = parse_category(r"(S\NP)/(S\NP)")
    assert unify(pattern, parse_category(r"(S[b]\NP)/(S[b]\NP)")) == "b"
    assert unify(pattern, parse_category(r"(S[dcl]\NP)/(S[b]\NP)")) is None
