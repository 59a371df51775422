"""Token ids in, the sorted n-grams of each order out, with the counts that Kneser-Ney smoothing needs.

No dictionary and no loop over words: `ids[i]` is the rank of the k-gram that ends at position i, so the (k+1)-gram
that ends at i+1 is the one integer `ids[i] * base + words[i + 1]`, and one sort of these integers ranks the
(k+1)-grams. Integers stay below 2^63 whatever the order, and the ranks lead from every n-gram to its context and to
its suffix without a search. Memory: about 45 bytes a token at the peak, besides what is handed on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nntag.progress import Progress, ProgressCallback, ignore_progress


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """All k-grams of one order, sorted by (rank of the context, word); position in the arrays = rank of the k-gram."""

    order: int  # k
    key: NDArray[np.int64]  # [n] rank of the context (the first k-1 words) * base + last word; for k = 1 the word
    suffix: NDArray[np.int32]  # [n] rank of the last k-1 words among the (k-1)-grams; empty for k = 1
    first_word: NDArray[np.int32]  # [n]
    raw: NDArray[np.int64]  # [n] occurrences
    adjusted: NDArray[np.int64]  # [n] see `count_ngrams`
    last: int  # rank of the last k-gram in lmplz's order, -1 where there is none; see `_find_last`


def insert_bos(tokens: NDArray[np.integer], bos: int, eos: int) -> NDArray[np.int32]:
    """The same tokens with <s> before each sentence, a sentence being whatever ends with </s>.

    Raises ValueError where the last sentence has no </s>, or <s> is among the tokens already.
    """
    words = np.asarray(tokens).astype(np.int32)
    if not len(words) or words[-1] != eos:
        raise ValueError("the tokens must be sentences that each end with </s>, and the last one does not")
    if (words == bos).any():
        raise ValueError("the tokens hold <s>, which is added here and must not be there before")
    starts = np.flatnonzero(words[:-1] == eos) + 1
    return np.insert(words, np.concatenate([[0], starts]), bos)


def count_ngrams(
    words: NDArray[np.int32], order: int, base: int, bos: int, eos: int, progress: ProgressCallback = ignore_progress
) -> Iterator[NgramCounts]:
    """Yields, for k = 1 .. `order`, the k-grams inside the sentences of `words` (see `insert_bos`).

    Every word id is below `base`. The adjusted count of a k-gram is, for k < `order`, the number of distinct words to
    its left (Kneser & Ney 1995), but the true count where the k-gram begins with <s> (nothing stands left of it), as
    it is for k = `order`. <s> itself is never predicted: its count as a unigram is 0.
    """
    appearance = _rank_by_appearance(words, base, bos, eos)
    raw = np.bincount(words, minlength=base)
    raw[bos] = 0
    none = np.empty(0, np.int32)
    grams = NgramCounts(1, np.arange(base), none, np.arange(base, dtype=np.int32), raw, raw, int(appearance.argmax()))
    ids = words
    for k in range(1, order):
        progress(Progress(f"counting {k + 1}-grams", 0, len(words), "tokens"))
        longer, ids = _lengthen(words, ids, grams, base, bos)
        longer = replace(longer, last=_find_last(longer, grams.last, appearance))
        progress(Progress(f"counting {k + 1}-grams", len(words), len(words), "tokens", finished=True))
        left = np.bincount(longer.suffix, minlength=len(grams.key))
        yield replace(grams, adjusted=np.where(grams.first_word == bos, grams.raw, left))
        grams = longer
    yield grams


def _lengthen(
    words: NDArray[np.int32], ids: NDArray[np.int32], grams: NgramCounts, base: int, bos: int
) -> tuple[NgramCounts, NDArray[np.int32]]:
    """From the k-grams and the rank of the one that ends at each position (-1: none does) to the same for k+1."""
    ends = np.flatnonzero((ids[:-1] >= 0) & (words[1:] != bos)).astype(np.int32)
    key = ids[ends].astype(np.int64)
    ends += 1
    key *= base
    key += words[ends]
    by_key = np.argsort(key)
    key, ends = key[by_key], ends[by_key]
    del by_key
    is_first = np.ones(len(key), bool)
    np.not_equal(key[1:], key[:-1], out=is_first[1:])
    first = np.flatnonzero(is_first)
    longer_ids = np.full(len(words), -1, np.int32)
    longer_ids[ends] = np.cumsum(is_first, dtype=np.int32) - 1
    raw = np.diff(first, append=len(key))
    key = key[first]
    first_word = grams.first_word[key // base]
    return NgramCounts(grams.order + 1, key, ids[ends[first]], first_word, raw, raw, -1), longer_ids


def _rank_by_appearance(words: NDArray[np.int32], base: int, bos: int, eos: int) -> NDArray[np.int64]:
    """int64[base]: where each word first occurs, -1 if nowhere; 0 for <s> and </s>, before all others."""
    first = np.full(base, -1)
    first[words[::-1]] = np.arange(len(words) - 1, -1, -1)  # of several values for one place numpy keeps the last
    first[[bos, eos]] = 0
    return first


def _find_last(grams: NgramCounts, last_suffix: int, appearance: NDArray[np.int64]) -> int:
    """Of the n-grams that end in the last (k-1)-gram, the one whose first word appeared latest: lmplz sees it last.

    lmplz (up to the kenlm of 2025) enters this single n-gram of each lower order with its true instead of its adjusted
    count when it counts how many n-grams have count 1 to 4. That is a slip, but discounts that equal lmplz's need it.
    """
    candidates = np.flatnonzero(grams.suffix == last_suffix)
    if not len(candidates):
        return -1
    return int(candidates[appearance[grams.first_word[candidates]].argmax()])
