"""Figures of two systems on the same items, as sums of the items, so that a comparison can resample them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class PairedFigure:
    """One figure of two systems on the same K items (sentences, trees, questions), as sums that a resampling adds up.

    `compute` makes the figure of summed columns: float64[..., C] -> float64[...]. Where single answers are right or
    wrong, `right` has them for both systems: bool[N], in the same order.
    """

    name: str  # "accuracy", "perplexity"
    unit: str  # what is resampled: "sentences"
    sums: tuple[np.ndarray, np.ndarray]  # float64[K, C] of each system
    compute: Callable[[np.ndarray], np.ndarray]
    right: tuple[np.ndarray, np.ndarray] | None = None
    answers: str = ""  # what `right` has one of: "tokens"
    higher_is_better: bool = True
    percent: bool = True


def share(sums: np.ndarray) -> np.ndarray:
    """float64[...]: the first column over the second, as an accuracy is."""
    return sums[..., 0] / sums[..., 1]


def compare_accuracy(
    name: str, unit: str, answers: str, right: tuple[Sequence[Sequence[bool]], Sequence[Sequence[bool]]]
) -> PairedFigure:
    """The accuracy of two systems, from what is right or wrong in each item."""
    flat = tuple(np.array([answer for item in system for answer in item], bool) for system in right)
    sums = tuple(np.array([[sum(item), len(item)] for item in system], float) for system in right)
    return PairedFigure(name, unit, (sums[0], sums[1]), share, (flat[0], flat[1]), answers)
