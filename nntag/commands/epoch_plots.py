"""The epoch logs of several runs in, one picture out: time, loss and scores side by side (needs matplotlib)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.experiments.curves import COLOURS, DASHES, PANEL

Log = Sequence[Mapping[str, Any]]  # one entry an epoch, as `RUN/log.jsonl` has them


def find_panels(logs: Sequence[Log]) -> dict[str, str]:
    """Heading of each panel -> the key of its values: what at least one run has logged.

    With the training score they are the panels of Tsakalos 2017, Figures 5.1-5.6.
    """
    keys = dict.fromkeys(key for log in logs for entry in log for key in entry)
    panels = {"seconds an epoch": "seconds", "training loss (nats)": "loss_nats"}
    scores = [key for key in keys if key.startswith(("train_", "dev_"))]
    panels |= {f"{split} {name.replace('_', ' ')}": key for key in scores for split, _, name in [key.partition("_")]}
    return {heading: key for heading, key in panels.items() if key in keys}


def draw_epochs(logs: Mapping[str, Sequence[Log]], path: Path) -> None:
    """A line for each run in each panel; the runs under one label share its colour.

    The suffix of `path` says the format.
    """
    import matplotlib
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import MaxNLocator

    panels = find_panels([log for group in logs.values() for log in group])
    figure = Figure(figsize=(PANEL[0] * len(panels), PANEL[1] + 0.4), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axis, (heading, key) in zip(axes, panels.items(), strict=True):
        axis.set(title=heading, xlabel="epoch")
        axis.grid(alpha=0.25, linewidth=0.6)
        axis.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
        for number, (label, group) in enumerate(logs.items()):
            style = {"color": COLOURS[number % len(COLOURS)], "linestyle": DASHES[number // len(COLOURS) % len(DASHES)]}
            for place, log in enumerate(group):
                points = [(entry["epoch"], entry[key]) for entry in log if key in entry]
                if points:
                    axis.plot(*zip(*points, strict=True), label=label if place == 0 else None, marker=".", **style)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=min(4, max(1, len(labels))), fontsize=8)
    with matplotlib.rc_context({"svg.hashsalt": "nntag", "svg.fonttype": "none"}):
        figure.savefig(path, dpi=130, metadata={"Date": None} if path.suffix == ".svg" else None)
