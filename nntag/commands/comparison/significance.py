"""Is one system better than another? What both made of the same items in; p-values and intervals out.

McNemar's test (McNemar 1947; the correction is Edwards's, 1948) asks whether the answers that only one of two systems
has right are shared out evenly. The paired bootstrap (Efron & Tibshirani 1993; for systems Koehn 2004) draws items with
replacement and looks at how a figure of both, on the same draw, differs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from nntag.training.paired_figures import PairedFigure

FEW = 25  # discordant pairs below which the chi-squared distribution is no good approximation
COVERAGE = 0.95  # of intervals
_BLOCK = 4_000_000  # numbers drawn at a time


@dataclass(frozen=True)
class McNemar:
    """The answers of two systems, by who has them right, and how likely such a split is if both are equally good."""

    both: int
    only_first: int
    only_second: int
    neither: int

    @property
    def discordant(self) -> int:
        """Answers that only one of the two has right."""
        return self.only_first + self.only_second

    @property
    def is_exact(self) -> bool:
        """Whether the binomial distribution is used, and not the chi-squared one."""
        return self.discordant < FEW

    @property
    def test(self) -> str:
        """What the p-value comes from."""
        return "exact binomial" if self.is_exact else "chi-squared with continuity correction"

    @property
    def statistic(self) -> float | None:
        """(|b - c| - 1)^2 / (b + c), which has one degree of freedom; none where the test is exact."""
        if self.is_exact:
            return None
        return max(0, abs(self.only_first - self.only_second) - 1) ** 2 / self.discordant

    @property
    def p(self) -> float:
        """Two-sided."""
        if self.statistic is not None:
            return math.erfc(math.sqrt(self.statistic / 2))
        fewer = min(self.only_first, self.only_second)
        below = sum(math.comb(self.discordant, k) for k in range(fewer + 1))
        return min(1.0, 2 * below / 2**self.discordant)

    @property
    def odds_ratio(self) -> float | None:
        """How many answers only the second system has right for each that only the first has; None without any."""
        return self.only_second / self.only_first if self.only_first else None


def count_agreement(first: np.ndarray, second: np.ndarray) -> McNemar:
    """From `first` and `second`: bool[N], whether each system has each answer right."""
    return McNemar(
        int((first & second).sum()),
        int((first & ~second).sum()),
        int((~first & second).sum()),
        int((~first & ~second).sum()),
    )


@dataclass(frozen=True)
class Bootstrap:
    """The difference of a figure, second system less first, over the draws."""

    low: float  # of the percentile interval
    high: float
    p: float  # two-sided: how seldom a draw has the sign of the difference turned round, or no difference


def bootstrap(figure: PairedFigure, resamples: int, seed: int) -> Bootstrap:
    """Draws the items `resamples` times with replacement, both systems on the same draw.

    The interval is that of the percentiles; p is 2 (1 + m) / (1 + resamples), at most 1, where m counts the draws on
    the rarer side of no difference, those without a difference counted on both.
    """
    first, second = figure.sums
    items, columns = first.shape
    both = np.concatenate([first, second], axis=1)
    generator = np.random.default_rng(seed)
    differences = np.empty(resamples)
    block = max(1, _BLOCK // items)
    for start in range(0, resamples, block):
        size = min(block, resamples - start)
        drawn = generator.integers(items, size=(size, items)) + items * np.arange(size)[:, None]
        counts = np.bincount(drawn.ravel(), minlength=size * items).reshape(size, items)
        sums = counts.astype(float) @ both
        differences[start : start + size] = figure.compute(sums[:, columns:]) - figure.compute(sums[:, :columns])
    rarer = min(int((differences <= 0).sum()), int((differences >= 0).sum()))
    low, high = np.quantile(differences, [(1 - COVERAGE) / 2, (1 + COVERAGE) / 2])
    return Bootstrap(float(low), float(high), min(1.0, 2 * (1 + rarer) / (1 + resamples)))
