"""Gold and predicted classes, counted, in; one picture out: who is taken for whom, and how good each class is."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nntag.errors import UsageError
from nntag.figures import COLOURS, add_legend, new_figure, save_figure

MOST_CLASSES = 24  # rows of the picture; what is rarer is one more row
MOST_WITH_COUNTS = 16  # rows up to which a cell has its count in it
OTHERS = "others"
FEW = 5  # classes that are not ranked


def gather_rare(names: Sequence[str], counts: np.ndarray, most: int = MOST_CLASSES) -> tuple[list[str], np.ndarray]:
    """Most often gold first, and what is rarer as one row and column at the end; few classes stay in their order, which
    may say something. int64[K, K]."""
    order = np.argsort(-counts.sum(axis=1), kind="stable") if len(names) > FEW else np.arange(len(names))
    kept, rest = order[:most], order[most:]
    if not len(rest):
        return [names[number] for number in order], counts[np.ix_(order, order)]
    groups = np.full(len(names), len(kept))
    groups[kept] = np.arange(len(kept))
    gathered = np.zeros((len(kept) + 1, len(kept) + 1), np.int64)
    np.add.at(gathered, (groups[:, None], groups[None, :]), counts)
    return [*(names[number] for number in kept), f"{OTHERS} ({len(rest)})"], gathered


def draw_confusion(names: Sequence[str], counts: np.ndarray, path: Path) -> None:
    """Draws `counts`: int[K, K], rows gold, columns predicted; beside each row precision, recall and F1 of its class.

    Among the classes that one row gathers, what is taken for another of them is wrong all the same. The file's suffix
    is its format. Raises `UsageError` where it cannot be written.
    """
    shown, gathered = gather_rare(names, counts)
    right = gathered.diagonal().copy()
    right[-1] = counts.trace() - right[:-1].sum()
    height = 1.6 + 0.27 * len(shown)
    figure = new_figure(2, size=(3.0 + 0.27 * len(shown) + 3.2, height))
    table, bars = figure.axes
    _draw_table(table, shown, gathered)
    _draw_bars(bars, shown, right, gathered)
    add_legend(figure)
    try:
        save_figure(figure, [path])
    except OSError as error:
        raise UsageError(f"{path}: cannot write --plots: {error.strerror}") from None


def _draw_table(axes: Any, names: Sequence[str], counts: np.ndarray) -> None:
    gold = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, gold, out=np.zeros(counts.shape), where=gold > 0)
    axes.imshow(shares**0.5, cmap="Blues", vmin=0, vmax=1, interpolation="nearest")  # a root: rare errors are seen too
    axes.grid(False)
    places, labels = range(len(names)), [_plain(name) for name in names]
    axes.set_xticks(places, labels, rotation=90, fontsize=7)
    axes.set_yticks(places, labels, fontsize=7)
    axes.set(title="what each gold class is taken for", xlabel="predicted", ylabel="gold")
    if len(names) <= MOST_WITH_COUNTS:
        for row, column in zip(*np.nonzero(counts), strict=True):
            colour = "white" if shares[row, column] > 0.3 else "black"
            axes.text(column, row, str(counts[row, column]), ha="center", va="center", fontsize=5, color=colour)


def _draw_bars(axes: Any, names: Sequence[str], right: np.ndarray, counts: np.ndarray) -> None:
    gold, predicted = counts.sum(axis=1), counts.sum(axis=0)
    f1 = 200 * right / np.maximum(gold + predicted, 1)
    places = np.arange(len(names))
    axes.barh(places, f1, height=0.7, color=COLOURS[5], label="F1")
    for values, of, marker, label in ((right, predicted, "|", "precision"), (right, gold, "o", "recall")):
        known = of > 0
        shares = 100 * values[known] / of[known]
        axes.plot(shares, places[known], marker, color=COLOURS[6], markerfacecolor="none", markersize=5, label=label)
    axes.set_yticks(places, [_plain(name) for name in names], fontsize=7)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.set(title="%; at the right: times it is gold")
    for place, number in zip(places, gold, strict=True):
        axes.annotate(f"{number:,}", (1.01, place), xycoords=("axes fraction", "data"), va="center", fontsize=6)


def _plain(name: str) -> str:
    """A name as it is: matplotlib would read what stands between dollar signs as a formula."""
    return name.replace("$", r"\$")
