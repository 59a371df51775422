"""The sentiment report on trees worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from nntag.corpora.lines import lines_from_bytes
from nntag.corpora.records import Tree
from nntag.corpora.sst import read_sst
from nntag.errors import UsageError
from nntag.trees.batches import NO_LABEL, encode_trees
from nntag.trees.score import FINE, find_negations, polarity, report_sentiment

TREES = list(
    read_sst(
        lines_from_bytes(
            b"(1 (2 (2 is) (2 n't)) (3 good))\n"  # negated positive: whole negative, scope positive
            b"(2 (2 not) (1 dull))\n"  # negated negative
            b"(2 film)\n"
            b"(4 (2 a) (4 joy))\n"
        )
    )
)
FOREST = encode_trees(TREES, lambda word: 0, int)
NODES = len(FOREST.words)


def log_of(classes: list[int], sure: float = 0.6) -> np.ndarray:
    """Each node's class with probability `sure`, the rest shared out."""
    table = np.full((len(classes), 5), (1 - sure) / 4)
    table[np.arange(len(classes)), classes] = sure
    return np.log(table)


def test_a_perfect_prediction() -> None:
    report = report_sentiment(FOREST, TREES, log_of(FOREST.labels.tolist()), FINE)
    assert report["accuracy"] == 1.0 and report["sentences"] == 4 and report["tokens"] == 8
    assert report["nodes"] == {"accuracy": 1.0, "count": NODES}
    assert report["binary"] == {"accuracy": 1.0, "count": 2}  # the sentences of label 2 have no binary answer
    assert report["loss_nats"] == pytest.approx(-math.log(0.6))
    assert report["negation"]["negated_positive"] == {"accuracy": 1.0, "count": 1}
    assert report["negation"]["negated_negative"] == {"accuracy": 1.0, "count": 1}


def test_a_prediction_with_faults() -> None:
    # nodes: is, n't, (is n't), good, ROOT | not, dull, ROOT | film | a, joy, ROOT
    predicted = [2, 2, 2, 3, 3, 2, 1, 0, 2, 2, 4, 4]
    report = report_sentiment(FOREST, TREES, log_of(predicted), FINE)
    assert report["accuracy"] == 2 / 4 and report["nodes"] == {"accuracy": 10 / 12, "count": 12}
    confusion = np.zeros((5, 5), int)
    confusion[1, 3] = confusion[2, 0] = confusion[2, 2] = confusion[4, 4] = 1
    assert report["confusion"] == confusion.tolist()
    assert report["binary"] == {"accuracy": 1 / 2, "count": 2}
    assert report["negation"]["negated_positive"]["accuracy"] == 0.0  # came out positive
    assert report["negation"]["negated_negative"]["accuracy"] == 0.0  # no more positive than "dull" alone
    assert report["by_height"]["0-5"] == {"accuracy": 1 / 2, "count": 4}
    assert report["by_length"]["11-20"] == {"accuracy": None, "count": 0}


def test_bands_add_up_and_sentences_without_a_label_are_left_out() -> None:
    labels = FOREST.labels.copy()
    labels[FOREST.roots[2]] = NO_LABEL
    forest = type(FOREST)(FOREST.starts, FOREST.words, labels, FOREST.heights, FOREST.parents, FOREST.places)
    report = report_sentiment(forest, TREES, log_of([2] * NODES), FINE)
    assert report["sentences"] == 3 and report["accuracy"] == 1 / 3
    for bands in ("by_height", "by_length"):
        assert sum(band["count"] for band in report[bands].values()) == 3
    labels[:] = NO_LABEL
    with pytest.raises(UsageError, match="no sentence has a label"):
        report_sentiment(forest, TREES, log_of([2] * NODES), FINE)


def test_the_root_of_a_binary_sentence_is_never_neutral() -> None:
    signs = {"0": 0, "1": 0, "2": 2, "3": 1, "4": 1}
    trees = [tree for tree in TREES if tree.labels[-1] != "2"]
    forest = encode_trees(trees, lambda word: 0, lambda label: signs[label])
    table = np.log(np.tile([0.1, 0.2, 0.7], (len(forest.words), 1)))
    report = report_sentiment(forest, trees, table, ("negative", "positive", "neutral"))
    assert report["confusion"] == [[0, 1], [0, 1]] and report["accuracy"] == 1 / 2
    assert report["nodes"]["accuracy"] == (forest.labels == 2).mean()
    assert "binary" not in report
    assert polarity(table)[0] == pytest.approx(0.1)
    everything = encode_trees(TREES, lambda word: 0, lambda label: signs[label])  # with two neutral sentences
    table = np.log(np.tile([0.1, 0.2, 0.7], (len(everything.words), 1)))
    whole = report_sentiment(everything, TREES, table, ("negative", "positive", "neutral"))
    assert whole["sentences"] == 2 and whole["confusion"] == report["confusion"]


def test_negations_are_found_by_rule() -> None:
    trees = list(
        read_sst(
            lines_from_bytes(
                b"(1 (2 No) (3 fun))\n"
                b"(2 (2 (2 a) (2 (2 film) (2 (2 without) (2 any)))) (3 charm))\n"  # four words: no negator
                b"(2 (2 not) (1 (2 not) (3 good)))\n"  # the scope of the outer one holds a negator
                b"(2 (3 fun) (2 never))\n"  # a negator on the right
                b"(3 (2 not) (2 so) (1 bad))\n"  # made binary: its right child is a new node without a label
            ),
            binarise=True,
        )
    )
    forest = encode_trees(trees, lambda word: 0, lambda label: int(label) if label else NO_LABEL)
    found = find_negations(forest, trees)
    wholes = set(found.wholes.tolist())
    assert 2 in wholes and forest.roots[3] not in wholes and forest.roots[1] not in wholes
    assert forest.roots[2] not in wholes and forest.roots[2] - 1 in wholes
    assert len(found.wholes) == len(found.scopes) == 3  # and "without any", whose scope is "any"


def test_a_word_over_two_dependents_is_no_negated_phrase() -> None:
    tree = Tree(("2", "3", "1"), ((), (), (0, 1)), ("not", "good", "is"))
    assert len(find_negations(encode_trees([tree], lambda word: 0, int), [tree]).wholes) == 0
