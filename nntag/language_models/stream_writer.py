"""Sentences as text in, the two files of a token stream out: one pass over the text, in memory that does not grow.

Words are numbered as they appear, and the draft of numbers is renumbered when the vocabulary is known. A numbering of
`MOST_TYPES` words ends: its words and their counts are written to a file in order of the words, and the next numbering
begins; counts are those files merged. So they are exact for any number of different words.
"""

from __future__ import annotations

import heapq
import itertools
import tempfile
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import IO

import numpy as np

from nntag.encoding.overlap import SentenceHashes
from nntag.encoding.spilled import SpilledArray
from nntag.encoding.vocabulary import Numbering
from nntag.language_models.streams import BOUNDARY, UNKNOWN, UNKNOWN_WORD, StreamVocabulary

MOST_TYPES = 1 << 19  # different words in memory: some 100 MB of them


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of the draft with one numbering; the file has `WORD<tab>COUNT<tab>NUMBER` lines, words in order."""

    start: int  # where in the draft
    stop: int
    words: int
    file: IO[bytes]

    def read(self) -> Iterator[tuple[bytes, int, int]]:
        """Each word in UTF-8, its count and its number."""
        self.file.seek(0)
        for line in self.file:
            word, count, number = line.rsplit(b"\t", 2)
            yield word, int(count), int(number)


class StreamWriter:
    """Takes the sentences of one split and, when the vocabulary is known, writes their ids into `folder`.

    A context manager that removes the draft.
    """

    def __init__(self, folder: Path, split: str):
        self.folder, self.split = folder, split
        self.hashes = SentenceHashes(folder=folder)
        self.longest = 0  # tokens of the longest sentence
        self._draft = SpilledArray("i", folder)  # numbers of words, 0 for the boundary
        self._lengths = SpilledArray("i", folder)
        self._numbers = Numbering()
        self._parts: list[_Part] = []
        self._has_unknown = False

    def __enter__(self) -> StreamWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        for spilled in (self._draft, self._lengths, self.hashes.values):
            spilled.close()
        for part in self._parts:
            part.file.close()

    def add(self, tokens: Sequence[str]) -> None:
        """Appends one sentence."""
        self.hashes.add(tokens)
        self.longest = max(self.longest, len(tokens))
        self._draft.extend(map(self._numbers.__getitem__, tokens))
        self._draft.append(BOUNDARY)
        self._lengths.append(len(tokens) + 1)
        if len(self._numbers) >= MOST_TYPES:
            self._end_part()

    @property
    def sentences(self) -> int:
        """How many sentences have been added."""
        return len(self._lengths)

    @property
    def tokens(self) -> int:
        """The tokens so far, without the boundaries."""
        return len(self._draft) - self.sentences

    @property
    def has_unknown(self) -> bool:
        """Whether the text itself marks unknown words, as `<unk>`."""
        return self._has_unknown or UNKNOWN_WORD in self._numbers

    def count_words(self) -> dict[str, int]:
        """How often each word occurs; all of them in memory."""
        return dict(self.iterate_counts())

    def iterate_counts(self) -> Iterator[tuple[str, int]]:
        """Each word and how often it occurs, in code point order of the words."""
        self._end_part()
        merged = heapq.merge(*(part.read() for part in self._parts))
        for word, entries in itertools.groupby(merged, key=itemgetter(0)):
            yield word.decode("utf-8", "surrogatepass"), sum(count for _, count, _ in entries)

    def finish(self, vocabulary: StreamVocabulary) -> int:
        """Writes the split's two files; gives the number of tokens that are `UNKNOWN`."""
        self._end_part()
        unknown = 0

        def renumber() -> Iterator[np.ndarray]:
            nonlocal unknown
            for part in self._parts:
                ids = _find_ids(part, vocabulary)
                for block in self._draft.blocks(part.start, part.stop):
                    unknown += int(np.count_nonzero(ids[block] == UNKNOWN))
                    yield ids[block]

        _write_array(self.folder / f"{self.split}.ids.npy", np.dtype(np.int32), len(self._draft), renumber())
        starts = itertools.chain([np.zeros(1, np.int64)], _add_up(self._lengths.blocks()))
        _write_array(self.folder / f"{self.split}.starts.npy", np.dtype(np.int64), self.sentences + 1, starts)
        return unknown

    def _end_part(self) -> None:
        """Writes the words of the numbering to a file and begins the next one."""
        start = self._parts[-1].stop if self._parts else 0
        if start == len(self._draft):
            return
        self._has_unknown = self.has_unknown
        counts = np.zeros(len(self._numbers) + 1, np.int64)
        for block in self._draft.blocks(start):
            counts += np.bincount(block, minlength=len(counts))
        file = tempfile.TemporaryFile(dir=self.folder)  # noqa: SIM115 (open as long as the writer)
        for word in sorted(self._numbers):
            number = self._numbers[word]
            file.write(b"%b\t%d\t%d\n" % (word.encode("utf-8", "surrogatepass"), counts[number], number))
        self._parts.append(_Part(start, len(self._draft), len(self._numbers), file))
        self._numbers.clear()


def _find_ids(part: _Part, vocabulary: StreamVocabulary) -> np.ndarray:
    """int32[words + 1]: the id of each number of a part."""
    numbers = array("i")

    def words() -> Iterator[str]:
        for word, _, number in part.read():
            numbers.append(number)
            yield word.decode("utf-8", "surrogatepass")

    found = vocabulary.encode(words())
    ids = np.full(part.words + 1, BOUNDARY, np.int32)
    ids[np.array(numbers)] = found
    return ids


def _add_up(blocks: Iterable[np.ndarray]) -> Iterator[np.ndarray]:
    """The running sums of all blocks together."""
    total = 0
    for block in blocks:
        sums = total + np.cumsum(block, dtype=np.int64)
        total = int(sums[-1])
        yield sums


def _write_array(path: Path, kind: np.dtype, length: int, blocks: Iterable[np.ndarray]) -> None:
    """A file as `numpy.save` writes it; never mapped, since pages that are written to would stay in memory."""
    with path.open("wb") as file:
        header = {"descr": np.lib.format.dtype_to_descr(kind), "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(file, header)
        for block in blocks:
            file.write(block.tobytes())
