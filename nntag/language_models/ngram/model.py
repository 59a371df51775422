"""An interpolated modified Kneser-Ney n-gram model and token ids in, log-probabilities out; see `estimate.py`.

Papers: Kneser & Ney 1995; Chen & Goodman 1998 (the modified form); Heafield, Pouzyrevsky, Clark & Koehn 2013 (sentence
borders, lmplz). Tran, Bisazza & Monz 2016 compare their networks with such a model of order 5.

With h = the k-1 words before w, h' = h without its first word, a(hw) = the adjusted count of the n-gram hw (see
`count.py`) and n_c = the number of k-grams with adjusted count c:

    Y = n_1 / (n_1 + 2 n_2),  D_c = c - (c+1) Y n_{c+1} / n_c  for c = 1, 2 and 3 (used for all counts >= 3)     (1)
    p(w | h) = (a(hw) - D(a(hw))) / sum_v a(hv) + gamma(h) p(w | h')                                         (2)
    gamma(h) = sum_v D(a(hv)) / sum_v a(hv)                                                                  (3)
    p(w) = (a(w) - D(a(w))) / sum_v a(v) + gamma / V,   V = all words but <s>                                (4)

Stored are, as in an ARPA file, ln p(w | h) of every n-gram seen and ln gamma(h) of every context. The probability of an
n-gram that was not seen is gamma(h) p(w | h'), and p(w | h') alone where h was not seen either.

Symbols: D -> `discounts`, p -> `log_prob`, gamma -> `log_backoff`, h -> context (prefix), h' -> suffix.

Where this differs from the paper: Tran et al. do not say which toolkit or discounts they used; this equals lmplz of
kenlm (n-grams and discounts exactly, probabilities to float32), without pruning. kenlm always adds a word <unk>, even
to a corpus that has one as an ordinary word; here the vocabulary is the caller's, which moves 1/V in equation 4.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nntag.language_models.ngram.count import insert_bos
from nntag.language_models.ngram.storage import Arrays, read_model, write_model

LOG_ZERO = -99 * math.log(10)  # ln p of <s>, which is never predicted; ARPA files write log10 p = -99
_CHUNK = 1 << 20  # tokens scored at a time


@dataclass(frozen=True, eq=False)
class NgramModel:
    """The model; index 0 of each list belongs to the unigrams. Arrays may be memory-mapped and are never written to."""

    vocab_size: int  # ids are 0 .. vocab_size - 1, <s> among them or not
    bos: int  # the id of <s>; vocab_size where the vocabulary has none
    eos: int
    keys: list[NDArray[np.int64]]  # [n_k] rank of the context * base + word, ascending; unigrams: empty (key = id)
    log_prob: list[NDArray[np.float32]]  # [n_k] nats
    log_backoff: list[NDArray[np.float32]]  # [n_k] nats, 0 where nothing continues the n-gram; one list entry less
    discounts: list[tuple[float, float, float]]  # D1, D2, D3+; empty for a model that was imported

    @property
    def order(self) -> int:
        """Words of the longest n-grams."""
        return len(self.log_prob)

    @property
    def base(self) -> int:
        """What separates context and word in a key: one more than the greatest id."""
        return max(self.vocab_size, self.bos + 1)

    @property
    def counts(self) -> list[int]:
        """The number of n-grams of each order, <s> counted among the unigrams."""
        return [len(log_prob) for log_prob in self.log_prob]

    def log_probs(self, ids: NDArray[np.integer]) -> NDArray[np.float64]:
        """float64[N]: ln p(last | others) for each row of `ids: int[N, context + 1]`, padded with -1 on the left."""
        words = np.asarray(ids)
        is_first = np.zeros(words.shape, bool)
        is_first[:, 0] = True
        return self._score(words.ravel(), is_first.ravel())[0].reshape(words.shape)[:, -1]

    def token_nats(self, tokens: NDArray[np.integer]) -> NDArray[np.float64]:
        """float64[N]: -ln p of every token of sentences that each end with </s> (predicted and counted too)."""
        nats = np.empty(len(tokens))
        for begin, end in self._split_at_sentences(tokens):
            words = insert_bos(tokens[begin:end], self.bos, self.eos)
            is_bos = words == self.bos
            nats[begin:end] = -self._score(words, is_bos)[0][~is_bos]
        return nats

    def ngram_lengths(self, tokens: NDArray[np.integer]) -> NDArray[np.int64]:
        """int64[N]: of every token of sentences that each end with </s>, the words of the longest n-gram of the model
        that ends there, <s> counted; its probability is the stored one of that n-gram, after the back-offs."""
        words = insert_bos(tokens, self.bos, self.eos)
        is_bos = words == self.bos
        return self._score(words, is_bos)[1][~is_bos]

    def score_sentences(self, tokens: NDArray[np.integer]) -> NDArray[np.float64]:
        """float64[S]: the nats of each whole sentence, </s> included."""
        if not len(tokens):
            return np.empty(0)
        ends = np.flatnonzero(np.asarray(tokens) == self.eos)
        return np.add.reduceat(self.token_nats(tokens), np.concatenate([[0], ends[:-1] + 1]))

    def distribution(self, context: Sequence[int]) -> NDArray[np.float64]:
        """float64[base]: p(w | context) of every word; a context at a sentence's start begins with <s>."""
        history = list(context)[max(0, len(context) - self.order + 1) :]
        probability = np.exp(np.asarray(self.log_prob[0], np.float64))
        for begin in range(len(history) - 1, -1, -1):
            rank = self._find_rank(history[begin:])
            if rank < 0:
                break
            k = len(history) - begin
            keys = self.keys[k]
            first, last = np.searchsorted(keys, [rank * self.base, (rank + 1) * self.base])
            probability *= math.exp(self.log_backoff[k - 1][rank])
            probability[keys[first:last] % self.base] = np.exp(np.asarray(self.log_prob[k][first:last], np.float64))
        probability[self.bos] = 0.0
        return probability

    def list_ngrams(self, order: int, begin: int, end: int) -> NDArray[np.int64]:
        """int64[end - begin, order]: the words of the n-grams of these ranks."""
        ids = np.empty((end - begin, order), np.int64)
        rank = np.arange(begin, end)
        for k in range(order - 1, 0, -1):
            rank, ids[:, k] = np.divmod(self.keys[k][rank], self.base)
        ids[:, 0] = rank
        return ids

    def save(self, folder: Path) -> None:
        """Writes the model's files into the folder, which exists; raises OSError."""
        about = {"discounts": self.discounts, "vocab_size": self.vocab_size, "bos": self.bos, "eos": self.eos}
        write_model(folder, about, Arrays(self.keys, self.log_prob, self.log_backoff))

    @classmethod
    def load(cls, folder: Path, thorough: bool = False) -> NgramModel:
        """The model of `save`, memory-mapped. Raises RunError where it is missing, damaged or of another format."""
        about, arrays = read_model(folder, thorough)
        discounts = [tuple(triple) for triple in about["discounts"]]
        return cls(about["vocab_size"], about["bos"], about["eos"], *arrays, discounts)

    def _score(
        self, words: NDArray[np.integer], is_first: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """float64[N]: ln p of each word after those before it, back to the last one that `is_first` (0 for id -1); and
        int64[N]: the length of the n-gram that was found for it."""
        base = self.base
        words = words.astype(np.int64)
        score = np.where(words >= 0, self.log_prob[0][words], 0.0).astype(np.float64)
        lengths = np.ones(len(words), np.int64)
        ranks = words  # of the k-gram that ends at each position; -1: not seen, or begins before the sentence
        for k in range(1, self.order):
            ends = np.flatnonzero((ranks[:-1] >= 0) & ~is_first[1:] & (words[1:] >= 0)) + 1
            contexts = ranks[ends - 1]
            found = search_keys(self.keys[k], contexts * base + words[ends])
            seen = found >= 0
            score[ends[seen]] = self.log_prob[k][found[seen]]
            lengths[ends[seen]] = k + 1
            score[ends[~seen]] += self.log_backoff[k - 1][contexts[~seen]]
            ranks = np.full(len(words), -1, np.int64)
            ranks[ends] = found
        return score, lengths

    def _find_rank(self, ngram: Sequence[int]) -> int:
        """The rank of one n-gram, -1 if it was not seen."""
        rank = ngram[0]
        for k, word in enumerate(ngram[1:], 1):
            rank = int(search_keys(self.keys[k], np.array([rank * self.base + word]))[0])
            if rank < 0:
                break
        return rank

    def _split_at_sentences(self, tokens: NDArray[np.integer]) -> Iterator[tuple[int, int]]:
        """(begin, end) of pieces that end where a sentence ends, each of about `_CHUNK` tokens."""
        begin = 0
        while begin < len(tokens):
            end = begin + _CHUNK
            while end < len(tokens) and tokens[end - 1] != self.eos:
                end += 1
            yield begin, min(end, len(tokens))
            begin = end


def search_keys(keys: NDArray[np.int64], wanted: NDArray[np.int64]) -> NDArray[np.int64]:
    """int64[N]: the position of each wanted key, -1 where it is absent."""
    if not len(keys):
        return np.full(len(wanted), -1, np.int64)
    at = np.searchsorted(keys, wanted)
    at[keys[np.minimum(at, len(keys) - 1)] != wanted] = -1
    return at
