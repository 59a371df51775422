"""Sentences -> padded, time-major batches for taggers; the one way in for train, eval and tag."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from nntag.encoding.contextual.batch import EncodedSentence, WordBatch, join_sentences
from nntag.tagging.features import FormTable

NO_TAG = -1  # padding, a missing gold tag, or a gold tag that training does not have


@dataclass(frozen=True, slots=True)
class TaggingBatch:
    """B sentences of at most T tokens over U - 1 distinct word forms; row 0 of the form features is padding."""

    forms: Tensor  # int64[T, B]: row of each token's form; 0 after a sentence's end
    lengths: Tensor  # int64[B]
    words: Tensor  # int64[U]
    capitals: Tensor  # int64[U]
    ends: Tensor  # int64[U, 2 * affix_length]
    affixes: Tensor  # int64[U, 8]; [U, 0] where not used
    characters: Tensor  # int64[U, W]
    tags: Tensor | None = None  # int64[T, B], [T, B, C] for C columns; NO_TAG where there is nothing to predict
    contextual: WordBatch | None = None  # all words, where an encoder gives them vectors

    def to(self, device: torch.device) -> TaggingBatch:
        """The same batch on another device."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return replace(self, **{name: value.to(device) for name, value in values.items() if value is not None})


def make_batch(
    table: FormTable,
    sentences: Sequence[np.ndarray],
    tags: Sequence[np.ndarray] | None = None,
    encoded: Sequence[EncodedSentence] | None = None,
) -> TaggingBatch:
    """A batch of sentences that `table` has numbered; `tags` are int64[T] or int64[T, C] of the same lengths, `encoded`
    what an encoder's source made of the same sentences."""
    lengths = np.array([len(sentence) for sentence in sentences])
    padded = pad_rows(sentences, lengths, 0)
    numbers, rows = np.unique(padded, return_inverse=True)
    if numbers[0] != 0:  # no padding in this batch: row 0 is kept for it all the same
        numbers, rows = np.concatenate([[0], numbers]), rows + 1
    features = table.features(numbers)
    return TaggingBatch(
        torch.from_numpy(rows.reshape(padded.shape)),
        torch.from_numpy(lengths),
        torch.from_numpy(features.words),
        torch.from_numpy(features.capitals),
        torch.from_numpy(features.ends),
        torch.from_numpy(features.affixes),
        torch.from_numpy(features.characters),
        None if tags is None else torch.from_numpy(pad_rows(tags, lengths, NO_TAG)),
        None if encoded is None else join_sentences(encoded, lengths),
    )


def make_form_batch(table: FormTable, numbers: np.ndarray) -> TaggingBatch:
    """Forms alone, each a sentence of one word, as they come and as often as they come; 0 is padding.

    Characters are filled up to a multiple of eight, so that there are few shapes.
    """
    features = table.features(numbers)
    return TaggingBatch(
        torch.arange(len(numbers))[None],
        torch.ones(len(numbers), dtype=torch.int64),
        torch.from_numpy(features.words),
        torch.from_numpy(features.capitals),
        torch.from_numpy(features.ends),
        torch.from_numpy(features.affixes),
        functional.pad(torch.from_numpy(features.characters), (0, -features.characters.shape[1] % 8)),
    )


def pad_rows(rows: Sequence[np.ndarray], lengths: np.ndarray, value: int) -> np.ndarray:
    """int64[T, B, ...]: the rows as columns, `value` after their ends."""
    padded = np.full((max(1, int(lengths.max(initial=0))), len(rows), *rows[0].shape[1:]), value, np.int64)
    for column, row in enumerate(rows):
        padded[: len(row), column] = row
    return padded
