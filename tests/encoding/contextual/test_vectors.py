"""Contextual vectors against plain loops; sorting, batching, windows and the cache must not change them."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
import torch

from nntag.config.contextual import ContextualInput
from nntag.encoding.contextual import vectors as module
from nntag.encoding.contextual.cache import CACHE
from nntag.encoding.contextual.vectors import ContextualVectors
from nntag.errors import UsageError
from nntag.progress import Progress
from tests.encoding.contextual.tiny_encoder import LAYERS, LONGEST, SIZE, VOCABULARY, make_bert, make_roberta
from tests.reference.contextual import word_vectors

SENTENCES = [
    ["the", "cats", "sat", "on", "the", "mat", "."],
    [],
    ["unlikely"],
    ["cat", "", "zebra", "\u200b", "1a1"],  # an empty word, an unknown one, one that the tokenizer deletes
    ["unlikely", "cats"] * 20,  # 100 pieces: many windows of 10
    ["a" * 45],  # one word that is longer than a window
]


def settings(folder: Path, **values: object) -> ContextualInput:
    return ContextualInput(contextual=str(folder), contextual_precision="float32", **values)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bert(tmp_path_factory.mktemp("encoder") / "tiny-bert")


@pytest.mark.parametrize("pooling", ["mean", "first"])
def test_vectors_are_those_of_plain_loops(bert: Path, pooling: str) -> None:
    source = ContextualVectors(settings(bert, contextual_pooling=pooling))
    found = source.compute(SENTENCES)
    for words, vectors in zip(SENTENCES, found, strict=True):
        seen = ["" if word == "\u200b" else word for word in words]
        expected = word_vectors(source.encoder.model, seen, VOCABULARY, LONGEST, pooling)
        assert vectors.shape == (len(words), LAYERS + 1, SIZE) and vectors.dtype == np.float16
        if words:
            np.testing.assert_allclose(vectors, np.array(expected), rtol=2e-3, atol=2e-3)


def test_a_sentence_has_the_same_vectors_alone(bert: Path) -> None:
    source = ContextualVectors(settings(bert))
    together = source.compute(SENTENCES)
    for words, vectors in zip(SENTENCES, together, strict=True):
        np.testing.assert_allclose(source.compute([words])[0], vectors, atol=2e-3)
    assert source.compute([]) == []


def test_small_chunks_change_nothing(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = ContextualVectors(settings(bert))
    whole = source.compute(SENTENCES)
    monkeypatch.setattr(module, "CHUNK_VALUES", 1)
    for one, other in zip(source.compute(SENTENCES), whole, strict=True):
        np.testing.assert_allclose(one, other, atol=2e-3)


def test_the_last_layers_alone(bert: Path) -> None:
    whole = ContextualVectors(settings(bert)).compute(SENTENCES)
    last = ContextualVectors(settings(bert, contextual_layers=2)).compute(SENTENCES)
    for one, other in zip(last, whole, strict=True):
        np.testing.assert_array_equal(one, other[:, 1:])
    with pytest.raises(UsageError, match="contextual_layers=4, but .* has 3"):
        ContextualVectors(settings(bert, contextual_layers=4)).compute(SENTENCES)


def test_shorter_windows_see_less(bert: Path) -> None:
    long = ContextualVectors(settings(bert)).compute(SENTENCES)
    short = ContextualVectors(settings(bert, contextual_longest=6)).compute(SENTENCES)
    np.testing.assert_array_equal(short[2], long[2])  # three pieces fit either way
    assert not np.allclose(short[4], long[4], atol=0.05)


def test_bytes_are_pieces_after_a_space(tmp_path: Path) -> None:
    """Each word is read as within running text, and positions are counted as RoBERTa does."""
    source = ContextualVectors(settings(make_roberta(tmp_path / "roberta")))
    tokenizer = source.encoder.pieces._tokenizer
    words = ["cat", "dog", "cat", "cats"]
    ids = tokenizer(" cat dog cat cats")["input_ids"]
    with torch.no_grad():
        states = source.encoder.model(input_ids=torch.tensor([ids]), output_hidden_states=True).hidden_states
    last = states[-1][0]
    owners = [[1], [2, 3, 4, 5], [6], [7, 8]]  # Ġcat; Ġ d o g; Ġcat; Ġcat s
    assert tokenizer.convert_ids_to_tokens(ids)[1:3] == ["Ġcat", "Ġ"]
    expected = np.stack([last[pieces].mean(0).numpy() for pieces in owners])
    np.testing.assert_allclose(source.compute([words])[0][:, -1], expected, atol=2e-3)
    assert source.encoder.pieces.room == LONGEST - 2


def test_vectors_come_from_the_cache_the_second_time(bert: Path, tmp_path: Path) -> None:
    reports: list[Progress] = []
    data = tmp_path / "processed" / "corpus"
    computed = ContextualVectors(settings(bert)).cached(SENTENCES, data, "train", reports.append)
    assert reports[-1] == Progress("contextual vectors of train", 54, 54, "tokens", finished=True)
    again = ContextualVectors(settings(bert))
    found = again.cached(SENTENCES, data)
    assert "encoder" not in vars(again)  # it was not even loaded
    for one, other in zip(found, computed, strict=True):
        np.testing.assert_array_equal(one, other)
    assert [path.name.startswith("tiny-bert-") for path in (data.parent / CACHE).iterdir()] == [True]


def test_another_text_encoder_or_setting_has_vectors_of_its_own(bert: Path, tmp_path: Path) -> None:
    data = tmp_path / "corpus"
    other = make_bert(tmp_path / "other", seed=7)
    runs = [
        (settings(bert), SENTENCES),
        (settings(bert), SENTENCES[:3]),
        (settings(bert), [["the cats"], ["sat"]]),
        (settings(bert), [["the", "cats", "sat"]]),
        (settings(other), SENTENCES),
        (settings(bert, contextual_pooling="first"), SENTENCES),
        (settings(bert, contextual_layers=1), SENTENCES),
        (settings(bert, contextual_longest=6), SENTENCES),
    ]
    for number, (chosen, sentences) in enumerate(runs, 1):
        ContextualVectors(chosen).cached(sentences, data)
        assert len(os.listdir(tmp_path / CACHE)) == number


def test_bfloat16_is_near_float32(bert: Path) -> None:
    exact = ContextualVectors(settings(bert)).compute(SENTENCES[:1])[0].astype(float)
    coarse = (
        ContextualVectors(ContextualInput(contextual=str(bert), contextual_precision="bfloat16"))
        .compute(SENTENCES[:1])[0]
        .astype(float)
    )
    difference = np.abs(coarse - exact).max()
    assert 0 < difference < 0.1
