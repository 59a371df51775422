"""One source for frozen and tuned encoders: both give the same vectors, and a changed encoder is noticed."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
import torch

from nntag.config.contextual import ContextualInput
from nntag.encoding.contextual.batch import join_sentences, pad_words
from nntag.encoding.contextual.files import copy_files, encoder_files, outline_files
from nntag.encoding.contextual.source import EncoderSource, find_source
from nntag.errors import RunError, UsageError
from tests.encoding.contextual.tiny_encoder import make_bert

SENTENCES = [["the", "cats", "sat"], [], ["unlikely"], ["on"] * 25]
LENGTHS = np.array([3, 0, 1, 25])


@pytest.fixture(scope="module")
def bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_bert(tmp_path_factory.mktemp("encoder") / "bert")


def settings(folder: Path, **values: object) -> ContextualInput:
    return ContextualInput(contextual=str(folder), contextual_precision="float32", **values)  # type: ignore[arg-type]


@pytest.mark.parametrize("checkpointing", [False, True])
def test_an_encoder_to_be_tuned_gives_the_vectors_of_the_frozen_one(bert: Path, checkpointing: bool) -> None:
    frozen = EncoderSource(settings(bert))
    tuned = EncoderSource(settings(bert, contextual_tune=True, contextual_checkpointing=checkpointing))
    torch.manual_seed(1)
    layer = frozen.build_layer().eval()
    other = tuned.build_layer().eval()
    other.load_state_dict(layer.state_dict(), strict=False)
    with torch.no_grad():
        expected = layer(join_sentences(frozen.encode(SENTENCES), LENGTHS))
        found = other(join_sentences(tuned.encode(SENTENCES), LENGTHS))
    assert found.shape == (29, 256)
    np.testing.assert_allclose(found, expected, atol=5e-3)


@pytest.mark.parametrize("checkpointing", [False, True])
def test_a_tuned_encoder_learns_and_comes_back_from_its_weights(bert: Path, checkpointing: bool) -> None:
    source = EncoderSource(settings(bert, contextual_tune=True, contextual_checkpointing=checkpointing))
    layer = source.build_layer().train()
    batch = join_sentences(source.encode(SENTENCES), LENGTHS)
    layer(batch).pow(2).sum().backward()
    learning = [parameter for parameter in layer.parameters() if parameter.requires_grad]
    assert all(parameter.grad is not None for parameter in learning) and len(learning) > 30
    torch.optim.SGD(learning, lr=0.01).step()
    again = EncoderSource(settings(bert, contextual_tune=True)).build_layer()
    again.load_state_dict(layer.state_dict())
    with torch.no_grad():
        torch.testing.assert_close(again.eval()(batch), layer.eval()(batch))


def test_splits_come_from_the_cache(bert: Path, tmp_path: Path) -> None:
    source = EncoderSource(settings(bert))
    encoded = source.encode_split(SENTENCES, tmp_path / "data", "train")
    torch.testing.assert_close(
        join_sentences(encoded, LENGTHS).states, join_sentences(source.encode(SENTENCES), LENGTHS).states
    )
    assert len(list((tmp_path / "contextual-cache").iterdir())) == 1
    tuned = EncoderSource(settings(bert, contextual_tune=True))
    assert tuned.encode_split(SENTENCES, tmp_path / "data", "train")[1] == []
    assert len(list((tmp_path / "contextual-cache").iterdir())) == 1


def test_a_changed_or_absent_encoder_is_named(tmp_path: Path) -> None:
    bert = make_bert(tmp_path / "bert")
    saved = EncoderSource(settings(bert)).to_json()
    assert len(saved["hash"]) == 64
    copy_files(encoder_files(bert), tmp_path / "moved")
    EncoderSource(settings(tmp_path / "moved"), saved)
    other = make_bert(tmp_path / "other", seed=3)
    with pytest.raises(RunError, match="other: not the encoder that this run was trained with"):
        EncoderSource(settings(other), saved)
    with pytest.raises(RunError, match="absent: the encoder that this run was trained with is not there"):
        EncoderSource(settings(tmp_path / "absent"), saved)
    with pytest.raises(UsageError, match="--contextual .*absent: no such folder"):
        EncoderSource(settings(tmp_path / "absent"))


def test_a_tuned_encoder_needs_no_weights_of_its_origin(bert: Path, tmp_path: Path) -> None:
    copy_files(outline_files(bert), tmp_path / "outline")
    assert not list((tmp_path / "outline").glob("*.safetensors"))
    chosen = settings(tmp_path / "outline", contextual_tune=True)
    saved = EncoderSource(settings(bert, contextual_tune=True)).to_json()
    assert EncoderSource(chosen, saved).build_layer().encoder is not None


def test_no_encoder_no_source() -> None:
    assert find_source(ContextualInput()) is None
    assert find_source(object()) is None


def test_words_keep_their_sentences_in_a_batch(bert: Path) -> None:
    source = EncoderSource(dataclasses.replace(settings(bert), contextual_tune=True))
    encoded = source.encode(SENTENCES)
    batch = join_sentences([encoded[3], encoded[0]], np.array([25, 3]))
    rows = sorted(row for window in batch.windows for row in window.rows if row >= 0)
    assert batch.words == 28 and sorted(set(rows)) == list(range(28))


def test_words_are_padded_after_their_sentences() -> None:
    rows = torch.arange(8.0).view(4, 2)
    padded = pad_words(rows, torch.tensor([1, 0, 3]))
    assert padded.shape == (3, 3, 2)
    assert padded[:, 0].tolist() == [[0, 1], [0, 0], [0, 0]]
    assert padded[:, 1].tolist() == [[0, 0]] * 3
    assert padded[:, 2].tolist() == [[2, 3], [4, 5], [6, 7]]
