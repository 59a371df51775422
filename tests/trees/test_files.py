"""Trees written into a data folder and read back."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from nntag.corpora.records import Tree
from nntag.errors import RunError
from nntag.trees.files import read_trees, write_trees
from tests.trees.trees import random_tree


def shape(tree: Tree, node: int | None = None):
    """Label, word and children as nested tuples, whatever the numbering."""
    node = len(tree) - 1 if node is None else node
    return tree.labels[node], tree.words[node], tuple(shape(tree, child) for child in tree.children[node])


def test_trees_come_back(tmp_path) -> None:
    rng = random.Random(4)
    trees = [random_tree(rng, leaves, 5, 3) for leaves in (1, 2, 9, 30)]
    trees.append(Tree(("2", "1", "0"), ((), (), (0, 1)), ("(", "5\xa0000/6", None)))
    write_trees(tmp_path / "t.txt", trees)
    assert [shape(tree) for tree in read_trees(tmp_path / "t.txt")] == [shape(tree) for tree in trees]


def test_words_of_inner_nodes_come_back(tmp_path) -> None:
    tree = Tree(("2", "", "3", "1"), ((), (), (0, 1), (2,)), ("I", "it", "liked", "said"))
    write_trees(tmp_path / "t.txt", [tree])
    assert (tmp_path / "t.txt").read_text() == "(1 (= said) (3 (= liked) (2 I) (? it)))\n"
    assert [shape(found) for found in read_trees(tmp_path / "t.txt")] == [shape(tree)]


def test_random_dependency_shapes_come_back(tmp_path) -> None:
    rng = random.Random(5)
    trees = []
    for leaves in (2, 7, 15):
        tree = random_tree(rng, leaves, 5, 4)
        trees.append(replace(tree, words=tuple(word or f"i{n}" for n, word in enumerate(tree.words))))
    write_trees(tmp_path / "t.txt", trees)
    assert [shape(tree) for tree in read_trees(tmp_path / "t.txt")] == [shape(tree) for tree in trees]


def test_a_file_without_trees_is_an_error(tmp_path) -> None:
    (tmp_path / "t.txt").write_text("\n")
    with pytest.raises(RunError, match="no trees in it"):
        read_trees(tmp_path / "t.txt")
