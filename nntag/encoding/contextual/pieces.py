"""Sentences as words -> word pieces -> windows that an encoder can take; each piece knows the word it belongs to.

A sentence longer than the encoder's window is read through overlapping windows, each half a window further on; a
piece's state comes from the window in which it has most context on its poorer side. Nothing is cut off.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from nntag.errors import RunError

Pooling = Literal["mean", "first"]
LONGEST_UNKNOWN = 512  # pieces in a window of an encoder that names no limit, special ones counted
NO_LIMIT = 1_000_000  # tokenizers without a limit say 1e30


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of one sentence's pieces between the encoder's special ones."""

    ids: np.ndarray  # int64[P]
    rows: np.ndarray  # int64[P]: row of the piece's word among all words; -1 where the state is not used
    weights: np.ndarray  # float32[P]: the piece's share of its word's vector


class WordPieces:
    """A tokenizer, asked for the pieces of words that are given one by one."""

    def __init__(self, tokenizer: Any, longest: int):
        """`longest`: pieces that the encoder takes at once, special ones counted. Raises `RunError`."""
        if not tokenizer.is_fast:
            raise RunError(
                f"{tokenizer.name_or_path}: the tokenizer cannot align words with pieces (no tokenizer.json)"
            )
        self._tokenizer = tokenizer
        framed = tokenizer([["a"]], is_split_into_words=True, return_special_tokens_mask=True)
        ids, special = framed["input_ids"][0], framed["special_tokens_mask"][0]
        inner = [place for place, flag in enumerate(special) if not flag]
        first, last = (inner[0], inner[-1] + 1) if inner else (len(ids), len(ids))
        self._before, self._after = ids[:first], ids[last:]
        self.room = longest - len(self._before) - len(self._after)
        if self.room < 2:
            raise RunError(f"{tokenizer.name_or_path}: windows of {longest} word pieces leave no room for words")
        self.padding = next((i for i in (tokenizer.pad_token_id, tokenizer.eos_token_id) if i is not None), 0)
        others = (tokenizer.unk_token_id, tokenizer.mask_token_id, self.padding)
        self._nothing = next(number for number in others if number is not None)  # stands for a word without pieces

    def windows(self, sentences: Sequence[Sequence[str]], pooling: Pooling) -> list[Window]:
        """All windows of all sentences; the words of the sentences, one after the other, are the rows."""
        found: list[Window] = []
        row = 0
        for words, pieces in zip(sentences, self._pieces_of_words(sentences), strict=True):
            if words:
                found += self._cut(pieces, row, pooling)
            row += len(words)
        return found

    def _pieces_of_words(self, sentences: Sequence[Sequence[str]]) -> list[list[list[int]]]:
        """For each word of each sentence its pieces, one at least."""
        full = [[_as_unicode(word) for word in words] for words in sentences if words]
        if not full:
            return [[] for _ in sentences]
        encoded = self._tokenizer(full, is_split_into_words=True, add_special_tokens=False, verbose=False)
        grouped = []
        for number, words in enumerate(full):
            pieces: list[list[int]] = [[] for _ in words]
            for piece, word in zip(encoded["input_ids"][number], encoded.word_ids(number), strict=True):
                pieces[word].append(piece)
            grouped.append([word_pieces or [self._nothing] for word_pieces in pieces])
        rest = iter(grouped)
        return [next(rest) if words else [] for words in sentences]

    def _cut(self, words: list[list[int]], first_row: int, pooling: Pooling) -> list[Window]:
        """The windows of one sentence."""
        ids = np.array([piece for pieces in words for piece in pieces], np.int64)
        counts = np.array([len(pieces) for pieces in words])
        rows = np.repeat(np.arange(first_row, first_row + len(words)), counts)
        if pooling == "mean":
            weights = np.repeat(1.0 / counts, counts).astype(np.float32)
        else:
            weights = np.zeros(len(ids), np.float32)
            weights[np.cumsum(counts) - counts] = 1.0
        owners = _owning_windows(len(ids), self.room)
        rows = np.where(weights > 0, rows, -1)
        windows = []
        for number in range(int(owners.max()) + 1):
            part = slice(number * (self.room // 2), number * (self.room // 2) + self.room)
            mine = np.where(owners[part] == number, rows[part], -1)
            windows.append(self._frame(ids[part], mine, weights[part]))
        return windows

    def _frame(self, ids: np.ndarray, rows: np.ndarray, weights: np.ndarray) -> Window:
        """The window with the encoder's special pieces around it."""
        edges = (len(self._before), len(self._after))
        return Window(
            np.concatenate([self._before, ids, self._after]).astype(np.int64),
            np.pad(rows, edges, constant_values=-1),
            np.pad(weights, edges),
        )


def _owning_windows(pieces: int, room: int) -> np.ndarray:
    """int64[pieces]: the window that each piece's state is taken from; windows begin every `room // 2` pieces.

    The last window is the first that reaches the sentence's end; of two windows the one whose middle is nearer counts.
    """
    step = room // 2
    windows = 1 + max(0, -(-(pieces - room) // step))
    nearest = (np.arange(pieces) - (room - step) // 2) // step
    return np.clip(nearest, 0, windows - 1)


def _as_unicode(word: str) -> str:
    """The word with lone surrogates, which the tokenizer refuses, replaced."""
    return word.encode("utf-8", "replace").decode("utf-8")


def longest_input(tokenizer: Any, model: Any, asked: int) -> int:
    """Pieces that the encoder takes at once: the least of its positions, the tokenizer's limit, `asked` (if not 0)."""
    limits = [limit for limit in (tokenizer.model_max_length, asked) if 0 < limit < NO_LIMIT]
    positions = getattr(model.config, "max_position_embeddings", None)
    if isinstance(positions, int) and positions > 0:
        table = getattr(getattr(model, "embeddings", None), "position_embeddings", None)
        reserved = getattr(table, "padding_idx", None)  # RoBERTa and its kin count positions from there
        limits.append(positions - (0 if reserved is None else reserved + 1))
    return min(limits) if limits else LONGEST_UNKNOWN
