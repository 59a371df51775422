"""Adjusted counts in, interpolated modified Kneser-Ney probabilities and backoff weights out, one order at a time.

The equations are numbered in `model.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nntag.language_models.ngram.count import NgramCounts

FALLBACK_DISCOUNTS = (0.5, 1.0, 1.5)  # lmplz's --discount_fallback, for orders whose counts of counts give none
_BLOCK = 1 << 20  # n-grams looked at at a time where all are

Discounts = tuple[float, float, float]  # D1, D2 and D3+


class Smoothed(NamedTuple):
    """A piece of one order: the k-grams whose contexts lie in one range of ranks."""

    ngrams: range  # their ranks
    probability: NDArray[np.float64]  # [ngrams] p(last word | context), interpolated with all lower orders
    log_gamma: NDArray[np.float32]  # [contexts] ln of the weight of the lower order, 0 where no k-gram continues it


def estimate_discounts(grams: NgramCounts) -> Discounts:
    """D1, D2 and D3+ from the number of n-grams with adjusted count 1, 2, 3 and 4.

    ours, as lmplz with --discount_fallback: where a small or artificial corpus has no n-gram of count 1, 2 or 3, or
    a discount would not be positive, or be above its count, the order takes `FALLBACK_DISCOUNTS`, with a warning.
    """
    if not len(grams.adjusted):  # no sentence is that long
        return FALLBACK_DISCOUNTS
    n = np.zeros(6, np.int64)
    for begin in range(0, len(grams.adjusted), _BLOCK):
        n += np.bincount(np.minimum(grams.adjusted[begin : begin + _BLOCK], 5), minlength=6)
    if grams.last >= 0:  # what lmplz does, see `count._find_last`
        n[min(grams.adjusted[grams.last], 5)] -= 1
        n[min(grams.raw[grams.last], 5)] += 1
    if n[1:4].all():
        y = n[1] / (n[1] + 2 * n[2])  # eq. 1
        one, two, three = (float(c - (c + 1) * y * n[c + 1] / n[c]) for c in (1, 2, 3))  # eq. 1
        if 0 < one <= 1 and 0 < two <= 2 and 0 < three <= 3:
            return one, two, three
    logging.getLogger("nntag").warning(
        "the counts of %d-grams give no Kneser-Ney discounts (%d, %d, %d, %d have count 1 to 4): using %g, %g and %g",
        grams.order, *n[1:5], *FALLBACK_DISCOUNTS,
    )  # fmt: skip
    return FALLBACK_DISCOUNTS


def smooth_unigrams(grams: NgramCounts, is_predicted: NDArray[np.bool_], discounts: Discounts) -> NDArray[np.float64]:
    """float[V]: p(w), interpolated with the uniform distribution over all words but <s>, whose p is 0."""
    adjusted = grams.adjusted
    taken = np.array([0.0, *discounts])[np.minimum(adjusted, 3)]
    total = adjusted.sum(dtype=np.int64)
    gamma = taken.sum() / total
    return np.where(is_predicted, (adjusted - taken) / total + gamma / is_predicted.sum(), 0.0)  # eq. 4


def smooth_order(grams: NgramCounts, base: int, discounts: Discounts, lower: NDArray[np.float64]) -> Iterator[Smoothed]:
    """The probabilities of one order k > 1 from those of order k - 1 (`lower`), in the pieces that were counted."""
    for contexts, ngrams in grams.pieces:
        adjusted = grams.adjusted[ngrams.start : ngrams.stop]
        context = grams.key.read(ngrams.start, ngrams.stop) // base - contexts.start
        starts = np.flatnonzero(np.diff(context, prepend=-1))
        taken = np.array([0.0, *discounts])[np.minimum(adjusted, 3)]
        log_gamma = np.zeros(len(contexts), np.float32)
        if not len(starts):  # none of these contexts is continued
            yield Smoothed(ngrams, np.empty(0), log_gamma)
            continue
        total = np.add.reduceat(adjusted, starts, dtype=np.int64).astype(np.float64)
        # D1 N1 + D2 N2 + D3+ N3+ of a context is the sum of what was taken from its n-grams
        gamma = np.add.reduceat(taken, starts) / total  # eq. 3
        log_gamma[context[starts]] = np.log(gamma)
        sizes = np.diff(starts, append=len(context))
        probability = (adjusted - taken) / np.repeat(total, sizes)  # eq. 2
        probability += np.repeat(gamma, sizes) * lower[grams.suffix.read(ngrams.start, ngrams.stop)]  # eq. 2
        yield Smoothed(ngrams, probability, log_gamma)
