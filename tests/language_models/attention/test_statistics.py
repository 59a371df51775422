"""Attention statistics against numbers worked by hand and plain loops over the sentences."""

import numpy as np
import pytest

from nntag.language_models.attention.statistics import (
    Attention,
    count_cooccurrences,
    find_far_pairs,
    list_pairs,
    mean_by_position,
    sample_predictions,
    summarise_distances,
)
from nntag.language_models.streams import StreamVocabulary

VOCABULARY = StreamVocabulary(["a", "b", "c", "d"])


def attention_of(sentences, memory, seed=0):
    """Random weights that sum to one over the words that there are."""
    stream = VOCABULARY.encode_sentences(sentence.split() for sentence in sentences)
    generator = np.random.default_rng(seed)
    rows = []
    for length in stream.lengths:
        for step in range(length):
            row = generator.uniform(0.1, 1, memory)
            row[: max(0, memory - step - 1)] = 0
            rows.append(row / row.sum())
    return Attention(stream, np.array(rows, np.float32), np.ones(len(rows)))


def test_histories_are_the_words_before_each_prediction():
    attention = attention_of(["a b", "c"], 3)
    assert attention.steps.tolist() == [0, 1, 2, 0, 1]
    a, b, c = VOCABULARY.encode(["a", "b", "c"])
    assert attention.history().tolist() == [[-1, -1, 0], [-1, 0, a], [0, a, b], [-1, -1, 0], [-1, 0, c]]


def test_mean_by_position():
    attention = attention_of(["a"], 2)
    attention.weights[:] = [[0, 1], [0.25, 0.75]]
    rows = mean_by_position(attention)
    assert [row["position"] for row in rows] == [-2, -1]
    assert [row["mean"] for row in rows] == [0.25, 0.875]
    assert [row["mean_full_window"] for row in rows] == [0.25, 0.75]
    assert [row["predictions"] for row in rows] == [1, 2]
    assert [row["most_attended"] for row in rows] == [0, 1]


def test_samples_have_full_windows_and_are_words():
    attention = attention_of(["a b c d a b", "c d", "a b c d d"], 3)
    chosen = sample_predictions(attention, 100, 1)
    assert chosen.tolist() == [2, 3, 4, 5, 12, 13, 14]
    assert sample_predictions(attention, 3, 1).tolist() == sample_predictions(attention, 3, 1).tolist()
    assert set(sample_predictions(attention, 3, 1)) < set(chosen)


def test_far_pairs_are_the_most_attended_words_far_back():
    attention = attention_of(["a b c d a <unk> b"], 4)
    attention.weights[:] = 0
    attention.weights[np.arange(8), [3, 3, 3, 1, 0, 1, 1, 0]] = 1  # distances 1 1 1 3 4 3 3 4
    pairs = find_far_pairs(attention, 3)
    # step 3 predicts d from a; 4: a from a; 5 predicts <unk>, 7 </s>: left out; 6: b from d
    assert pairs.places.tolist() == [3, 4, 6]
    assert [VOCABULARY.words[word] for word in pairs.attended] == ["a", "a", "d"]
    assert [VOCABULARY.words[word] for word in pairs.predicted] == ["d", "a", "b"]
    assert pairs.distances.tolist() == [3, 4, 3] and pairs.left_out == 2


def test_far_is_more_than_six_words_back():
    """Tran et al. 2016, section 5.1: "on a word more than six positions to the left", as `hängt` at seven from `ab`."""
    attention = attention_of(["a b c d a b c d a b"], 15)
    attention.weights[:] = 0
    attention.weights[np.arange(11), -np.array([1, 1, 2, 3, 4, 5, 6, 6, 7, 8, 9])] = 1  # by distance
    pairs = find_far_pairs(attention)
    assert pairs.places.tolist() == [8, 9] and pairs.distances.tolist() == [7, 8]  # the last predicts </s>
    assert [VOCABULARY.words[word] for word in pairs.attended] == ["b", "b"]


def test_cooccurrences_equal_a_plain_count():
    generator = np.random.default_rng(5)
    sentences = [[VOCABULARY.words[n] for n in generator.integers(2, 6, generator.integers(1, 9))] for _ in range(60)]
    train = VOCABULARY.encode_sentences(sentences)
    wanted = [("a", "b"), ("d", "d"), ("c", "a"), ("a", "b")]
    ids = VOCABULARY.encode([word for pair in wanted for word in pair]).reshape(-1, 2)
    found = count_cooccurrences(train, ids[:, 0], ids[:, 1], 5)
    for row, (first, second) in zip(found, wanted, strict=True):
        for distance in range(1, 6):
            count = sum(
                (sentence[n], sentence[n + distance]) == (first, second)
                for sentence in sentences
                for n in range(len(sentence) - distance)
            )
            assert row[distance - 1] == count
    assert count_cooccurrences(train, np.empty(0, np.int32), np.empty(0, np.int32), 5).shape == (0, 5)


def test_distances_and_pairs_are_summed_up():
    attention = attention_of(["a b c d", "a b c d", "b b c d"], 3)
    attention.weights[:] = [0.2, 0.3, 0.5]
    for step in (3, 8, 13):
        attention.weights[step] = [0.6, 0.3, 0.1]
    pairs = find_far_pairs(attention, 3)
    counts = count_cooccurrences(attention.stream, pairs.attended, pairs.predicted, 3)
    assert summarise_distances(pairs, counts) == [
        {"distance": 3, "pairs": 2, "occurrences": 3, "mean_count": 1.5, "mean_count_any": 3.0}
    ]
    first, second = list_pairs(pairs, counts, VOCABULARY.words)
    assert first == {
        "attended": "a",
        "predicted": "d",
        "distance": 3,
        "count": 2,
        "mean_weight": pytest.approx(0.6),
        "training_count": 2,
        "training_count_any": 2,
    }
    assert (second["attended"], second["count"], second["training_count"], second["training_count_any"]) == (
        "b",
        1,
        1,
        4,
    )
