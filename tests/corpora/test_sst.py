"""Sentiment trees: labels, shapes, escapes."""

from __future__ import annotations

import pytest

from nntag.corpora.sst import read_sst
from nntag.corpora.trees import format_tree
from tests.corpora.reading import fault, read, read_on


def test_binary_trees_with_labels() -> None:
    data = "(3 (2 A) (4 (3 very\u00a0b) (2 -LRB-)))\r\n\n(0 1\\/2)(2\n(1 x)\n\n(4 y) )\n( (2 z) )"
    records = read(read_sst, data)
    assert [tree.tokens for tree in records] == [("A", "very\u00a0b", "("), ("1/2",), ("x", "y"), ("z",)]
    assert [tree.labels[-1] for tree in records] == ["3", "0", "2", "2"]
    assert records[0].labels == ("2", "3", "2", "4", "3")
    assert records[0].children == ((), (), (), (1, 2), (0, 3))
    assert records[0].words == ("A", "very\u00a0b", "(", None, None)
    assert [tree.place.line for tree in records] == [1, 3, 3, 7]


@pytest.mark.parametrize("label", ["5", "-1", "z", "2.0", "+2", "02", "２", "10", "-NONE-x"])
def test_other_labels_are_faults(label: str) -> None:
    message = f"expected a label from 0 to 4, found '{label}'"
    assert fault(read_sst, f"(2 a)\n(2 (2 a)\n  ({label} b))") == f"toy:3:3: {message}"
    assert fault(read_sst, f"({label} (2 a) (2 b))") == f"toy:1:1: {message}"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("((2 a) (2 b))", "toy:1:1: expected a label from 0 to 4, found ''"),
        ("(2 (2 a) (2 b) (2 c))", "toy:1:1: expected one word or two children, found 3 children"),
        ("(2 (2 a)\n(2 (2 b)))", "toy:2:1: expected one word or two children, found one child"),
        ("(2 a b)", "toy:1:6: expected ')' after the word 'a'"),
        ("(2 (2 a) b)", "toy:1:10: expected '(' or ')' beside a subtree"),
        ("(2 )", "toy:1:4: expected a word or a subtree after '2'"),
        ("(2 (2 a)", "toy:1:1: this bracket is never closed"),
        ("(2 a))", "toy:1:6: expected '('"),
        ("2 a", "toy:1:1: expected '(', found '2'"),
    ],
)
def test_shapes_that_are_faults(data: str, message: str) -> None:
    assert fault(read_sst, data).startswith(message)


def test_other_shapes_can_be_binarised() -> None:
    (tree,) = read(read_sst, "(4 (1 (3 a)) (2 b) (0 c) (1 d))", binarise=True)
    assert format_tree(tree) == "(4 (1 a) ( (2 b) ( (0 c) (1 d))))"
    assert fault(read_sst, "(4 (2 b) (9 c) (1 d))", binarise=True).startswith("toy:1:10: expected a label")


def test_bad_trees_are_left_out() -> None:
    records, faults = read_on(read_sst, "(2 a)\n(5 b)\n(2 (2 c)\n(3 d)\n(2 (2 e)(2 f)(2 g))\n(4 h)\n")
    assert [tree.tokens for tree in records] == [("a",), ("d",), ("h",)]
    assert [error.line for error in faults] == [2, 3, 5]
