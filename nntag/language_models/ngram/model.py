"""Token ids in, an interpolated modified Kneser-Ney n-gram model out, and its log-probabilities of other tokens.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nntag.errors import RunError, UsageError
from nntag.files import replace_file
from nntag.json_files import read_json, write_json
from nntag.language_models.ngram.arrays import map_arrays, write_arrays
from nntag.language_models.ngram.count import count_ngrams, insert_bos
from nntag.language_models.ngram.kneser_ney import estimate_discounts, smooth_order, smooth_unigrams
from nntag.manifest import ALWAYS_READ, FILE, check_file, describe_file, open_seal, seal_json
from nntag.progress import ProgressCallback, ignore_progress
from nntag.schema import Columns, Real, Record, Rows, Text, Whole

LOG_ZERO = -99 * math.log(10)  # ln p of <s>, which is never predicted; ARPA files write log10 p = -99
ABOUT, WEIGHTS = "ngram.json", "model.safetensors"
_FORMAT = 1
_SCHEMA = Record(
    {
        "format": Whole(),
        "order": Whole(1, 100),
        "counts": Rows(Whole(), 1),
        "discounts": Rows(Columns((Real(), Real(), Real()))),
        "vocab_size": Whole(1),
        "bos": Whole(),
        "eos": Whole(),
    },
    {"weights": FILE, "sha256": Text()},
)
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

    @classmethod
    def estimate(
        cls,
        tokens: NDArray[np.integer],
        eos: int,
        bos: int,
        vocab_size: int,
        order: int = 5,
        progress: ProgressCallback = ignore_progress,
    ) -> NgramModel:
        """The model of sentences that each end with `eos` and do not hold `bos`, whose id may be `vocab_size`.

        `tokens` may be memory-mapped and of any integer type. Needs about 45 bytes a token, and 16 to 24 an n-gram.
        Raises UsageError for an order below 1 or no tokens, ValueError for ids outside the vocabulary.
        """
        if order < 1:
            raise UsageError(f"order must be at least 1, not {order}")
        if not len(tokens):
            raise UsageError("an n-gram model needs at least one training sentence")
        if int(tokens.min()) < 0 or int(tokens.max()) >= vocab_size:
            raise ValueError(f"token ids must lie in 0 .. {vocab_size - 1}")
        model = cls(vocab_size, bos, eos, [], [], [], [])
        base = model.base
        lower = np.empty(0)
        for grams in count_ngrams(insert_bos(tokens, bos, eos), order, base, bos, eos, progress):
            discounts = estimate_discounts(grams)
            if grams.order == 1:
                lower = smooth_unigrams(grams, np.arange(base) != bos, discounts)
            else:
                lower, contexts, gamma = smooth_order(grams, base, discounts, lower)
                model.log_backoff[-1][contexts] = np.log(gamma)
            model.keys.append(grams.key if grams.order > 1 else np.empty(0, np.int64))
            model.log_prob.append(_log(lower))
            if grams.order < order:
                model.log_backoff.append(np.zeros(len(lower), np.float32))
            model.discounts.append(discounts)
        return model

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
        """Writes `ngram.json` and, last, `model.safetensors` into the folder, which exists; raises OSError."""
        arrays: dict[str, NDArray] = {}
        for k in range(1, self.order + 1):
            arrays[f"{k}.log_prob"] = self.log_prob[k - 1]
            if k > 1:
                arrays[f"{k}.key"] = self.keys[k - 1]
            if k < self.order:
                arrays[f"{k}.log_backoff"] = self.log_backoff[k - 1]
        about = {"format": _FORMAT, "order": self.order, "counts": self.counts, "discounts": self.discounts}
        about |= {"vocab_size": self.vocab_size, "bos": self.bos, "eos": self.eos}
        with replace_file(Path(folder) / WEIGHTS) as partial:
            write_arrays(partial, arrays)
            about["weights"] = describe_file(partial)
            with replace_file(Path(folder) / ABOUT) as partial_about:
                write_json(partial_about, seal_json(about))

    @classmethod
    def load(cls, folder: Path, thorough: bool = False) -> NgramModel:
        """The model of `save`, memory-mapped. Raises RunError where it is missing, damaged or of another format."""
        path = Path(folder) / ABOUT
        about = open_seal(read_json(path, _SCHEMA, "the description of an n-gram model"), path)
        weights = path.with_name(WEIGHTS)
        if "weights" in about:
            check_file(weights, about["weights"], "estimate the n-gram model again", thorough)
        try:
            if about["format"] != _FORMAT:
                raise ValueError(f"its format is {about['format']}, this version reads {_FORMAT}")
            arrays = map_arrays(weights)
            keys = [np.empty(0, np.int64)] + [arrays[f"{k}.key"] for k in range(2, about["order"] + 1)]
            log_prob = [arrays[f"{k}.log_prob"] for k in range(1, about["order"] + 1)]
            log_backoff = [arrays[f"{k}.log_backoff"] for k in range(1, about["order"])]
            discounts = [tuple(triple) for triple in about["discounts"]]
            model = cls(about["vocab_size"], about["bos"], about["eos"], keys, log_prob, log_backoff, discounts)
            if model.counts != about["counts"]:
                raise ValueError("ngram.json and model.safetensors belong to different models")
            model._check(thorough or weights.stat().st_size <= ALWAYS_READ)
            return model
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise RunError(f"{path}: cannot load the n-gram model: {error}") from error

    def _check(self, thorough: bool) -> None:
        """Raises `ValueError` for arrays that do not fit each other or, if `thorough`, hold what no model can hold."""
        kinds: list[tuple[list[Any], type]] = [
            (self.keys, np.int64),
            (self.log_prob, np.float32),
            (self.log_backoff, np.float32),
        ]
        if any(array.dtype != kind for arrays, kind in kinds for array in arrays):
            raise ValueError("an array is of another type")
        if not (self.eos < self.vocab_size and self.bos <= self.vocab_size and self.counts[0] == self.base):
            raise ValueError("its sizes do not fit its words")
        lengths = [[0, *self.counts[1:]], self.counts, self.counts[:-1]]
        if any([len(array) for array in arrays] != wanted for (arrays, _), wanted in zip(kinds, lengths, strict=True)):
            raise ValueError("its arrays have other lengths than they must have")
        if not thorough:
            return
        for k, keys in enumerate(self.keys[1:], 1):
            inside = not len(keys) or (keys[0] >= 0 and keys[-1] < self.counts[k - 1] * self.base)
            if not inside or not (keys[1:] > keys[:-1]).all():
                raise ValueError(f"its {k + 1}-grams are not in order")
        if not all(np.isfinite(array).all() for array in (*self.log_prob, *self.log_backoff)):
            raise ValueError("a probability is not a finite number")

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


def _log(probability: NDArray[np.float64]) -> NDArray[np.float32]:
    log_prob = np.full(len(probability), LOG_ZERO, np.float32)
    return np.log(probability, out=log_prob, where=probability > 0, casting="same_kind")
