"""The epoch logs of several runs in, one picture out: time, loss and scores side by side (needs matplotlib)."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.figures import add_legend, count_whole_numbers, line_style, new_figure, save_figure

Log = Sequence[Mapping[str, Any]]  # one entry per epoch, as in `RUN/log.jsonl`
Curve = list[tuple[int, float]]  # epochs and values


def find_panels(logs: Sequence[Log]) -> dict[str, str]:
    """Heading of each panel -> the key of its values: what at least one run has logged.

    With the training score they are the panels of Tsakalos 2017, Figures 5.1-5.6.
    """
    keys = dict.fromkeys(key for log in logs for entry in log for key in entry)
    panels = {"seconds an epoch": "seconds", "training loss (nats)": "loss_nats"}
    scores = [key for key in keys if key.startswith(("train_", "dev_"))]
    panels |= {f"{split} {name.replace('_', ' ')}": key for key in scores for split, _, name in [key.partition("_")]}
    return {heading: key for heading, key in panels.items() if key in keys}


def draw_epochs(logs: Mapping[str, Sequence[Log]], paths: Iterable[Path], means: bool = False) -> list[Path]:
    """A line for each run in each panel; the runs under one label share its colour.

    With `means`, one line for each label: the mean of its runs in a band from the lowest to the highest; runs that
    stopped early count up to their last epoch. The suffixes of `paths` give the formats; returns the paths.
    """
    panels = find_panels([log for group in logs.values() for log in group])
    figure = new_figure(len(panels))
    for panel, (heading, key) in zip(figure.axes, panels.items(), strict=True):
        panel.set(title=heading, xlabel="epoch")
        count_whole_numbers(panel)
        for number, (label, group) in enumerate(logs.items()):
            curves = [[(entry["epoch"], entry[key]) for entry in log if entry.get(key) is not None] for log in group]
            _draw_group(panel, label, [curve for curve in curves if curve], number, means)
    if len(logs) == 1:
        figure.suptitle(next(iter(logs)), fontsize=11)
    add_legend(figure)
    return save_figure(figure, paths)


def _draw_group(panel: Any, label: str, curves: Sequence[Curve], number: int, means: bool) -> None:
    style = line_style(number)
    if not means:
        for place, curve in enumerate(curves):
            panel.plot(*zip(*curve, strict=True), label=label if place == 0 else None, marker=".", **style)
        return
    draw_band(panel, label, curves, number, ".")


def draw_band(panel: Any, label: str, curves: Sequence[Curve], number: int, marker: str = "") -> None:
    """A line through the means of the curves, in a band from the lowest to the highest.

    It goes as far as the longest curve; shorter ones count only up to their end.
    """
    by_epoch: dict[int, list[float]] = {}
    for epoch, value in (point for curve in curves for point in curve):
        by_epoch.setdefault(epoch, []).append(value)
    epochs = sorted(by_epoch)
    if not epochs:
        return
    marker = "." if len(epochs) == 1 else marker  # one point makes no line
    means = [statistics.fmean(by_epoch[epoch]) for epoch in epochs]
    panel.plot(epochs, means, label=label, marker=marker, **line_style(number))
    lows, highs = [min(by_epoch[epoch]) for epoch in epochs], [max(by_epoch[epoch]) for epoch in epochs]
    panel.fill_between(epochs, lows, highs, color=line_style(number)["color"], alpha=0.15, linewidth=0)
