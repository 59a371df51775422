"""Mean attention by position of several systems in, one picture out: Figure 3 of Tran 2016 (needs matplotlib)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.commands.epoch_plots import draw_band
from nntag.figures import add_legend, both_formats, count_whole_numbers, new_figure, save_figure

Positions = Sequence[Mapping[str, Any]]  # as `mean_by_position` gives them


def draw_attention(runs: Mapping[tuple[str, str], Sequence[Positions]], title: str, stem: Path) -> list[Path]:
    """A panel for each system, and in it a line for each data folder: the mean over its runs in a band.

    `runs`: the positions of every run of a system (first name) on its data (second name). Predictions with a full
    window count where there are any.
    """
    systems = list(dict.fromkeys(system for system, _ in runs))
    names = list(dict.fromkeys(data for _, data in runs))
    figure = new_figure(len(systems))
    for panel, system in zip(figure.axes, systems, strict=True):
        panel.set(title=system, xlabel="position before the word to predict", ylabel="mean attention")
        count_whole_numbers(panel)
        for number, data in enumerate(names):
            draw_band(panel, data or system, [_curve(run) for run in runs.get((system, data), [])], number, ".")
    top = max(panel.get_ylim()[1] for panel in figure.axes)
    for panel in figure.axes:  # to be compared with each other
        panel.set_ylim(0, top)
    figure.suptitle(title, fontsize=11)
    add_legend(figure)
    return save_figure(figure, both_formats(stem))


def _curve(rows: Positions) -> list[tuple[int, float]]:
    key = "mean_full_window" if rows[0]["mean_full_window"] is not None else "mean"
    return [(row["position"], row[key] or 0.0) for row in rows]
