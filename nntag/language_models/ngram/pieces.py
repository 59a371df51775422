"""The k-gram that ends at each position in, the (k+1)-grams of one range of contexts out, sorted and counted.

A piece is sorted as integers of 64 bits, each a context, a word and the position's number in the piece: that is
several times as fast as sorting the positions by their n-grams.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PIECE = 1 << 22  # occurrences that are sorted at a time; memory is some 60 bytes for each
_BLOCK = 1 << 16  # positions searched at a time


@dataclass(frozen=True, slots=True)
class Corpus:
    """Sentences as ids, <s> before each and </s> at its end."""

    words: NDArray[np.int32]  # [N], all below `base`
    base: int
    bos: int
    eos: int


@dataclass(frozen=True, slots=True)
class PieceCounts:
    """The (k+1)-grams of a piece, ascending, and where they stand in the text."""

    key: NDArray[np.int64]  # [n] rank of the context * base + last word
    suffix: NDArray[np.int32]  # [n] rank of the last k words
    raw: NDArray[np.int32]  # [n] occurrences
    ends: NDArray[np.int64]  # [m] the positions where one of them ends, ascending
    ranks: NDArray[np.int32]  # [m] which of the n ends there


def cut_contexts(raw: NDArray[np.int32], base: int) -> Iterator[range]:
    """The ranks of all contexts in ranges of `PIECE` occurrences at most, or of one context that has more.

    raw: int32[n], the occurrences of each context. Context, word and number of a piece fit 64 bits together.
    """
    size = min(PIECE, 1 << (64 - base.bit_length()) // 2)
    until = np.cumsum(raw, dtype=np.int64)
    begin, done = 0, 0
    while begin < len(raw):
        fitting = int(np.searchsorted(until, done + size, "right"))
        end = min(max(fitting, begin + 1), begin + size, len(raw))
        yield range(begin, end)
        begin, done = end, int(until[end - 1])


def count_piece(corpus: Corpus, ids: NDArray[np.int32], contexts: range) -> PieceCounts:
    """The (k+1)-grams whose contexts are k-grams of these ranks; `ids: int32[N]` has the rank of the k-gram that ends
    at each position, -1 where none does."""
    ends = _find_contexts(ids, contexts) + 1
    ends = ends[corpus.words[ends] != corpus.bos]  # no n-gram spans two sentences
    bits = max(len(ends) - 1, 0).bit_length()
    packed = (ids[ends - 1] - contexts.start).astype(np.uint64)
    packed *= np.uint64(corpus.base)
    packed += corpus.words[ends].astype(np.uint64)
    packed <<= np.uint64(bits)
    packed |= np.arange(len(ends), dtype=np.uint64)
    packed.sort()
    number = (packed & np.uint64((1 << bits) - 1)).view(np.int64)
    packed >>= np.uint64(bits)
    is_first = np.ones(len(packed), bool)
    np.not_equal(packed[1:], packed[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    ranks = np.empty(len(ends), np.int32)
    ranks[number] = np.cumsum(is_first, dtype=np.int32) - 1
    key = packed[first].view(np.int64) + contexts.start * corpus.base
    raw = np.diff(first, append=len(ends)).astype(np.int32)
    return PieceCounts(key, ids[ends[number[first]]], raw, ends, ranks)


def _find_contexts(ids: NDArray[np.int32], contexts: range) -> NDArray[np.int64]:
    """The positions before the last at which one of the contexts ends."""
    found = [np.empty(0, np.int64)]
    for begin in range(0, len(ids) - 1, _BLOCK):
        block = ids[begin : min(begin + _BLOCK, len(ids) - 1)]
        found.append(np.flatnonzero((block >= contexts.start) & (block < contexts.stop)) + begin)
    return np.concatenate(found)
