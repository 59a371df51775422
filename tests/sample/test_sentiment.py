"""Generated sentiment trees: the label of every node by hand-worked cases, by a second reading, and over many trees."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import nltk
import pytest

from nntag.corpora.lines import open_lines
from nntag.corpora.sst import read_sst
from nntag.sample import write_sample
from nntag.sample.sentiment import generate_reviews, write_phrase


@pytest.mark.parametrize(
    ("phrase", "label"),
    [
        ("wonderful", 4),
        ("good", 3),
        ("film", 2),
        ("dull", 1),
        ("awful", 0),
        (("not", "good"), 1),
        (("not", "wonderful"), 1),
        (("not", "dull"), 3),
        (("not", "long"), 2),
        ((("is", "n't"), "awful"), 3),
        (("never", "bores"), 3),
        (("without", "charm"), 1),
        (("lacks", "wit"), 1),
        (("very", "good"), 4),
        (("very", "dull"), 0),
        (("very", "long"), 2),
        (("slightly", "wonderful"), 3),
        (("slightly", "awful"), 1),
        (("not", ("very", "good")), 1),
        (("too", "long"), 1),
        (("good", "disaster"), 1),
        (("the", ("good", "film")), 3),
        (("good", ("and", "wonderful")), 4),
        (("good", ("but", "awful")), 0),
        (("good", ("but", "long")), 3),
        (("awful", (",", ("but", "good"))), 3),
        (((("Although", "awful"), ","), "good"), 3),
        (((("Although", "awful"), ","), "long"), 0),
        (("wonderful", "."), 4),
    ],
)
def test_labels_by_hand(phrase, label):
    assert write_phrase(phrase)[0].startswith(f"({label} ")


def test_escapes():
    assert write_phrase(("(", "1/2")) == ("(2 (2 -LRB-) (2 1\\/2))", (0, ""))


NEGATIONS = {"not", "n't", "never", "hardly", "no", "without", "lacks"}
STRONG = {"very", "really", "extremely", "truly", "absolutely", "thoroughly", "utterly", "deeply"}
WEAK = {"slightly", "somewhat", "mildly", "fairly", "partly", "moderately"}


def check_node(node) -> None:
    """The rule once more, straight from the labels of a node's children; the contrasts are told by their words."""
    if len(node) == 1:
        return
    left, right = node
    value, first, second = (int(part.label()) - 2 for part in (node, left, right))
    start = left.leaves()[0].lower()
    sign = (second > 0) - (second < 0)
    words = left.leaves()
    if len(words) == 1 and start in STRONG | WEAK:
        assert value == (2 * sign if start in STRONG else sign)
    elif words[-1].lower() in NEGATIONS and words[:-1] in ([], ["is"], ["was"]):
        assert value == -sign
    elif start == "too":
        assert value == (second or -1)
    elif (start == "although" and len(left) == 2) or (start != "," and "but" in right.leaves()[:2]):
        assert value == (second or first)
    elif start not in ("but", ","):
        assert value == max(-2, min(2, first + second)), node


def test_every_node_follows_the_rule():
    for line in islice(generate_reviews(5), 2000):
        for node in nltk.Tree.fromstring(line).subtrees():
            assert len(node) == (1 if isinstance(node[0], str) else 2)
            if len(node) == 2:
                check_node(node)


def test_files_are_read_back(tmp_path):
    paths = write_sample("sst", tmp_path, 600, seed=2)
    trees = {split: list(read_sst(open_lines(str(path)))) for split, path in paths.items()}
    assert {split: len(found) for split, found in trees.items()} == {"train": 600, "dev": 60, "test": 60}
    held_out = {tree.tokens for split in ("dev", "test") for tree in trees[split]}
    assert not held_out & {tree.tokens for tree in trees["train"]}
    assert max(len(tree.tokens) for tree in trees["train"]) <= 40
    roots = Counter(tree.labels[-1] for tree in trees["train"])
    assert set(roots) == set("01234")
    assert min(roots.values()) > 60  # every class can be learned


def test_the_rule_decides_more_than_the_words_do():
    """Counting polar words alone must not solve the task: negation and contrast matter."""
    right = total = 0
    for line in islice(generate_reviews(6), 1000):
        tree = nltk.Tree.fromstring(line)
        counted = sum(int(leaf.label()) - 2 for leaf in tree.subtrees(lambda node: node.height() == 2))
        root = int(tree.label()) - 2
        if root:
            total += 1
            right += (counted > 0) == (root > 0) and counted != 0
    assert 0.5 < right / total < 0.9
