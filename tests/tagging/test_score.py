"""Tagging scores against numbers worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.errors import DataError
from nntag.tagging.score import MOST_CONFUSIONS, MultitagScore, TaggingScore

TRAINING_TAGS = {"N": 100, "V": 99, "D": 10, "P": 9, "X": 1}
FORMS = frozenset({"the", "cat", "saw", "it"})

# tokens, gold, predicted
SENTENCES = [
    (["the", "cat", "saw", "it"], ["D", "N", "V", "P"], ["D", "N", "N", "P"]),
    (["The", "dog"], ["D", "N"], ["D", "N"]),
    (["it", "saw", "saw"], ["P", "V", None], ["N", "V", "X"]),
    (["odd"], ["QQ"], ["N"]),  # a tag that training never saw
    (["the"], [None], ["D"]),  # nothing known of this sentence
]


def report_on(sentences: list, tags: dict = TRAINING_TAGS) -> dict:
    score = TaggingScore(tags, FORMS)
    for sentence in sentences:
        score.add(*sentence)
    return score.report()


def test_figures_by_hand() -> None:
    report = report_on(SENTENCES)
    assert (report["accuracy"], report["tokens"]) == (6 / 9, 9)
    assert report["known_words"] == {"accuracy": 4 / 6, "tokens": 6}
    assert report["unseen_words"] == {"accuracy": 2 / 3, "tokens": 3}  # The and dog right, odd wrong
    assert (report["sentence_accuracy"], report["sentences"]) == (1 / 4, 4)
    assert report["tokens_without_gold_tag"] == 2
    assert report["by_training_frequency"] == {
        ">=100": {"accuracy": 2 / 2, "tokens": 2},
        "10-99": {"accuracy": 3 / 4, "tokens": 4},
        "1-9": {"accuracy": 1 / 2, "tokens": 2},
        "unseen": {"accuracy": 0.0, "tokens": 1},
    }
    with_cutoff = report_on(SENTENCES, TRAINING_TAGS | {"RARE": 4})["by_training_frequency"]
    assert list(with_cutoff) == [">=100", "10-99", "1-9", "unseen or RARE"]
    assert with_cutoff["unseen or RARE"] == {"accuracy": 0.0, "tokens": 1}
    assert report["confusions"] == [
        {"gold": "P", "predicted": "N", "count": 1},
        {"gold": "QQ", "predicted": "N", "count": 1},
        {"gold": "V", "predicted": "N", "count": 1},
    ]


def test_precision_recall_and_f1_by_hand() -> None:
    per_tag = report_on(SENTENCES)["per_tag"]
    assert list(per_tag) == ["D", "N", "P", "V", "QQ"]  # by gold count, then by name
    assert per_tag["N"] == {"precision": 2 / 5, "recall": 1.0, "f1": 4 / 7, "gold": 2, "predicted": 5}
    assert per_tag["P"] == {"precision": 1.0, "recall": 1 / 2, "f1": 2 / 3, "gold": 2, "predicted": 1}
    assert per_tag["QQ"] == {"precision": None, "recall": 0.0, "f1": 0.0, "gold": 1, "predicted": 0}
    only_predicted = report_on([(["a"], ["D"], ["Z"])])["per_tag"]
    assert only_predicted["Z"] == {"precision": 0.0, "recall": None, "f1": 0.0, "gold": 0, "predicted": 1}


def test_sentences_of_very_different_lengths_count_by_their_words() -> None:
    """Five of eight words are right; counting padding, or averaging sentences, gives another number."""
    gold, predicted = [["c"], ["b", "d"], list("aabee")], [["c"], ["b", "a"], list("abbea")]
    sentences = [([str(n) for n in range(len(tags))], tags, found) for tags, found in zip(gold, predicted, strict=True)]
    report = report_on(sentences)
    assert (report["accuracy"], report["tokens"]) == (0.625, 8)
    assert report["sentence_accuracy"] == 1 / 3


@pytest.mark.parametrize(("count", "band"), [(100, ">=100"), (99, "10-99"), (10, "10-99"), (9, "1-9"), (1, "1-9")])
def test_edges_of_the_bands(count: int, band: str) -> None:
    bands = report_on([(["a"], ["N"], ["N"])], {"N": count})["by_training_frequency"]
    assert {name: share["tokens"] for name, share in bands.items() if share["tokens"]} == {band: 1}
    assert all(share["accuracy"] is None for name, share in bands.items() if name != band)


def test_the_most_frequent_confusions_come_first_and_are_cut() -> None:
    sentences = [(["a"] * n, [f"G{n:02}"] * n, ["P"] * n) for n in range(1, MOST_CONFUSIONS + 6)]
    confusions = report_on(sentences)["confusions"]
    assert [entry["count"] for entry in confusions] == list(range(MOST_CONFUSIONS + 5, 5, -1))
    assert confusions[0] == {"gold": "G25", "predicted": "P", "count": 25}


def test_known_words_are_known_as_they_are_written() -> None:
    report = report_on([(["the", "The"], ["D", "D"], ["D", "N"])])
    assert report["known_words"] == {"accuracy": 1.0, "tokens": 1}
    assert report["unseen_words"] == {"accuracy": 0.0, "tokens": 1}


@pytest.mark.parametrize("sentences", [[], [(["a"], [None], ["N"])], [([], [], [])]])
def test_nothing_to_score_is_an_error(sentences: list) -> None:
    with pytest.raises(DataError, match="no sentences with gold tags to evaluate on"):
        report_on(sentences)


def test_layers_of_other_lengths_are_refused() -> None:
    for tokens, gold, predicted in ((["a"], ["N"], []), (["a", "b"], ["N"], ["N"]), (["a"], ["N"], ["N", "N"])):
        with pytest.raises(ValueError):
            TaggingScore({}, FORMS).add(tokens, gold, predicted)


TAG = st.sampled_from(["N", "V", "D", "X", "QQ"])
WORD = st.tuples(st.sampled_from(["the", "cat", "dog", "odd"]), st.none() | TAG, TAG)


@given(st.lists(st.lists(WORD, min_size=1, max_size=5), min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_neither_order_nor_splitting_changes_anything(sentences: list, random: object) -> None:
    """Sums over the whole equal sums of the parts, whatever the parts are."""
    columns = [tuple(map(list, zip(*sentence, strict=True))) for sentence in sentences]
    if all(tag is None for _, gold, _ in columns for tag in gold):
        return
    whole = report_on(columns)
    shuffled = list(columns)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert report_on(shuffled) == whole
    parts = [report_on([column]) for column in columns if any(tag is not None for tag in column[1])]
    right = sum(part["accuracy"] * part["tokens"] for part in parts)
    assert whole["accuracy"] == pytest.approx(right / sum(part["tokens"] for part in parts))
    assert whole["known_words"]["tokens"] + whole["unseen_words"]["tokens"] == whole["tokens"]
    for name in ("gold", "predicted"):
        assert sum(tag[name] for tag in whole["per_tag"].values()) == whole["tokens"]


def test_multitagging_by_hand() -> None:
    score = MultitagScore(0.1)
    score.add(["N", "V", None], [["N", "V"], ["N"], ["N", "V", "D"]])  # the third word is not counted
    score.add(["D"], [["D"]])
    score.add([None], [["D"]])
    assert score.report() == {"beta": 0.1, "tags_per_word": 4 / 3, "word_accuracy": 2 / 3, "sentence_accuracy": 1 / 2}


def test_multitagging_of_nothing_has_no_figures() -> None:
    report = MultitagScore(0.5).report()
    assert report == {"beta": 0.5, "tags_per_word": None, "word_accuracy": None, "sentence_accuracy": None}
