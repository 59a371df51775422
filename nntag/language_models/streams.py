"""Sentences as streams of token ids in memory-mapped arrays, and the batches that language models read from them.

A split is two files: `SPLIT.ids.npy`, int32, tokens of each sentence and the boundary after them; `SPLIT.starts.npy`,
int64, where each sentence starts, and at the end the length of the ids. Opening one reads nothing, whatever its size.
Every entry of the ids is one prediction, so that an array of the same length holds a model's scores of a split.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from nntag.encoding.data_folder import AGAIN
from nntag.encoding.overlap import SentenceHashes
from nntag.errors import RunError
from nntag.json_files import check_regular

BOUNDARY, UNKNOWN = 0, 1
SENTENCE_START, SENTENCE_END, UNKNOWN_WORD = "<s>", "</s>", "<unk>"
NO_TARGET = -1  # padding in a batch's targets
_BLOCK_TOKENS = 1 << 22  # tokens renumbered at a time


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
        found = np.load(path, mmap_mode="r", allow_pickle=False)
    except OSError as error:
        raise RunError(f"{path}: {error.strerror or 'damaged'}; {AGAIN}") from None
    except (ValueError, EOFError, OverflowError, SyntaxError, TypeError, MemoryError, RecursionError):
        raise RunError(f"{path}: damaged; {AGAIN}") from None
    if found.dtype != kind or found.ndim != 1:
        raise RunError(f"{path}: damaged; {AGAIN}")
    return found


class StreamWriter:
    """Takes the sentences of one split as text and, when the vocabulary is known, writes their ids into `folder`.

    One pass over the text in flat memory: words are numbered as they appear, and a draft is renumbered at the end. A
    context manager that removes the draft.
    """

    def __init__(self, folder: Path, split: str):
        self.folder, self.split = folder, split
        self._numbers = _Numbering()
        self._starts = array("q", [0])
        self.hashes = SentenceHashes()
        self.longest = 0  # tokens of the longest sentence
        self._draft = folder / f".{split}.draft"
        self._file = self._draft.open("wb")

    def __enter__(self) -> StreamWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        self._file.close()
        self._draft.unlink(missing_ok=True)

    def add(self, tokens: Sequence[str]) -> None:
        """Appends one sentence."""
        self.hashes.add(tokens)
        self.longest = max(self.longest, len(tokens))
        numbers = array("i", map(self._numbers.__getitem__, tokens))
        numbers.append(BOUNDARY)
        numbers.tofile(self._file)
        self._starts.append(self._starts[-1] + len(numbers))

    @property
    def sentences(self) -> int:
        """How many sentences have been added."""
        return len(self._starts) - 1

    @property
    def tokens(self) -> int:
        """The tokens so far, without the boundaries."""
        return self._starts[-1] - self.sentences

    def count_words(self) -> dict[str, int]:
        """How often each word occurs."""
        counts = np.zeros(len(self._numbers) + 1, np.int64)
        for _, block in self._blocks():
            counts += np.bincount(block, minlength=len(counts))
        return dict(zip(self._numbers, counts[1:].tolist(), strict=True))

    def finish(self, vocabulary: StreamVocabulary) -> int:
        """Writes the split's two files; gives the number of tokens that are `UNKNOWN`."""
        new_ids = np.concatenate([np.array([BOUNDARY], np.int32), vocabulary.encode(self._numbers)])
        path = self.folder / f"{self.split}.ids.npy"
        np.save(path, np.empty(0, np.int32))
        unknown = 0
        if self.sentences:  # numpy maps no empty array
            ids = np.lib.format.open_memmap(path, "w+", np.int32, (self._starts[-1],))
            for start, block in self._blocks():
                ids[start : start + len(block)] = new_ids[block]
                unknown += int(np.count_nonzero(new_ids[block] == UNKNOWN))
            ids.flush()
        np.save(self.folder / f"{self.split}.starts.npy", np.frombuffer(self._starts, np.int64))
        return unknown

    def _blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """The provisional ids, a few million at a time, each block with its place."""
        self._file.flush()
        for start in range(0, self._starts[-1], _BLOCK_TOKENS):
            count = min(_BLOCK_TOKENS, self._starts[-1] - start)
            yield start, np.fromfile(self._draft, np.int32, count, offset=4 * start)


class _Numbering(dict[str, int]):
    """Numbers words from 1 in the order in which they are first looked up; 0 is the boundary."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self) + 1
        return number


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
