"""CCGbank derivations: fields, marks, headers, escapes, and where faults are."""

from __future__ import annotations

import logging
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.ccgbank import read_ccgbank, read_derivations
from nntag.corpora.escapes import escape_word, unescape_word
from tests.corpora.reading import fault, is_plain, read, read_on, tokens

FIVE = "expected 5 fields in (<L ...>: category, POS, POS, word and category"
LEAF = "(<L N NN NN fog N>)"
TREE = r"(<T S[dcl] 1 2> (<T NP 0 1> (<L N NN NNS fogs N>) ) (<L S[dcl]\NP VBZ VBZ lift S[dcl]\NP_3>) )"


def test_words_tags_and_categories() -> None:
    data = f"ID=toy_1.1 PARSER=GOLD NUMPARSE=1\n{TREE} \nID=2, Prob=-0.25\r\n{LEAF}\r\n\n \t\n{TREE}\n  {LEAF}\t"
    first, second, third, fourth = read(read_ccgbank, data)
    assert first.tokens == third.tokens == ("fogs", "lift")
    assert first.tags == ("NN", "VBZ")
    assert first.supertags == ("N", r"S[dcl]\NP")
    assert second.tokens == fourth.tokens == ("fog",)
    assert [record.place.line for record in (first, second, third, fourth)] == [2, 4, 7, 8]


def test_the_derivation_as_a_tree() -> None:
    (tree,) = read(read_derivations, TREE)
    assert tree.labels == ("N", "NP", r"S[dcl]\NP", "S[dcl]")
    assert tree.children == ((), (0,), (), (1, 2))
    assert tree.words == ("fogs", None, "lift", None)


def test_marks_after_the_fields_are_left_out() -> None:
    data = (
        "(<T S 0 2 {lift.01:ARG0}> (<T N 1 2 {lift.01:ARG1} {see.02:ARG0}> "
        "(<L N/N JJ JJ [ N/N {x.01:rel} [ARG0,ARG1]>) "
        "(<L N NN NN {a} N [ARG0]>) ) (<L S\\N VB VB lifts S\\N {lift.01:rel} [ARG0]>) )"
    )
    (record,) = read(read_ccgbank, data)
    assert record.tokens == ("[", "{a}", "lifts")
    assert record.supertags == ("N/N", "N", "S\\N")


@pytest.mark.parametrize(
    "category",
    [
        "((S[b]\\NP)/NP)/",
        "LRB",
        ",",
        "S[",
        "((((",
        "-LRB-",
        "N_1/N_1",
        "S[dcl]\\NP|x",
        "#",
        "é",
        "A\u00a0B",
        "A<B",
        "(" * 5000 + ")" * 5000,
    ],
)
def test_a_category_is_any_string(category: str) -> None:
    (record,) = read(read_ccgbank, f"(<T {category} 0 1> (<L {category} X Y w {category}>) )")
    assert record.supertags == (category,)


def test_words_are_unescaped_and_other_fields_are_not() -> None:
    words = ["-LRB-", "-RCB-", "1\\/2", "\\*", "|", ">", "<L", "#", "a\u00a0b", "a\u2028", "\x0c"]
    leaves = " ".join(f"(<L -LRB- -LRB- -LRB- {word} 1\\/2>)" for word in words)
    (record,) = read(read_ccgbank, f"(<T X 0 {len(words)}> {leaves} )")
    assert record.tokens == ("(", "}", "1/2", "*", *words[4:])
    assert set(record.tags) == set(record.supertags) == {"-LRB-"}


def test_a_derivation_of_10000_levels() -> None:
    depth = 10_000
    (tree,) = read(read_derivations, "(<T N 0 1> " * depth + LEAF + " )" * depth)
    assert len(tree) == depth + 1
    assert "10000 brackets open" in fault(read_ccgbank, "(<T N 0 1> " * depth + LEAF)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (f"{LEAF}\n(<X N NN NN fog N>)", "toy:2:1: expected '(<L' or '(<T', found '(<X'"),
        (f"(<T N 0 1> {LEAF}", "toy:1:31: the derivation ends with 1 brackets open"),
        (f"ID=a.1\n{LEAF}\nID=a.2\n(<T N 0 1> (<L N NN NN", "toy:4:12: expected '>)' after '(<L' (in ID=a.2)"),
        (f"ID=a.1\n{LEAF}\n(<T N 0 1", "toy:3:1: expected '>' after '(<T'"),
        (
            "(<L N NN NN fog>)",
            f"toy:1:1: {FIVE}; found 4: N NN NN fog",
        ),
        ("(<L N NN NN fog N x>)", "toy:1:1: expected 5 fields"),
        (
            "(<L N NN NN the fog N>)",
            f"toy:1:1: {FIVE}; found 6",
        ),
        (
            f"(<T N 0> {LEAF} )",
            "toy:1:1: expected 3 fields in (<T ...>: category, head and number of children",
        ),
        (f"(<T N x 1> {LEAF} )", "toy:1:1: expected the head's number and the number of children after N, found x 1"),
        (f"(<T N 0 -1> {LEAF} )", "toy:1:1: expected the head's number"),
        ("(<T N 0 0> )", "toy:1:1: expected the head's number"),
        (f"(<T N 0 2> {LEAF} )", "toy:1:1: expected 2 children of N, found 1"),
        (f"(<T N 0 1> {LEAF} {LEAF} )", "toy:1:1: expected 1 children of N, found 2"),
        (f"{LEAF} {LEAF}", "toy:1:21: expected the end of the line after the derivation, found '(<L'"),
        (f"{LEAF} )", "toy:1:21: expected the end of the line after the derivation, found ')'"),
        (f"(<T N 0 1> x {LEAF} )", "toy:1:12: expected '(<L' or '(<T', found 'x (<L'"),
        (f"(<T N 0 1> {LEAF} x )", "toy:1:32: expected '(<L', '(<T' or ')', found 'x )'"),
        (")", "toy:1:1: expected '(<L' or '(<T', found ')'"),
        ("fog lifts", "toy:1:1: expected '(<L' or '(<T', found 'fog'"),
        ("(N fog)", "toy:1:1: expected '(<L' or '(<T', found '(N'"),
    ],
)
def test_faults_name_line_and_column(data: str, message: str) -> None:
    assert fault(read_ccgbank, data).startswith(message)


def test_a_header_without_a_derivation_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert len(read(read_ccgbank, f"ID=1\n\nID=2\n{LEAF}\nID=3, x\n")) == 1
    assert [r.getMessage() for r in caplog.records] == [
        "toy:1: ID=1 has no derivation",
        "toy:5: ID=3 has no derivation",
    ]


def test_bad_lines_are_left_out() -> None:
    records, faults = read_on(read_ccgbank, f"{LEAF}\nx\n{TREE}\n(<T\n".encode() + b"\xff\n" + TREE.encode())
    assert tokens(records) == ["fog", "fogs|lift", "fogs|lift"]
    assert [error.line for error in faults] == [2, 4, 5]


field = st.text(
    st.characters(exclude_characters=" \t\n\r\ufeff<>(){}", exclude_categories=["Cs"]), min_size=1, max_size=5
).filter(is_plain)
words = field.filter(lambda text: unescape_word(escape_word(text)) == text)


@given(st.lists(st.tuples(words, field, field), min_size=1, max_size=6), st.sampled_from(["", " ", "   "]))
def test_what_is_written_is_read(leaves: list[tuple[str, str, str]], space: str) -> None:
    text = space.join(f"(<L {category} {tag} {tag} {escape_word(word)} {category}>)" for word, tag, category in leaves)
    (record,) = read(read_ccgbank, f"(<T X 0 {len(leaves)}>{space}{text}{space})")
    assert list(zip(record.tokens, record.tags, record.supertags, strict=True)) == leaves


@pytest.mark.corpus
@pytest.mark.parametrize(
    "name", ["ud2ccg/geo-train.auto", "ud2ccg/switchboard-test100.auto", "fracas_derived/fracas.candc.auto"]
)
def test_a_pattern_finds_the_same_leaves(shared_data: Path, name: str) -> None:
    data = (shared_data / "ccg" / name).read_text(encoding="utf-8")
    found = re.findall(r"<L (\S+) (\S+) \S+ (\S+) \S+>", data)
    leaves = [
        (category, tag, word)
        for record in read(read_ccgbank, data)
        for word, tag, category in zip(record.tokens, record.tags, record.supertags, strict=True)
    ]
    assert leaves == [(category, tag, unescape_word(word)) for category, tag, word in found]
