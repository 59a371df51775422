"""The notation of grammar rules, construct by construct, with a toy language whose pieces are nested tuples."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from nntag.sample.engine import Grammar
from nntag.sample.english import read_names, read_sections
from nntag.sample.scope import Language, Site

LISTS = {"fruit": ["apple", "pear"]}


def read_word(text: str) -> Callable[[Site], str]:
    if text[0] == "$":
        return lambda site: LISTS[text[1:]][int(2 * site.random())]
    if text[0] == "@":
        return lambda site: site.scope[text[1:]]
    return lambda site: text


def join(left: object, right: object, way: str) -> object:
    return (left, right, way) if way else (left, right)


TOY = Language(
    read_word,
    read_word,
    join,
    retype=lambda piece, category: f"{category}:{piece}",
    rewrite=lambda text: text.replace("BOTH", "( a b )"),
    values={value: {"kind": value} for value in ("person", "place")} | {"nobody": {"kind": "person", "number": "none"}},
    tests={"empty": lambda site: site.tree is None},
    steps={"shout": lambda site: setattr(site, "tree", "HEY")},
)


def expand(rules: str, draws: Iterable[float] = (), **scope: object) -> object:
    """What the rule `start` builds; every draw has to be used."""
    rest = iter(draws)
    built = Grammar(read_names(rules.strip().split("\n")), TOY).expand("start", scope, rest.__next__)
    assert not list(rest)
    return built


@pytest.mark.parametrize(
    ("rules", "built"),
    [
        ("start  a b c", (("a", "b"), "c")),
        ("start  a <b c", (("b", "a"), "c")),
        ("start  a ( b c )", ("a", ("b", "c"))),
        ("start  a <( b c )", (("b", "c"), "a")),
        ("start  a <~b <&c", ("c", ("b", "a", "~"), "&")),
        ("start  a =NP b", ("NP:a", "b")),
        ("start  a BOTH", ("a", ("a", "b"))),
        ("start  a shout", ("a", "HEY")),
        ("start  other other\nother  x <y", (("y", "x"), ("y", "x"))),
        ("start  a *other\nother  <x y", (("x", "a"), "y")),
        ("start  word=x a @word\nx  ( b c )", ("a", ("b", "c"))),
        ("start  kept=( a b ) c @kept", ("c", ("a", "b"))),
        ("start  todo=<x a *todo", ("x", "a")),
        ("start  [ empty : a ] [ empty : b | c ]", ("a", "c")),
        ("start  [ !empty : a ]", None),
        ("start  X=N/N a =@X", "N/N:a"),
        ("start  kind=place number=none [ person : a | place/person : b ] [ number=none : c ]", ("b", "c")),
        ("start  set(nobody) [ person : a ] [ number=none : b ]", ("a", "b")),
    ],
)
def test_what_a_rule_builds(rules, built):
    assert expand(rules) == built


def test_a_rule_makes_one_draw_and_chances_make_new_ones():
    rules = "start  .3 : a | .6 : b [ >.5 : c ] [ ?.5 : d ] [ ?.5 : e ] | f"
    assert expand(rules, [0.2]) == "a"
    assert expand(rules, [0.55, 0.9, 0.1]) == (("b", "c"), "e")
    assert expand(rules, [0.4, 0.9, 0.9]) == "b"
    assert expand(rules, [0.6]) == "f"


def test_conditions_are_asked_from_left_to_right_and_draw_only_when_asked():
    assert expand("start  person ?.5 : a | b", kind="place") == "b"
    assert expand("start  ?.5 person : a | b", [0.1], kind="place") == "b"


def test_weights():
    rules = "start  { 3 a | 0.5 b | 0.5 c d }"
    assert [expand(rules, [draw]) for draw in (0.0, 0.74, 0.75, 0.87, 0.88)] == ["a", "a", "b", "b", ("c", "d")]


def test_depth():
    rules = "start  inner(+1) inner(2) inner\ninner  depth<1 : top | ?.5/.3/.1 : a | b"
    assert expand(rules, [0.2, 0.2]) == (("a", "b"), "top")
    assert expand("start  ?.5/.3 : a | b", [0.4], depth=7) == "b"


def test_variables_go_down_and_come_back_only_where_asked():
    show = "\nmark  kind=person c\nshow  [ person : p | q ]"
    assert expand("start  mark show" + show, kind="place") == ("c", "q")
    assert expand("start  ^mark show" + show, kind="place") == ("c", "p")
    assert expand("start  show(person) show" + show, kind="place") == ("p", "q")
    assert expand("start  other=@kind ^mark [ !kind=@other : new ]" + show, kind="place") == ("c", "new")
    assert expand("start  ^deep [ depth<1 : same ]\ndeep  set(+2) a") == ("a", "same")


def test_lists_are_drawn_once_for_a_variable():
    rules = "start  one=$fruit @one @one\napple  a\npear  p"
    assert expand(rules, [0.3]) == ("a", "a")
    assert expand(rules, [0.7]) == ("p", "p")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("start  a ( b", "'start'.*'\\)' is missing"),
        ("start  [ a ) ]", "'start'.*'\\]' is missing, found '\\)'"),
        ("start  a )", "'start'.*'\\)' closes nothing"),
        ("start  set(planet) a", "'start'.*planet"),
        ("start  planet : a", "'start'.*planet"),
        ("start  { a | 1 b }", "'start'"),
        ("start  a\nstart  b", "'start' comes twice"),
    ],
)
def test_what_breaks_the_notation(rules, message):
    with pytest.raises(ValueError, match=message):
        expand(rules)


def test_tables_of_the_folder():
    sections = read_sections("frames.txt")
    assert set(sections) == {"categories", "person", "thing"}
    assert all(line.count("|") == 2 and "#" not in line for line in sections["person"] + sections["thing"])
    assert read_names(["a: b c", "d  e"]) == {"a": "b c", "d": "e"}
