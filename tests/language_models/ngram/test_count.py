"""Counting in pieces and through files: against dictionaries, against counting in one piece, and its memory."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nntag.encoding import spilled
from nntag.errors import UsageError
from nntag.language_models.ngram import estimate, pieces
from nntag.language_models.ngram.count import count_ngrams, insert_bos
from nntag.language_models.ngram.estimate import estimate_ngrams
from nntag.language_models.ngram.pieces import Corpus, cut_contexts
from tests.training.test_checkpoint import largest_file

EOS, BOS, VOCABULARY = 0, 7, 7
sentence_lists = st.lists(st.lists(st.integers(1, VOCABULARY - 1), max_size=7), min_size=1, max_size=25)


@contextmanager
def small_pieces(piece: int, block: int = 3) -> Iterator[None]:
    """Sorts so many occurrences at a time, and keeps so many entries of an array in memory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", piece)
        patch.setattr(spilled, "BLOCK", block)
        yield


def join(sentences: list[list[int]]) -> np.ndarray:
    return np.array([token for sentence in sentences for token in [*sentence, EOS]], np.int32)


@settings(max_examples=60, deadline=None)
@given(sentences=sentence_lists, piece=st.integers(1, 30), order=st.integers(1, 5))
def test_counts_are_those_of_a_dictionary(sentences: list[list[int]], piece: int, order: int) -> None:
    true: Counter[tuple[int, ...]] = Counter()
    for sentence in sentences:
        words = [BOS, *sentence, EOS]
        true.update(tuple(words[i : i + k]) for k in range(1, order + 1) for i in range(len(words) - k + 1))
    left = Counter(ngram[1:] for ngram in true)
    ranked: list[tuple[int, ...]] = [(word,) for word in range(BOS + 1)]
    with small_pieces(piece):
        for grams in count_ngrams(Corpus(insert_bos(join(sentences), BOS, EOS), BOS + 1, BOS, EOS), order):
            if grams.order > 1:
                key = grams.key.map()
                suffixes = [ranked[rank] for rank in grams.suffix.map()]
                ranked = [(*ranked[rank], word) for rank, word in zip(*np.divmod(key, BOS + 1), strict=True)]
                assert ranked == sorted(ngram for ngram in true if len(ngram) == grams.order)
                assert suffixes == [ngram[1:] for ngram in ranked]
            raw = [0 if ngram == (BOS,) else true[ngram] for ngram in ranked]
            assert grams.raw.tolist() == raw
            assert grams.adjusted.tolist() == [
                count if ngram[0] == BOS or grams.order == order else left[ngram]
                for ngram, count in zip(ranked, raw, strict=True)
            ]
            begins = [sum(ngram[0] < word for ngram in ranked) for word in range(BOS + 2)]
            assert grams.starts.tolist() == begins


@settings(max_examples=40, deadline=None)
@given(sentences=sentence_lists, piece=st.integers(1, 30), order=st.integers(1, 5))
def test_a_model_counted_in_pieces_has_the_same_bits(sentences: list[list[int]], piece: int, order: int) -> None:
    whole = estimate_ngrams(join(sentences), EOS, BOS, VOCABULARY, order)
    with small_pieces(piece):
        pieced = estimate_ngrams(join(sentences), EOS, BOS, VOCABULARY, order)
    assert whole.discounts == pieced.discounts and whole.counts == pieced.counts
    for name in ("keys", "log_prob", "log_backoff"):
        for first, second in zip(getattr(whole, name), getattr(pieced, name), strict=True):
            assert first.dtype == second.dtype and first.tobytes() == second.tobytes()


@given(st.lists(st.integers(0, 9), max_size=30), st.integers(1, 12))
def test_pieces_are_as_large_as_they_may_be(counts: list[int], size: int) -> None:
    raw = np.array(counts, np.int32)
    with small_pieces(size):
        cut = list(cut_contexts(raw, 8))
    assert [context for contexts in cut for context in contexts] == list(range(len(counts)))
    for contexts in cut:
        assert len(contexts) == 1 or (len(contexts) <= size and raw[contexts.start : contexts.stop].sum() <= size)
    for contexts, following in zip(cut, cut[1:], strict=False):  # none could take one more
        longer = raw[contexts.start : following.start + 1]
        assert len(longer) > size or longer.sum() > size


@pytest.mark.parametrize("bits", [24, 30])
def test_context_word_and_number_fit_64_bits_whatever_the_vocabulary(bits: int) -> None:
    base = (1 << bits) - 1
    contexts = max(cut_contexts(np.ones((1 << 20) + 5, np.int32), base), key=len)
    assert len(contexts) == {24: 1 << 20, 30: 1 << 17}[bits]
    words = np.full(len(contexts) + 1, base - 1, np.int32)
    words[1::2] = base - 2
    found = pieces.count_piece(Corpus(words, base, -1, 0), np.arange(len(words), dtype=np.int32), contexts)
    np.testing.assert_array_equal(found.key, np.arange(len(contexts)) * base + words[1:])
    np.testing.assert_array_equal(found.suffix, np.arange(1, len(words)))


def zipf_corpus(tokens: int) -> np.ndarray:
    """Sentences of 20 words drawn by Zipf's law."""
    weights = 1 / np.arange(1, 5000)
    words = np.random.default_rng(1).choice(len(weights), tokens, p=weights / weights.sum()).astype(np.int32) + 1
    words[19::20] = EOS
    words[-1] = EOS
    return words


def test_memory_grows_by_what_the_docstring_says(tmp_path) -> None:
    """Counting all at once, in memory, took 160 bytes a token here."""
    peaks, needed = [], []
    for tokens in (50_000, 200_000):
        corpus = zipf_corpus(tokens)
        with small_pieces(4096, 4096):
            tracemalloc.start()
            model = estimate_ngrams(corpus, EOS, 5001, 5001, 5, tmp_path)
            peaks.append(tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
        needed.append(12 * tokens * 21 / 20 + 20 * max(model.counts))
    assert peaks[1] - peaks[0] < 1.3 * (needed[1] - needed[0])
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_names_the_folder(tmp_path) -> None:
    with small_pieces(4096, 4096), largest_file(1000), pytest.raises(OSError) as error:
        estimate_ngrams(zipf_corpus(50_000), EOS, 5001, 5001, 5, tmp_path)
    assert error.value.filename == str(tmp_path) and list(tmp_path.iterdir()) == []


def test_more_tokens_than_ranks_can_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(estimate, "MOST_TOKENS", 3)
    estimate_ngrams(join([[1]]), EOS, BOS, VOCABULARY, 2)
    with pytest.raises(UsageError, match="counts 3 tokens at most, <s> and </s> included; found 4"):
        estimate_ngrams(join([[1, 2]]), EOS, BOS, VOCABULARY, 2)
