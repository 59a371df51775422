"""Token ids in, the sorted n-grams of each order out, with the counts that Kneser-Ney smoothing needs.

No dictionary and no loop over words: `ids[i]` is the rank of the k-gram that ends at position i, so the (k+1)-gram
that ends at i+1 is the one integer `ids[i] * base + words[i + 1]`, and sorting these integers ranks the (k+1)-grams.
Ranks follow the words of the n-grams from left to right, and lead from each n-gram to its context and its suffix
without a search. The integers are sorted in pieces (`pieces.py`), each with all n-grams of a range of contexts: the
sorted pieces one after another are the sorted whole, and nothing has to be merged. Keys and suffixes go to disk as
they are found; in memory are 12 bytes a token, some 16 an n-gram of one order, and one piece.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nntag.encoding.spilled import SpilledArray
from nntag.language_models.ngram.pieces import Corpus, count_piece, cut_contexts
from nntag.progress import Progress, ProgressCallback, ignore_progress

_BLOCK = 1 << 20  # words looked at at a time where all are


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """All k-grams of one order, sorted by (rank of the context, word); place in the arrays = rank of the k-gram."""

    order: int  # k
    key: SpilledArray  # int64[n] rank of the context (the first k-1 words) * base + last word; empty for k = 1
    suffix: SpilledArray  # int32[n] rank of the last k-1 words among the (k-1)-grams; empty for k = 1
    raw: NDArray[np.int32]  # [n] occurrences
    adjusted: NDArray[np.int32]  # [n] see `count_ngrams`
    starts: NDArray[np.int64]  # [base + 1] rank of the first k-gram that begins with each word, and n
    pieces: list[tuple[range, range]]  # ranks of contexts, and of all k-grams that they begin; empty for k = 1
    last: int  # rank of the last k-gram in lmplz's order, -1 where there is none; see `_find_last`


def insert_bos(tokens: NDArray[np.integer], bos: int, eos: int) -> NDArray[np.int32]:
    """The same tokens with <s> before each sentence, a sentence being whatever ends with </s>.

    Raises ValueError where the last sentence has no </s>, or <s> is among the tokens already.
    """
    words = np.asarray(tokens).astype(np.int32, copy=False)
    if not len(words) or words[-1] != eos:
        raise ValueError("the tokens must be sentences that each end with </s>, and the last one does not")
    if (words == bos).any():
        raise ValueError("the tokens hold <s>, which is added here and must not be there before")
    starts = np.flatnonzero(words[:-1] == eos) + 1
    return np.insert(words, np.concatenate([[0], starts]), bos)


def count_ngrams(
    corpus: Corpus, order: int, folder: Path | None = None, progress: ProgressCallback = ignore_progress
) -> Iterator[NgramCounts]:
    """Yields, for k = 1 .. `order`, the k-grams inside the sentences.

    The adjusted count of a k-gram is, for k < `order`, the number of distinct words to its left (Kneser & Ney 1995),
    but the true count where the k-gram begins with <s> (nothing stands left of it), as it is for k = `order`. <s>
    itself is never predicted: its count as a unigram is 0. Files without names lie in `folder`, the folder for
    temporary files without one; raises OSError where the disk is full.
    """
    appearance = _rank_by_appearance(corpus)
    raw, starts = _count_words(corpus), np.arange(corpus.base + 1)
    grams = NgramCounts(1, SpilledArray("q"), SpilledArray("i"), raw, raw, starts, [], int(appearance.argmax()))
    ids = corpus.words
    for k in range(1, order):
        # of the longest n-grams nobody asks where they end
        longer_ids = np.full(len(ids), -1, np.int32) if k + 1 < order else None
        longer = _lengthen(corpus, ids, longer_ids, grams, folder, progress)
        ids = longer_ids if longer_ids is not None else np.empty(0, np.int32)
        del longer_ids
        longer = replace(longer, last=_find_last(longer, grams.last, appearance))
        yield replace(grams, adjusted=_adjust(grams, longer, corpus.bos))
        grams = longer
    del corpus, ids
    yield grams


def _count_words(corpus: Corpus) -> NDArray[np.int32]:
    raw = np.zeros(corpus.base, np.int32)
    for begin in range(0, len(corpus.words), _BLOCK):
        raw += np.bincount(corpus.words[begin : begin + _BLOCK], minlength=corpus.base).astype(np.int32)
    raw[corpus.bos] = 0
    return raw


def _lengthen(
    corpus: Corpus,
    ids: NDArray[np.int32],
    longer_ids: NDArray[np.int32] | None,
    grams: NgramCounts,
    folder: Path | None,
    progress: ProgressCallback,
) -> NgramCounts:
    """The (k+1)-grams from the k-grams and the rank of the one that ends at each position (-1: none does); the ranks of
    the (k+1)-grams are written to `longer_ids`."""
    key, suffix, raw = SpilledArray("q", folder), SpilledArray("i", folder), SpilledArray("i", folder)
    starts, pieces, done = np.zeros_like(grams.starts), [], 0
    step = f"counting {grams.order + 1}-grams"
    progress(Progress(step, 0, len(ids), "tokens"))
    for contexts in cut_contexts(grams.raw, corpus.base):
        found = count_piece(corpus, ids, contexts)
        begin = len(key)
        if longer_ids is not None:
            longer_ids[found.ends] = found.ranks + np.int32(begin)
        starts += np.searchsorted(found.key, grams.starts * corpus.base)
        key.extend_array(found.key)
        suffix.extend_array(found.suffix)
        raw.extend_array(found.raw)
        pieces.append((contexts, range(begin, len(key))))
        done += len(found.ends)
        progress(Progress(step, done, len(ids), "tokens"))
    progress(Progress(step, len(ids), len(ids), "tokens", finished=True))
    counts = raw.map()
    raw.close()
    return NgramCounts(grams.order + 1, key, suffix, counts, counts, starts, pieces, -1)


def _adjust(grams: NgramCounts, longer: NgramCounts, bos: int) -> NDArray[np.int32]:
    """The adjusted counts of the k-grams, from the (k+1)-grams."""
    adjusted = np.zeros(len(grams.raw), np.int32)
    for suffixes in longer.suffix.blocks():
        np.add.at(adjusted, suffixes, np.int32(1))
    with_bos = slice(*grams.starts[bos : bos + 2])
    adjusted[with_bos] = grams.raw[with_bos]
    return adjusted


def _rank_by_appearance(corpus: Corpus) -> NDArray[np.int64]:
    """int64[base]: where each word first occurs, -1 if nowhere; 0 for <s> and </s>, before all others."""
    words, first = corpus.words, np.full(corpus.base, -1)
    for end in range(len(words), 0, -_BLOCK):
        begin = max(0, end - _BLOCK)
        first[words[begin:end][::-1]] = np.arange(end - 1, begin - 1, -1)  # numpy keeps the last of several
    first[[corpus.bos, corpus.eos]] = 0
    return first


def _find_last(grams: NgramCounts, last_suffix: int, appearance: NDArray[np.int64]) -> int:
    """Of the n-grams that end in the last (k-1)-gram, the one whose first word appeared latest: lmplz sees it last.

    lmplz (up to the kenlm of 2025) enters this single n-gram of each lower order with its true instead of its adjusted
    count when it counts how many n-grams have count 1 to 4. That is a slip, but discounts that equal lmplz's need it.
    """
    last, latest, begin = -1, -2, 0
    for suffixes in grams.suffix.blocks():
        candidates = np.flatnonzero(suffixes == last_suffix) + begin
        begin += len(suffixes)
        appeared = appearance[np.searchsorted(grams.starts, candidates, "right") - 1]  # of the first words
        if len(candidates) and appeared.max() > latest:
            last, latest = int(candidates[appeared.argmax()]), int(appeared.max())
    return last
