"""Plots of trained systems: their runs' curves and scores in, PNG and SVG files out (needs matplotlib)."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.commands.epoch_plots import draw_band
from nntag.figures import add_legend, both_formats, count_whole_numbers, line_style, new_figure, save_figure

MARGIN = 0.08  # of the range of the measured points, left free around them


@dataclass(frozen=True)
class RunCurve:
    """One run: a score and a training loss for each epoch (no losses: a model that is not trained by epochs)."""

    epochs: tuple[int, ...]
    scores: tuple[float, ...]
    losses_nats: tuple[float, ...]
    best: float


@dataclass(frozen=True)
class TrainedSystem:
    """One system with its runs, one a seed."""

    label: str
    series: str
    axes: Mapping[str, Any]  # its place in the grid
    runs: tuple[RunCurve, ...]
    published: float | None = None


def draw_learning_curves(systems: Sequence[TrainedSystem], title: str, score: str, stem: Path) -> list[Path]:
    """Dev score and training loss by epoch: means over the seeds, with a band from the lowest to the highest.

    Where rows meet a grid, each value of its first axis has panels of its own.
    """
    axis = next(iter(systems[0].axes), None) if len({s.series for s in systems}) > 1 else None
    values = list(dict.fromkeys(system.axes[axis] for system in systems)) if axis else [None]
    figure = new_figure(len(values), 2)
    for number, value in enumerate(values):
        chosen = [system for system in systems if axis is None or system.axes[axis] == value]
        heading = f"{axis} {value}" if axis else ""
        for row, (what, get) in enumerate(((score, _scores), ("training loss (nats)", _losses))):
            panel = figure.axes[row * len(values) + number]
            panel.set(title=heading if row == 0 else "", xlabel="epoch", ylabel=what)
            count_whole_numbers(panel)
            for index, system in enumerate(chosen):
                curves = [list(zip(run.epochs, get(run), strict=False)) for run in system.runs]
                draw_band(panel, _name_in_panel(system, axis), curves, index)
    return _save(figure, title, stem)


def _name_in_panel(system: TrainedSystem, axis: str | None) -> str:
    """The system without the axis that the panel stands for, which may leave other axes that tell systems apart."""
    if axis is None:
        return system.label
    others = [f"{key.rpartition('.')[2]} {value}" for key, value in system.axes.items() if key != axis]
    return ", ".join([system.series, *others])


def draw_scores(systems: Sequence[TrainedSystem], title: str, score: str, stem: Path) -> list[Path]:
    """The best dev score of every run, with mean and standard deviation; published figures as crosses.

    Along an axis of the grid with numbers, lines; otherwise one row a system. The axes fit what is drawn.
    """
    axis = next((key for key in systems[0].axes if all(_is_number(system.axes[key]) for system in systems)), None)
    figure = new_figure(1, 1, (6.4, max(3.2, 0.5 + 0.34 * len(systems)) if axis is None else 4.2))
    panel = figure.axes[0]
    if axis is None:
        panel.set(xlabel=score, yticks=range(len(systems)), yticklabels=[system.label for system in systems])
        panel.invert_yaxis()
        for number, system in enumerate(systems):
            _draw_spread(panel, number, system, 0, upright=False)
    else:
        panel.set(xlabel=axis, ylabel=score, xticks=sorted({system.axes[axis] for system in systems}))
        lines: dict[str, list[TrainedSystem]] = {}
        for system in systems:
            name = _name_in_panel(system, axis) if system.series != system.label else ""
            lines.setdefault(name, []).append(system)
        for index, (label, members) in enumerate(lines.items()):
            means = [statistics.fmean(run.best for run in system.runs) for system in members]
            panel.plot([system.axes[axis] for system in members], means, label=label or None, **line_style(index))
            for system in members:
                _draw_spread(panel, system.axes[axis], system, index, upright=True)
    _fit_axis(panel, systems, upright=axis is not None)
    return _save(figure, title, stem)


def _fit_axis(panel: Any, systems: Sequence[TrainedSystem], upright: bool) -> None:
    """The axis of the scores from the lowest to the highest point, not as far as an error bar happens to reach."""
    points = [run.best for system in systems for run in system.runs]
    points += [system.published for system in systems if system.published is not None]
    low, high = min(points), max(points)
    free = MARGIN * (high - low) or 1.0
    (panel.set_ylim if upright else panel.set_xlim)(low - free, high + free)


def _scores(run: RunCurve) -> tuple[float, ...]:
    return run.scores


def _losses(run: RunCurve) -> tuple[float, ...]:
    return run.losses_nats


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _draw_spread(panel: Any, place: float, system: TrainedSystem, index: int, upright: bool) -> None:
    """A dot for every run, mean and deviation as a bar, the published figure as a cross."""
    colour, scores = line_style(index)["color"], [run.best for run in system.runs]
    deviation = statistics.stdev(scores) if len(scores) > 1 else 0.0
    mean = statistics.fmean(scores)
    marks: list[tuple[list[float], str, int]] = [(scores, ".", 5), ([mean], "o", 6)]
    if system.published is not None:
        marks.append(([system.published], "x", 7))
    for values, marker, size in marks:
        places = [place] * len(values)
        x, y = (places, values) if upright else (values, places)
        panel.plot(x, y, marker=marker, markersize=size, linestyle="", color=colour, alpha=0.5 if marker == "." else 1)
    bar = {"yerr": deviation} if upright else {"xerr": deviation}
    panel.errorbar(*((place, mean) if upright else (mean, place)), **bar, color=colour, capsize=3, linestyle="")


def _save(figure: Any, title: str, stem: Path) -> list[Path]:
    figure.suptitle(title, fontsize=11)
    add_legend(figure)
    return save_figure(figure, both_formats(stem))
