"""Plots of trained systems: their runs' curves and scores in, PNG and SVG files out (needs matplotlib)."""

from __future__ import annotations

import importlib.util
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")  # Okabe & Ito
DASHES = ("-", "--", ":", "-.")
PANEL = (4.6, 3.2)  # inches
LEGEND_LETTERS = 84  # what one line of a legend holds at the width of a panel


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


def plots_are_possible() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def draw_learning_curves(systems: Sequence[TrainedSystem], title: str, score: str, stem: Path) -> list[Path]:
    """Dev score and training loss by epoch: means over the seeds, with a band from the lowest to the highest.

    Where rows meet a grid, each value of its first axis has panels of its own.
    """
    from matplotlib.ticker import MaxNLocator

    axis = next(iter(systems[0].axes), None) if len({s.series for s in systems}) > 1 else None
    values = list(dict.fromkeys(system.axes[axis] for system in systems)) if axis else [None]
    figure = _new_figure(len(values), 2)
    for number, value in enumerate(values):
        chosen = [system for system in systems if axis is None or system.axes[axis] == value]
        heading = f"{axis} {value}" if axis else ""
        for row, (what, get) in enumerate(((score, _scores), ("training loss (nats)", _losses))):
            panel = figure.axes[row * len(values) + number]
            panel.set(title=heading if row == 0 else "", xlabel="epoch", ylabel=what)
            panel.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
            for index, system in enumerate(chosen):
                _draw_band(panel, system.label if axis is None else system.series, system.runs, get, index)
    return _save(figure, title, stem)


def draw_scores(systems: Sequence[TrainedSystem], title: str, score: str, stem: Path) -> list[Path]:
    """The best dev score of every run, with mean and standard deviation; published figures as crosses.

    Along an axis of the grid with numbers, lines; otherwise one row a system.
    """
    axis = next((key for key in systems[0].axes if all(_is_number(system.axes[key]) for system in systems)), None)
    figure = _new_figure(1, 1, (6.4, max(3.2, 0.5 + 0.34 * len(systems)) if axis is None else 4.2))
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
            others = [f"{key} {value}" for key, value in system.axes.items() if key != axis]
            name = ", ".join([system.series, *others]) if system.series != system.label else ""
            lines.setdefault(name, []).append(system)
        for index, (label, members) in enumerate(lines.items()):
            means = [statistics.fmean(run.best for run in system.runs) for system in members]
            panel.plot([system.axes[axis] for system in members], means, label=label or None, **_style(index))
            for system in members:
                _draw_spread(panel, system.axes[axis], system, index, upright=True)
    return _save(figure, title, stem)


def _scores(run: RunCurve) -> tuple[float, ...]:
    return run.scores


def _losses(run: RunCurve) -> tuple[float, ...]:
    return run.losses_nats


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _style(index: int) -> dict[str, Any]:
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index // len(COLOURS) % len(DASHES)]}


def _draw_band(
    panel: Any, label: str, runs: Sequence[RunCurve], get: Callable[[RunCurve], tuple[float, ...]], index: int
) -> None:
    """Means as far as any run goes; runs that stopped early count as long as they ran."""
    by_epoch: dict[int, list[float]] = {}
    for run in runs:
        for epoch, value in zip(run.epochs, get(run), strict=False):
            by_epoch.setdefault(epoch, []).append(value)
    epochs = sorted(by_epoch)
    if not epochs:
        return
    marker = "." if len(epochs) == 1 else ""  # one point makes no line
    means = [statistics.fmean(by_epoch[epoch]) for epoch in epochs]
    panel.plot(epochs, means, label=label, marker=marker, **_style(index))
    lows, highs = [min(by_epoch[epoch]) for epoch in epochs], [max(by_epoch[epoch]) for epoch in epochs]
    panel.fill_between(epochs, lows, highs, color=_style(index)["color"], alpha=0.15, linewidth=0)


def _draw_spread(panel: Any, place: float, system: TrainedSystem, index: int, upright: bool) -> None:
    """A dot for every run, mean and deviation as a bar, the published figure as a cross."""
    colour, scores = _style(index)["color"], [run.best for run in system.runs]
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


def _new_figure(columns: int, rows: int, size: tuple[float, float] | None = None) -> Any:
    """A figure drawn without a display and without global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size or (PANEL[0] * columns, PANEL[1] * rows), layout="constrained")
    FigureCanvasAgg(figure)
    figure.subplots(rows, columns)
    for panel in figure.axes:
        panel.grid(alpha=0.25, linewidth=0.6)
        panel.spines[["top", "right"]].set_visible(False)
    return figure


def _save(figure: Any, title: str, stem: Path) -> list[Path]:
    """`stem.png` and `stem.svg`, the same bytes for the same plot."""
    import matplotlib

    figure.suptitle(title, fontsize=11)
    handles = {label: h for panel in figure.axes for h, label in zip(*panel.get_legend_handles_labels(), strict=True)}
    if len(handles) > 1:
        letters = LEGEND_LETTERS * figure.get_figwidth() / PANEL[0]
        columns = max(1, min(4, int(letters / max(len(label) + 6 for label in handles))))
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns, fontsize=8)
    paths = [stem.with_suffix(suffix) for suffix in (".png", ".svg")]
    with matplotlib.rc_context({"svg.hashsalt": "nntag", "svg.fonttype": "none"}):
        for path in paths:
            figure.savefig(path, dpi=130, metadata={"Date": None} if path.suffix == ".svg" else None)
    return paths
