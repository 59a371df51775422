"""Perplexity and mixtures against numbers worked by hand and a plain loop."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nntag.errors import UsageError
from nntag.language_models.perplexity import fit_mixture, mix_nats, report_perplexity, sum_by_sentence
from nntag.language_models.streams import StreamVocabulary

VOCABULARY = StreamVocabulary(["a", "b"])


def stream_of(*sentences):
    return VOCABULARY.encode_sentences(sentence.split() for sentence in sentences)


def test_hand_worked_report():
    stream = stream_of("a x", "b")  # a <unk> </s>, b </s>
    report = report_perplexity(stream, np.log([2.0, 8.0, 2.0, 4.0, 4.0]))
    assert report["tokens"] == 5 and report["sentences"] == 2
    assert report["perplexity"] == pytest.approx((2 * 8 * 2 * 4 * 4) ** (1 / 5))
    assert report["unknown"] == {"tokens": 1, "share": 0.2}
    assert report["without_unknown"] == {"perplexity": pytest.approx(64 ** (1 / 4)), "tokens": 4}
    assert report["nats"] == pytest.approx(math.log(512))
    assert report["by_length"] == {"0-9": {"sentences": 2, "perplexity": report["perplexity"], "tokens": 5}}


def test_a_uniform_model_has_perplexity_v():
    stream = stream_of("a b a", "b", "x x x x x x x x x x")
    report = report_perplexity(stream, np.full(len(stream.ids), math.log(4)))
    assert report["perplexity"] == pytest.approx(4)
    assert report["without_unknown"]["perplexity"] == pytest.approx(4)
    assert [(band["sentences"], band["tokens"]) for band in report["by_length"].values()] == [(2, 6), (1, 11)]
    assert list(report["by_length"]) == ["0-9", "10-80"]


def test_splitting_the_text_changes_no_sum():
    first, second = ["a b", "a"], ["b b b", "x"]
    nats = np.random.default_rng(1).uniform(1, 9, 11)
    whole = report_perplexity(stream_of(*first, *second), nats)
    parts = [report_perplexity(stream_of(*first), nats[:5]), report_perplexity(stream_of(*second), nats[5:])]
    for key in ("nats", "tokens", "sentences"):
        assert whole[key] == pytest.approx(sum(part[key] for part in parts))
    assert whole["perplexity"] == pytest.approx(math.exp(whole["nats"] / whole["tokens"]))


def test_sums_by_sentence():
    assert sum_by_sentence(stream_of("a b", "a"), np.array([1.0, 2, 4, 8, 16])).tolist() == [7, 24]


def test_no_sentences_are_an_error():
    with pytest.raises(UsageError, match="no sentences"):
        report_perplexity(stream_of(), np.empty(0))


def test_impossible_tokens_give_an_infinite_perplexity():
    assert report_perplexity(stream_of("a"), np.array([1e6, 1e6]))["perplexity"] == math.inf


@settings(max_examples=30, deadline=None)
@given(st.lists(st.lists(st.floats(0.001, 1), min_size=3, max_size=3), min_size=1, max_size=20), st.floats(0.01, 0.9))
def test_mixture_is_the_weighted_mean_of_probabilities(rows, weight):
    weights = np.array([weight, (1 - weight) / 2, (1 - weight) / 2])
    mixed = mix_nats(-np.log(np.array(rows).T), weights)
    for row, nats in zip(rows, mixed, strict=True):
        assert nats == pytest.approx(-math.log(sum(w * p for w, p in zip(weights, row, strict=True))), abs=1e-12)


def test_fitted_weights_are_the_best_ones():
    generator = np.random.default_rng(2)
    probabilities = generator.uniform(0.01, 1, (2, 400))
    best = min(np.linspace(0, 1, 1001), key=lambda w: -np.log(w * probabilities[0] + (1 - w) * probabilities[1]).sum())
    weights = fit_mixture(-np.log(probabilities))
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(best, abs=2e-3)


def test_a_useless_model_gets_no_weight_and_very_unlikely_tokens_are_no_trouble():
    nats = np.array([[1.0, 2.0, 3.0], [900.0, 900.0, 900.0]])
    weights = fit_mixture(nats)
    assert weights.tolist() == pytest.approx([1, 0])
    assert mix_nats(nats, weights).tolist() == pytest.approx([1, 2, 3])
