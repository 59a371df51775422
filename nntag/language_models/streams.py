"""Sentences as streams of token ids in memory-mapped arrays, and the batches that language models read from them.

A split is two files: `SPLIT.ids.npy`, int32, tokens of each sentence and the boundary after them; `SPLIT.starts.npy`,
int64, where each sentence starts, and at the end the length of the ids. Opening one reads nothing, whatever its size.
Every entry of the ids is one prediction, so that an array of the same length holds a model's scores of a split.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nntag.encoding.array_files import map_array
from nntag.encoding.data_folder import AGAIN
from nntag.errors import RunError
from nntag.json_files import check_regular

BOUNDARY, UNKNOWN = 0, 1
SENTENCE_START, SENTENCE_END, UNKNOWN_WORD = "<s>", "</s>", "<unk>"
NO_TARGET = -1  # padding in a batch's targets


class StreamVocabulary:
    """The words of a language model by id. Id 0 is the boundary: read as `<s>`, predicted as `</s>`; id 1 is `<unk>`.

    One id serves for both boundary signs, since `<s>` is never predicted and `</s>` never read: V words are both the
    rows of the input tables and the outcomes of the softmax.
    """

    def __init__(self, words: Iterable[str], lowercase: bool = False):
        """`words` without the boundary and `<unk>`, in id order; `lowercase`: tokens are looked up in lower case."""
        self.words: tuple[str, ...] = (SENTENCE_END, UNKNOWN_WORD, *words)
        self.lowercase = lowercase
        self._ids = {word: number for number, word in enumerate(self.words)}

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._ids

    def encode(self, tokens: Iterable[str]) -> np.ndarray:
        """int32 ids of the tokens; `<unk>` and all words that are not known have `UNKNOWN`."""
        ids = self._ids
        if self.lowercase:
            tokens = (token.lower() for token in tokens)
        return np.fromiter((ids.get(token, UNKNOWN) or UNKNOWN for token in tokens), np.int32)

    def encode_sentences(self, sentences: Iterable[Iterable[str]]) -> TokenStream:
        """Sentences as a stream in memory."""
        parts = [np.append(self.encode(tokens), np.int32(BOUNDARY)) for tokens in sentences]
        starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
        return TokenStream(np.concatenate([np.empty(0, np.int32), *parts]), starts)

    def known(self) -> list[str]:
        """The words without the two specials: what the constructor takes."""
        return list(self.words[2:])

    def to_json(self) -> dict[str, Any]:
        """What a run saves of it."""
        return {"words": self.known(), "lowercase": self.lowercase}


@dataclass(frozen=True, slots=True)
class TokenStream:
    """The sentences of one split."""

    ids: np.ndarray  # int32[N], memory-mapped or not; each sentence ends with BOUNDARY
    starts: np.ndarray  # int64[sentences + 1]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, number: int) -> np.ndarray:
        return self.ids[self.starts[number] : self.starts[number + 1]]

    @property
    def lengths(self) -> np.ndarray:
        """int64[sentences]: predictions in each, which is its tokens and the boundary."""
        return np.diff(self.starts)

    def select(self, numbers: np.ndarray) -> np.ndarray:
        """int32[n]: the ids of these sentences, in the order of the stream, in memory."""
        is_kept = np.zeros(len(self), bool)
        is_kept[numbers] = True
        return self.ids[np.repeat(is_kept, self.lengths)]

    def reverse(self) -> TokenStream:
        """Every sentence from right to left, the boundary still at its end, and the last sentence first; in memory."""
        return TokenStream(np.roll(self.ids[::-1], -1), len(self.ids) - self.starts[::-1])


def join_streams(streams: Sequence[TokenStream]) -> TokenStream:
    """The sentences of several streams one after another, in memory."""
    offsets = np.cumsum([0, *(len(stream.ids) for stream in streams)])
    starts = [stream.starts[:-1] + offset for stream, offset in zip(streams, offsets[:-1], strict=True)]
    return TokenStream(np.concatenate([stream.ids for stream in streams]), np.concatenate([*starts, offsets[-1:]]))


def restore_order(entries: np.ndarray) -> np.ndarray:
    """What belongs to each entry of `stream.reverse().ids`, in the order of `stream.ids`."""
    return np.roll(entries, 1)[::-1]


def open_stream(folder: Path, split: str, words: int | None = None) -> TokenStream:
    """The split's memory-mapped sentences; raises `RunError` where a file is missing or damaged.

    With `words`, the size of the vocabulary, every id is looked at: a damaged one would be no word's.
    """
    ids = _open_array(folder / f"{split}.ids.npy", np.int32)
    starts = _open_array(folder / f"{split}.starts.npy", np.int64)
    if len(starts) == 0 or starts[0] != 0 or starts[-1] != len(ids):
        raise RunError(f"{folder / split}.starts.npy: does not fit {split}.ids.npy; {AGAIN}")
    if not (starts[1:] > starts[:-1]).all():
        raise RunError(f"{folder / split}.starts.npy: sentences that end before they begin; {AGAIN}")
    if words is not None and len(ids) and (ids.min() < 0 or ids.max() >= words):
        raise RunError(f"{folder / split}.ids.npy: ids that are not of its vocabulary; {AGAIN}")
    return TokenStream(ids, starts)


def _open_array(path: Path, kind: type) -> np.ndarray:
    check_regular(path)
    try:
        found = map_array(path)
    except OSError as error:
        raise RunError(f"{path}: {error.strerror or 'damaged'}; {AGAIN}") from None
    except ValueError:
        raise RunError(f"{path}: damaged; {AGAIN}") from None
    if found.dtype != kind or found.ndim != 1:
        raise RunError(f"{path}: damaged; {AGAIN}")
    return found


@dataclass(frozen=True, slots=True)
class Batch:
    """B sentences of at most T predictions: what is read and what is to be predicted at each step."""

    inputs: Tensor  # int64[T, B]: the boundary, then the tokens; the boundary again after a sentence's end
    targets: Tensor  # int64[T, B]: the tokens, then the boundary; NO_TARGET after that
    padded: bool  # whether there is any NO_TARGET

    def to(self, device: torch.device) -> Batch:
        """The same batch on another device."""
        return Batch(self.inputs.to(device), self.targets.to(device), self.padded)


def make_batch(sentences: Sequence[np.ndarray]) -> Batch:
    """A batch of sentences of a stream (ids that end with the boundary), one a column."""
    lengths = [len(sentence) for sentence in sentences]
    inputs = np.full((max(lengths), len(sentences)), BOUNDARY, np.int64)
    targets = np.full((max(lengths), len(sentences)), NO_TARGET, np.int64)
    for column, (sentence, length) in enumerate(zip(sentences, lengths, strict=True)):
        inputs[1:length, column] = sentence[:-1]
        targets[:length, column] = sentence
    return Batch(torch.from_numpy(inputs), torch.from_numpy(targets), min(lengths) < max(lengths))


def same_length_batches(lengths: np.ndarray, size: int, generator: torch.Generator) -> list[np.ndarray]:
    """Numbers of all sentences once, in random batches of at most `size` of the same length, none of them dropped."""
    order = torch.randperm(len(lengths), generator=generator).numpy()
    order = order[np.argsort(lengths[order], kind="stable")]
    edges = np.flatnonzero(np.diff(lengths[order], prepend=-1, append=-1))
    batches = [
        order[start : min(start + size, stop)]
        for first, stop in zip(edges[:-1], edges[1:], strict=True)
        for start in range(first, stop, size)
    ]
    return [batches[number] for number in torch.randperm(len(batches), generator=generator).tolist()]
