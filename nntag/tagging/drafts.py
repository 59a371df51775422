"""The tagged sentences of a split while a data folder is made: taken up one by one, given back any number of times.

They lie on disk as numbers; in memory are the different words and tags, which a tagger's vocabulary holds anyhow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np

from nntag.encoding.spilled import SpilledArray
from nntag.encoding.vocabulary import Numbering

BLOCK_SENTENCES = 10_000  # given back at a time

Sentence = tuple[tuple[str, ...], ...]  # tokens, tags, and the tags of each further column
T = TypeVar("T")


@dataclass(frozen=True)
class Repeatable(Generic[T]):
    """What `begin` gives, anew each time that it is iterated: a list that is never in memory."""

    begin: Callable[[], Iterator[T]]

    def __iter__(self) -> Iterator[T]:
        return self.begin()


class TaggedDraft:
    """The sentences of one split; a context manager that removes what lies on disk."""

    def __init__(self, folder: Path, columns: int, numberings: Sequence[Numbering] = ()):
        """`columns` of tags; `numberings` of words and of each column where another draft has them already."""
        self._numberings = list(numberings) or [Numbering() for _ in range(1 + columns)]
        self._fields = [SpilledArray("i", folder) for _ in range(1 + columns)]
        self._lengths = SpilledArray("i", folder)
        self._folder = folder
        self.longest = 0  # tokens of the longest sentence

    def __enter__(self) -> TaggedDraft:
        return self

    def __exit__(self, *exception: object) -> None:
        for spilled in (*self._fields, self._lengths):
            spilled.close()

    def __len__(self) -> int:
        """Sentences."""
        return len(self._lengths)

    def add(self, sentence: Sentence) -> None:
        """Takes up one sentence."""
        for field, numbering, values in zip(self._fields, self._numberings, sentence, strict=True):
            field.extend(map(numbering.__getitem__, values))
        self._lengths.append(len(sentence[0]))
        self.longest = max(self.longest, len(sentence[0]))

    def __iter__(self) -> Iterator[Sentence]:
        yield from zip(*(self.column(place) for place in range(len(self._fields))), strict=True)

    def column(self, place: int) -> Repeatable[tuple[str, ...]]:
        """Of every sentence the tokens (`place` 0), or the tags of one column."""
        return Repeatable(lambda: self._read(place))

    def _read(self, place: int) -> Iterator[tuple[str, ...]]:
        names = np.array([None, *self._numberings[place]], object)
        stop = 0
        for lengths in self._lengths.blocks(size=BLOCK_SENTENCES):
            start, stop = stop, stop + int(lengths.sum())
            values = names[self._fields[place].read(start, stop)].tolist()
            first = 0
            for length in lengths.tolist():
                yield tuple(values[first : first + length])
                first += length

    def divide(self, chosen: Iterable[int]) -> tuple[TaggedDraft, TaggedDraft]:
        """Two drafts: of the sentences for which `chosen` has 0, and of those for which it has 1."""
        parts = [TaggedDraft(self._folder, len(self._fields) - 1, self._numberings) for _ in range(2)]
        for sentence, is_chosen in zip(self, chosen, strict=True):
            parts[is_chosen].add(sentence)
        return parts[0], parts[1]
