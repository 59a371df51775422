"""Padded, time-major batches for taggers, by hand."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from nntag.config.tagging import TaggerInput
from nntag.tagging.batches import NO_TAG, make_batch
from nntag.tagging.features import FormTable, build_vocabularies

SETTINGS = TaggerInput(affix_length=1, filters=2, affix_size=1)
VOCABULARIES = build_vocabularies({"a": 2, "bc": 1, "d": 1}, {"X": 1, "Y": 1}, SETTINGS)


@pytest.fixture
def table() -> FormTable:
    return FormTable(VOCABULARIES, SETTINGS)


def test_a_padded_batch(table: FormTable) -> None:
    rows = table.number([["d"], ["a", "bc", "a"], ["a", "zz"]])  # forms: d 1, a 2, bc 3, zz 4
    tags = [np.array([0]), np.array([1, NO_TAG, 0]), np.array([1, 1])]
    batch = make_batch(table, rows[:2], tags[:2])
    assert batch.lengths.tolist() == [1, 3]
    assert batch.tags is not None and batch.tags.T.tolist() == [[0, NO_TAG, NO_TAG], [1, NO_TAG, 0]]
    assert batch.forms.T.tolist() == [[1, 0, 0], [2, 3, 2]]  # rows of the features below, row 0 is padding
    words = [VOCABULARIES.words.id_of(word) for word in ("d", "a", "bc")]
    assert batch.words.tolist() == [0, *words] and batch.capitals.tolist() == [0, 1, 1, 1]
    assert batch.ends.shape == (4, 2) and batch.affixes.shape == (4, 8) and batch.characters.shape == (4, 2)
    letters = [VOCABULARIES.characters.id_of(letter) for letter in "dabc"]
    assert batch.characters.tolist() == [[0, 0], [letters[0], 0], [letters[1], 0], letters[2:]]


def test_a_batch_without_padding_has_the_padding_row_all_the_same(table: FormTable) -> None:
    batch = make_batch(table, table.number([["zz", "d"]]))
    assert batch.words.tolist() == [0, 1, VOCABULARIES.words.id_of("d")]
    assert batch.forms.T.tolist() == [[1, 2]] and batch.tags is None


def test_forms_are_encoded_once_a_batch(table: FormTable) -> None:
    batch = make_batch(table, table.number([["a"] * 50, ["bc"] * 20]))
    assert len(batch.words) == 3 and batch.forms.shape == (50, 2)


def test_batches_hold_integers_of_64_bits_and_move_whole(table: FormTable) -> None:
    batch = make_batch(table, table.number([["a"]])).to(torch.device("cpu"))
    assert batch.tags is None
    for name in ("forms", "lengths", "words", "capitals", "ends", "affixes", "characters"):
        assert getattr(batch, name).dtype == torch.int64
    moved = batch.to(torch.device("meta"))
    assert moved.words.device.type == "meta" and moved.tags is None
