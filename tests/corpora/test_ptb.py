"""Bracketed trees: which shapes are trees, which are faults and where; traces, escapes, depth, binarising."""

from __future__ import annotations

import logging
from pathlib import Path

import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.escapes import escape_word, unescape_word
from nntag.corpora.ptb import read_ptb, read_ptb_trees
from nntag.corpora.records import Tree
from nntag.corpora.trees import binarise_tree, format_tree
from tests.corpora.reading import fault, is_plain, read, read_on, tagged

A, B = "(A a)", "(B b)"


def trees(data: str) -> list[str]:
    return [format_tree(tree) for tree in read(read_ptb_trees, data)]


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("", []),
        (" \n\t\n", []),
        (A, [A]),
        (f"{A}{B}", [A, B]),
        (f"( {A} )", [A]),
        (f"(({A}))\n( ( ( {B} ) ) )", [A, B]),
        (f"({A}{B})", [f"(ROOT {A} {B})"]),
        (f"(( {A}{B} ))", [f"(ROOT {A} {B})"]),
        (f"(X({A}{B}))", [f"(X ( {A} {B}))"]),
        (f"(X{A}{B})", [f"(X {A} {B})"]),
        (f"(X (Y (Z {A})))", [f"(X (Y (Z {A})))"]),
        ("(A\n\n\n\ta\n)", [A]),
        ("(\nS\r\n(A a)\r\n \r\n(B b))\r\n", [f"(S {A} {B})"]),
        ("(S-NOM-1=2 (-LRB- -LRB-) (. ?))", ["(S-NOM-1=2 (-LRB- -LRB-) (. ?))"]),
        ("(# #)", ["(# #)"]),
        ("(\tS\t( A  a ) )(\nB b) (S(A a\n)(B b))", ["(S (A a))", B, f"(S {A} {B})"]),
        ("(S (A a\u00a0b) (B \u2028) (C \x0c\x0b))", ["(S (A a\u00a0b) (B \u2028) (C \x0c\x0b))"]),
        ("\ufeff(A a)\n(A \ufeffa)", [A, "(A \ufeffa)"]),
    ],
)
def test_trees_are_found_by_brackets(data: str, expected: list[str]) -> None:
    assert trees(data) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (f"{A}\n(S {A}", "toy:2:1: this bracket is never closed (1 are open at the end)"),
        (f"{A}\n(S (X\n\n{A}", "toy:2:1: this bracket is never closed (2 are open"),
        ("(", "toy:1:1: this bracket is never closed"),
        (f"{A})\n{B}", "toy:1:6: expected '(' or the end of the file, found one ')' too many"),
        (f"{A}\n\n  )", "toy:3:3: expected '(' or the end of the file"),
        ("(S (A a))))", "toy:1:10: expected '(' or the end of the file, found one ')' too many"),
        (f"{A} x", "toy:1:7: expected '(', found 'x' outside any tree"),
        ("some text", "toy:1:1: expected '(', found 'some'"),
        (f"(S {A} (HYPH ) {B})", "toy:1:16: expected a word or a subtree after 'HYPH', found ')'"),
        (
            f"(S\n(NP\n)\n{A})",
            "toy:3:1: expected a word or a subtree after 'NP', found ')' (in the tree that",
        ),
        ("(word)", "toy:1:6: expected a word or a subtree after 'word'"),
        ("((word))", "toy:1:7: expected a word or a subtree after 'word'"),
        ("(S (A a b))", "toy:1:9: expected ')' after the word 'a' of A, found a second word 'b'"),
        ("(S (A a\nb))", "toy:2:1: expected ')' after the word 'a' of A"),
        ("(A (a))", "toy:1:6: expected a word or a subtree after 'a'"),
        (f"(S a {A})", "toy:1:6: expected ')' after the word 'a' of S, found '('"),
        (f"(S a\n{A})", "toy:2:1: expected ')' after the word 'a' of S, found '('"),
        (f"(S {A} a)", "toy:1:10: expected '(' or ')' beside a subtree, found the word 'a'"),
        (f"({A} a)", "toy:1:8: expected '(' or ')' beside a subtree"),
        (f"(S {A} ())", "toy:1:10: expected a label or '(', found an empty bracket"),
        (f"(S {A}\n(()) )", "toy:2:2: expected a label or '('"),
    ],
)
def test_faults_name_line_and_column(data: str, message: str) -> None:
    assert fault(read_ptb, data).startswith(message)


def test_trees_without_words_are_left_out_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    data = f"()\n{A}\n\n(())\n(\n(S (NP (-NONE- *)) (VP (-NONE- *T*-1))))\n(-NONE- 0)\n( (()()) ){B}"
    with caplog.at_level(logging.WARNING):
        assert trees(data) == [A, B]
    assert [record.getMessage() for record in caplog.records] == [
        f"toy:{line}: a tree without words was left out" for line in (1, 4, 5, 7, 8)
    ]


def test_traces_go_with_the_nodes_that_they_leave_empty() -> None:
    verb = "(VP (V is) (X (Y (-NONE- 0)) (Z (-NONE- *T*) (N so))) (-NONE- *-1))"
    data = f"( (S (NP-1 (-NONE- *)) {verb} (SBAR (S (-NONE- *)))))"
    assert trees(data) == ["(S (VP (V is) (X (Z (N so)))))"]
    assert tagged(read(read_ptb, data)) == ["is/V so/N"]
    assert trees("( (NP (-NONE- *)) (A a) )") == [A]  # the bracket without label is now around one tree
    assert trees("(S (-NONE- a) (NN -NONE-))") == ["(S (NN -NONE-))"]  # a word, not a trace


def test_words_are_unescaped_and_tags_are_not() -> None:
    brackets = "(-LRB- -LRB-) (-RRB- -RRB-) (X -LCB-) (X -RCB-) (X -LSB-) (X -RSB-)"
    data = f"(S {brackets} (CD 1\\/2) (: \\*\\*) (, -LRB-a\\/b) (A\\/B -lrb-))"
    assert tagged(read(read_ptb, data)) == ["(/-LRB- )/-RRB- {/X }/X [/X ]/X 1/2/CD **/: (a/b/, -lrb-/A\\/B"]


def test_a_tree_of_20000_levels() -> None:
    depth = 20_000
    (tree,) = read(read_ptb_trees, "(X " * depth + A + ")" * depth)
    assert len(tree) == depth + 1 and tree.tokens == ("a",)
    assert format_tree(tree) == "(X " * depth + A + ")" * depth
    assert fault(read_ptb, "(X " * depth).startswith("toy:1:1: this bracket is never closed (20000 are open")
    assert fault(read_ptb, "(" * depth + ")" * depth + ")").startswith("toy:1:40001: expected '('")
    assert format_tree(binarise_tree(tree)) == "(X a)"


def test_reading_goes_on_at_the_next_line_that_opens_a_tree() -> None:
    data = f"{A}\n(S (A x)\n{B}\n (C c)\n(E)\n(F f)\nx\n  (G g)\n(H h)\n(S (I i)"
    records, faults = read_on(read_ptb, data)
    assert tagged(records) == ["a/A", "b/B", "c/C", "f/F", "h/H"]
    assert [error.line for error in faults] == [5, 5, 7, 10]
    assert "(in the tree that starts on line 2)" in str(faults[0])
    records, faults = read_on(read_ptb, b"(A a)\n(B \xff)\n(C c)\n(S (D d)\n(E \xff))\n(F f)\n")
    assert tagged(records) == ["a/A", "c/C", "f/F"]
    assert [error.line for error in faults] == [2, 5, 5]


def test_places_are_the_lines_where_trees_start() -> None:
    records = read(read_ptb, f"\n(S\n{A}) (X\n{B})\n\n( {A} )")
    assert [record.place.line for record in records] == [2, 3, 6]


word = st.text(
    st.characters(exclude_characters=" \t\n\r\ufeff", exclude_categories=["Cs"]), min_size=1, max_size=5
).filter(lambda text: unescape_word(escape_word(text)) == text and is_plain(text))
label = st.text("ABZ-.,:$#=|'`1", min_size=1, max_size=3).filter(lambda text: text not in ("-NONE-", "1"))
shapes = st.recursive(
    st.tuples(label, word), lambda inner: st.tuples(label, st.lists(inner, min_size=1, max_size=4)), max_leaves=12
)


def build(shape: tuple[str, str | list]) -> Tree:
    labels, children, words = [], [], []

    def add(node: tuple[str, str | list]) -> int:
        kids = () if isinstance(node[1], str) else tuple(add(kid) for kid in node[1])
        labels.append(node[0])
        children.append(kids)
        words.append(node[1] if isinstance(node[1], str) else None)
        return len(labels) - 1

    add(shape)
    return Tree(tuple(labels), tuple(children), tuple(words))


def leaves(shape: tuple[str, str | list]) -> list[tuple[str, str]]:
    return [(shape[1], shape[0])] if isinstance(shape[1], str) else [leaf for kid in shape[1] for leaf in leaves(kid)]


@given(st.lists(shapes, max_size=4), st.sampled_from([" ", "\n", "\t\r\n \n"]))
def test_what_is_written_is_read(found: list, space: str) -> None:
    written = [build(shape) for shape in found]
    data = "\n".join(format_tree(tree).replace(" ", space) for tree in written)
    again = read(read_ptb_trees, data)
    assert [(t.labels, t.children, t.words) for t in again] == [(t.labels, t.children, t.words) for t in written]
    assert [list(zip(r.tokens, r.tags, strict=True)) for r in read(read_ptb, data)] == [
        leaves(shape) for shape in found
    ]


@given(shapes)
def test_binarised_trees_have_two_children_and_the_same_words(shape: tuple) -> None:
    tree = build(shape)
    binary = binarise_tree(tree)
    assert {len(children) for children in binary.children} <= {0, 2}
    assert binary.tokens == tree.tokens and binary.labels[-1] == tree.labels[-1]
    assert len(binary) == 2 * len(tree.tokens) - 1
    assert all(child < number for number, children in enumerate(binary.children) for child in children)
    assert sorted(child for children in binary.children for child in children) == list(range(len(binary) - 1))


def test_binarising_hangs_children_to_the_right() -> None:
    (tree,) = read(read_ptb_trees, "(S (X (Y (A a))) (B b) (C c) (D d))")
    assert format_tree(binarise_tree(tree)) == "(S (X a) ( (B b) ( (C c) (D d))))"


@pytest.mark.corpus
def test_nltk_reads_the_same(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shared_data / "nltk/treebank/combined"
    monkeypatch.setattr(nltk.data, "path", [str(folder)])  # nltk opens files below its own folders alone
    for path in sorted(folder.glob("*.mrg"))[:40]:
        corpus = nltk.corpus.BracketParseCorpusReader(str(path.parent), path.name)
        theirs = [[(word, tag) for word, tag in s if tag != "-NONE-"] for s in corpus.tagged_sents()]
        ours = read(read_ptb, path.read_bytes())
        assert [list(zip(s.tokens, s.tags, strict=True)) for s in ours] == [
            [(unescape_word(word), tag) for word, tag in s] for s in theirs
        ]
