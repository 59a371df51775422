"""Dependency statistics on a sentence whose paths were drawn by hand, and against a plain loop."""

import numpy as np
import pytest

from nntag.corpora.records import Sentence
from nntag.language_models.attention.dependencies import ALL, DependencyStatistics, find_path, position_bins

# "they sing songs and she dances": sing is the root, dances its conjunct
SENTENCE = Sentence(
    tokens=("they", "sing", "songs", "and", "she", "dances"),
    heads=(2, 0, 2, 6, 6, 2),
    relations=("nsubj", "root", "obj", "cc", "nsubj", "conj"),
)


def weights_of(sentence, memory, seed=1):
    weights = np.random.default_rng(seed).uniform(size=(len(sentence) + 1, memory))
    for step in range(min(memory, len(sentence) + 1)):
        weights[step, : memory - step - 1] = 0
    return weights


@pytest.mark.parametrize(
    ("memory", "bins"),
    [
        (15, [(-15, -12), (-11, -8), (-7, -4), (-3, -3), (-2, -2), (-1, -1)]),
        (2, [(-2, -2), (-1, -1)]),
        (5, [(-5, -4), (-3, -3), (-2, -2), (-1, -1)]),
    ],
)
def test_bins_are_the_papers(memory, bins):
    assert position_bins(memory) == bins


def test_paths_go_up_and_down():
    assert find_path([0, 1], [5, 1]) == ([0], [5])  # they -> sing -> dances
    assert find_path([1], [2, 1]) == ([], [2])
    assert find_path([4, 5, 1], [5, 1]) == ([4], [])
    assert find_path([0], [1]) is None  # two roots


def relation_of(report, name):
    return next(row for row in report["relations"] if row["relation"] == name)


def test_relations_have_the_mean_weight_of_their_pairs():
    statistics = DependencyStatistics(5)
    weights = weights_of(SENTENCE, 5)
    statistics.add(SENTENCE, weights)
    report = statistics.report_relations()
    assert report["bins"] == [(-5, -4), (-3, -3), (-2, -2), (-1, -1)]
    # nsubj<-: they before sing (-1), she before dances (-1)
    subject = relation_of(report, "nsubj<-")
    assert subject["mean_weight"] == [None, None, None, pytest.approx((weights[1, 4] + weights[5, 4]) / 2)]
    assert subject["pairs_by_bin"] == [0, 0, 0, 2]
    # ->conj: dances after sing (-4); cc<-: and before dances (-2); ->obj: songs after sing (-1)
    assert relation_of(report, "->conj")["mean_weight"] == [pytest.approx(weights[5, 1]), None, None, None]
    assert relation_of(report, "cc<-")["mean_weight"][2] == pytest.approx(weights[5, 3])
    assert relation_of(report, "->obj")["pairs"] == 1
    assert report["relations"][0]["relation"] == ALL and report["relations"][0]["pairs"] == 15
    assert "root" not in str([row["relation"] for row in report["relations"]])


def test_paths_are_compared_with_other_pairs_at_their_positions():
    statistics = DependencyStatistics(5)
    weights = weights_of(SENTENCE, 5)
    statistics.add(SENTENCE, weights)
    paths = {row["path"]: row for row in statistics.report_paths(1)}
    # songs -> sing -> dances, at distance 3
    path = paths["obj<- ->conj"]
    usual = np.mean([weights[step, 2] for step in range(3, 6)])  # the pairs of words three apart
    assert path["pairs"] == 1 and path["mean_distance"] == 3
    assert path["mean_weight"] == pytest.approx(weights[5, 2])
    assert path["usual_weight"] == pytest.approx(usual)
    assert path["ratio"] == pytest.approx(weights[5, 2] / usual)
    assert paths["nsubj<- ->conj ->cc"]["mean_distance"] == 3  # they ... and
    assert statistics.report_paths(2) == [row for row in statistics.report_paths(1) if row["pairs"] >= 2]


def test_pairs_beyond_the_window_are_not_counted():
    statistics = DependencyStatistics(2)
    statistics.add(SENTENCE, weights_of(SENTENCE, 2))
    names = [row["relation"] for row in statistics.report_relations()["relations"]]
    assert "->conj" not in names and "cc<-" in names


def test_heads_in_a_circle_do_no_harm():
    statistics = DependencyStatistics(3)
    circle = Sentence(tokens=("x", "y", "z"), heads=(2, 1, 0), relations=("a", "b", "root"))
    statistics.add(circle, weights_of(circle, 3))
    assert relation_of(statistics.report_relations(), ALL)["pairs"] == 3
