"""The n-gram model against a brute-force reference, hand-worked numbers and lmplz's own figures."""

from __future__ import annotations

import errno
import logging
import math
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import load_file

from nntag.errors import RunError, UsageError
from nntag.language_models.ngram import model as model_module
from nntag.language_models.ngram.arpa_reader import read_arpa
from nntag.language_models.ngram.estimate import estimate_ngrams
from nntag.language_models.ngram.kneser_ney import FALLBACK_DISCOUNTS
from nntag.language_models.ngram.model import NgramModel
from tests.reference.ngram import BOS, EOS, ReferenceKneserNey
from tests.training.test_checkpoint import largest_file

WORDS = [EOS, *"abcdefghijklmnopqrst", "never"]  # id = place; <s> has the id behind them
EOS_ID, BOS_ID = 0, len(WORDS)


def encode(sentences: list[list[str]]) -> np.ndarray:
    return np.array([WORDS.index(word) for sentence in sentences for word in [*sentence, EOS]], np.uint16)


def estimate(sentences: list[list[str]], order: int) -> NgramModel:
    return estimate_ngrams(encode(sentences), EOS_ID, BOS_ID, len(WORDS), order)


def random_sentences(seed: int, sentences: int, words: list[str]) -> list[list[str]]:
    """Skewed frequencies, so that all counts from 1 to many occur."""
    generator = np.random.default_rng(seed)
    skewed = 1 / np.arange(1, len(words) + 1) ** 1.2
    skewed /= skewed.sum()
    return [list(generator.choice(words, generator.integers(0, 7), p=skewed)) for _ in range(sentences)]


sentence_lists = st.lists(st.lists(st.sampled_from(WORDS[1:5]), max_size=6), min_size=1, max_size=12)


@settings(max_examples=40, deadline=None)
@given(sentences=sentence_lists, order=st.integers(1, 4))
def test_equals_the_definition(sentences, order):
    model = estimate(sentences, order)
    check_against_reference(model, sentences, order)


@pytest.mark.parametrize("order", [2, 3, 5])
def test_equals_the_definition_with_estimated_discounts(order, caplog):
    sentences = random_sentences(5, 150, WORDS[1:-1])
    model = estimate(sentences, order)
    assert model.discounts[1] != FALLBACK_DISCOUNTS and "2-grams" not in caplog.text
    check_against_reference(model, sentences, order)


def check_against_reference(model: NgramModel, sentences: list[list[str]], order: int) -> None:
    reference = ReferenceKneserNey(sentences, order, WORDS)
    names = [*WORDS, BOS]
    for k in range(1, order + 1):
        np.testing.assert_allclose(model.discounts[k - 1], reference.discounts[k][1:], rtol=1e-12)
        listed = [tuple(names[i] for i in row) for row in model.list_ngrams(k, 0, model.counts[k - 1])]
        assert len(set(listed)) == len(listed) and (k == 1 or set(listed) == {g for g in reference.true if len(g) == k})
    contexts = [(BOS,), ("never",), (BOS, "a", "b"), ("a", "b", "a", "c"), ("d", "d"), (BOS, "c", "c", "a", "a"), ()]
    for context in contexts:
        ids = [names.index(word) for word in context]
        expected = [reference.probability(word, context) for word in WORDS]
        found = model.distribution(ids)
        np.testing.assert_allclose(found[: len(WORDS)], expected, rtol=3e-6)
        assert found[BOS_ID] == 0 and (found[: len(WORDS)] > 0).all()
        assert found.sum() == pytest.approx(1, abs=1e-6)
        rows = np.array([[-1, *ids, word] for word in range(len(WORDS))])
        np.testing.assert_allclose(model.log_probs(rows), np.log(expected), rtol=1e-5, atol=1e-6)


def test_hand_worked_bigrams():
    # sentences "a b" and "a": bigrams <s>a 2, ab 1, b</s> 1, a</s> 1; continuation counts a 1, b 1, </s> 2, total 4
    model = estimate([["a", "b"], ["a"]], 2)
    assert model.discounts == [(0.5, 1.0, 1.5)] * 2
    # unigrams: taken 0.5 + 0.5 + 1 of 4, so gamma = 0.5, over 22 words: 1/44
    p_a, p_b, p_end, p_other = 0.5 / 4 + 1 / 44, 0.5 / 4 + 1 / 44, 1 / 4 + 1 / 44, 1 / 44
    np.testing.assert_allclose(model.distribution([])[:22], [p_end, p_a, p_b, *[p_other] * 19], rtol=1e-6)
    # after <s>: a has 2, of which 1 is taken: gamma 0.5
    np.testing.assert_allclose(model.distribution([BOS_ID])[1], 0.5 + 0.5 * p_a, rtol=1e-6)
    # after a: b and </s> have 1 each, 0.5 taken of each of 2: gamma 0.5
    after_a = [0.25 + p_end / 2, p_a / 2, 0.25 + p_b / 2]
    np.testing.assert_allclose(model.distribution([1])[:3], after_a, rtol=1e-6)
    nats = model.token_nats(encode([["a", "b"]]))
    p_b_end = 0.5 + p_end / 2
    np.testing.assert_allclose(np.exp(-nats), [0.5 + 0.5 * p_a, after_a[2], p_b_end], rtol=1e-6)


def test_fallback_discounts_warn(caplog):
    with caplog.at_level(logging.WARNING, "nntag"):
        estimate([["a"]], 2)
    assert "2-grams give no Kneser-Ney discounts" in caplog.text and "0.5, 1 and 1.5" in caplog.text


def test_orders_longer_than_every_sentence(caplog):
    model = estimate([["a"], []], 5)
    assert model.counts == [len(WORDS) + 1, 3, 1, 0, 0]
    assert "3-grams" in caplog.text and "4-grams" not in caplog.text  # nothing to warn of
    assert model.distribution([BOS_ID, 1, 2, 3]).sum() == pytest.approx(1)
    check_against_reference(model, [["a"], []], 5)


def test_scores_do_not_depend_on_pieces_or_type(tmp_path, monkeypatch):
    sentences = random_sentences(1, 80, WORDS[1:])
    model, tokens = estimate(sentences, 4), encode(sentences)
    whole = model.token_nats(tokens)
    np.save(tmp_path / "ids.npy", tokens.astype(np.int32))
    mapped = np.load(tmp_path / "ids.npy", mmap_mode="r")
    np.testing.assert_array_equal(estimate_ngrams(mapped, EOS_ID, BOS_ID, len(WORDS), 4).log_prob[3], model.log_prob[3])
    monkeypatch.setattr(model_module, "_CHUNK", 7)
    np.testing.assert_array_equal(model.token_nats(mapped), whole)
    by_sentence = [math.fsum(model.token_nats(encode([sentence]))) for sentence in sentences]
    np.testing.assert_allclose(model.score_sentences(tokens), by_sentence, rtol=1e-12)


def test_probability_of_a_corpus_is_that_of_its_contexts():
    sentences = random_sentences(2, 30, WORDS[1:])
    model, tokens = estimate(sentences, 3), encode(sentences)
    one_by_one, history = [], [BOS_ID]
    for token in tokens.tolist():
        one_by_one.append(-math.log(model.distribution(history)[token]))
        history = [BOS_ID] if token == EOS_ID else [*history, token]
    np.testing.assert_allclose(model.token_nats(tokens), one_by_one, rtol=1e-6)


def test_bos_may_be_inside_the_vocabulary():
    sentences = random_sentences(3, 30, WORDS[1:5])
    outside = estimate(sentences, 3)
    moved = np.array([EOS_ID, *range(2, BOS_ID + 1)])[encode(sentences)]  # the same words, <s> at 1
    inside = estimate_ngrams(moved, EOS_ID, 1, len(WORDS) + 1, 3)
    np.testing.assert_allclose(inside.token_nats(moved), outside.token_nats(encode(sentences)), rtol=1e-12)


def test_what_cannot_be_estimated():
    with pytest.raises(UsageError, match="at least 1"):
        estimate([["a"]], 0)
    with pytest.raises(UsageError, match="training sentence"):
        estimate([], 3)
    with pytest.raises(ValueError, match="each end"):
        estimate_ngrams(np.array([1, 2]), EOS_ID, BOS_ID, len(WORDS))
    with pytest.raises(ValueError, match="0 .. 21"):
        estimate_ngrams(np.array([22, 0]), EOS_ID, BOS_ID, len(WORDS))
    with pytest.raises(ValueError, match="<s>"):
        estimate_ngrams(np.array([1, 0]), EOS_ID, 1, len(WORDS))


def test_a_full_disk_leaves_the_older_model_and_names_the_file(tmp_path):
    random = random_sentences(1, 300, WORDS[1:12])
    small, large = estimate(random[:5], 2), estimate(random, 4)
    small.save(tmp_path)
    with largest_file(1000), pytest.raises(OSError) as error:
        large.save(tmp_path)
    assert (error.value.errno, error.value.filename) == (errno.EFBIG, str(tmp_path / "model.safetensors"))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["model.safetensors", "ngram.json"]
    assert NgramModel.load(tmp_path).counts == small.counts


def test_save_and_load(tmp_path):
    sentences = random_sentences(4, 60, WORDS[1:])
    model, tokens = estimate(sentences, 3), encode(sentences)
    model.save(tmp_path)
    loaded = NgramModel.load(tmp_path)
    assert (loaded.counts, loaded.discounts, loaded.bos) == (model.counts, model.discounts, model.bos)
    assert isinstance(loaded.log_prob[2].base, np.memmap)
    np.testing.assert_array_equal(loaded.token_nats(tokens), model.token_nats(tokens))
    stored = load_file(tmp_path / "model.safetensors")
    np.testing.assert_array_equal(stored["3.log_prob"], model.log_prob[2])
    first = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    estimate(sentences, 3).save(tmp_path)
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == first


@pytest.mark.parametrize("damage", ["cut", "empty", "missing", "json", "other"])
def test_damaged_models_are_run_errors(tmp_path, damage):
    estimate(random_sentences(4, 60, WORDS[1:]), 3).save(tmp_path)
    arrays, about = tmp_path / "model.safetensors", tmp_path / "ngram.json"
    if damage == "cut":
        arrays.write_bytes(arrays.read_bytes()[:-10])
    elif damage == "empty":
        arrays.write_bytes(b"")
    elif damage == "missing":
        about.unlink()
    elif damage == "json":
        about.write_text("{}")
    else:
        about.write_text(about.read_text().replace('"vocab_size"', '"vocabulary"'))
    with pytest.raises(RunError, match="n-gram|ngram"):
        NgramModel.load(tmp_path)


@pytest.mark.skipif(shutil.which("lmplz") is None, reason="no lmplz")
@pytest.mark.parametrize("seed", range(3))
def test_equals_lmplz(tmp_path, seed):
    sentences = random_sentences(seed, 400, [f"w{number}" for number in range(60)])
    text = "".join(" ".join(sentence) + "\n" for sentence in sentences)
    command = ["lmplz", "-o", "4", "-S", "100M", "--discount_fallback"]
    (tmp_path / "its.arpa").write_bytes(subprocess.run(command, input=text.encode(), capture_output=True).stdout)
    theirs, words = read_arpa(tmp_path / "its.arpa")
    ids = {word: number for number, word in enumerate(words)}
    tokens = np.array([ids[word] for sentence in sentences for word in [*sentence, EOS]])
    ours = estimate_ngrams(tokens, ids[EOS], ids[BOS], len(words), 4)
    assert ours.counts == theirs.counts
    for k in range(4):
        np.testing.assert_array_equal(ours.keys[k], theirs.keys[k])
        predicted = np.arange(len(words)) != ids[BOS] if k == 0 else slice(None)
        np.testing.assert_allclose(ours.log_prob[k][predicted], theirs.log_prob[k][predicted], atol=1e-5)
        if k < 3:
            np.testing.assert_allclose(ours.log_backoff[k], theirs.log_backoff[k], atol=1e-5)


@pytest.mark.corpus
def test_penn_treebank_equals_lmplz(shared_data: Path):
    """The fixtures of lmplz, order 5, with <unk> as an ordinary word besides the one that kenlm adds."""
    ids = {EOS: 0, BOS: 1, "": 2}

    def read(split: str) -> np.ndarray:
        text = (shared_data / "ptb_lm" / f"ptb.{split}.txt").read_text(encoding="utf-8")
        return np.array([ids.setdefault(w, len(ids)) for line in text.splitlines() for w in [*line.split(), EOS]])

    tokens = read("train")
    model = estimate_ngrams(tokens, 0, 1, len(ids))
    assert model.counts == [10_002, 264_990, 586_558, 717_733, 737_952]
    printed = [(0.25656, 0.82888, 1.26492), (0.727802, 1.09876, 1.4713), (0.868879, 1.25462, 1.44822)]
    printed += [(0.942828, 1.38314, 1.43173), (0.959671, 1.3879, 1.24171)]
    np.testing.assert_allclose(model.discounts, printed, rtol=1e-5)
    assert math.exp(model.token_nats(read("test")).mean()) == pytest.approx(141.19, abs=0.01)
    assert math.exp(model.token_nats(read("valid")).mean()) == pytest.approx(148.01, abs=0.01)
