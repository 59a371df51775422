"""What all plots share: colours, empty figures with bare axes, and PNG, SVG or PDF files out (needs matplotlib)."""

from __future__ import annotations

import importlib.util
import io
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from nntag.errors import UsageError
from nntag.files import replace_output

SUFFIXES = (".png", ".svg", ".pdf")
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999")  # Okabe & Ito
DASHES = ("-", "--", ":", "-.")
PANEL = (4.6, 3.2)  # inches
DOTS, SHADES = 130, 64  # of a PNG file: dots an inch, and colours, which is enough for lines and bands and saves half
LEGEND_LETTERS = 84  # what one line of a legend holds at the width of a panel


def plots_are_possible() -> bool:
    """Whether matplotlib is installed."""
    return importlib.util.find_spec("matplotlib") is not None


def check_picture(path: str | os.PathLike[str], flag: str) -> Path:
    """The path of a picture to be written; raises `UsageError` without matplotlib and for a name of another kind."""
    if not plots_are_possible():
        raise UsageError("plots need matplotlib: pip install 'nntag[plots]'")
    if Path(path).suffix not in SUFFIXES:
        raise UsageError(f"{flag} must end in {', '.join(SUFFIXES)}, found {str(path)!r}")
    return Path(path)


def line_style(index: int) -> dict[str, Any]:
    """Colour and dashes of the line with this number; the first 32 differ."""
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index // len(COLOURS) % len(DASHES)]}


def new_figure(columns: int, rows: int = 1, size: tuple[float, float] | None = None) -> Any:
    """A figure with this many panels, drawn without a display and without global state."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=size or (PANEL[0] * columns, PANEL[1] * rows), layout="constrained")
    FigureCanvasAgg(figure)
    figure.subplots(rows, columns)
    for panel in figure.axes:
        panel.grid(alpha=0.25, linewidth=0.6)
        panel.spines[["top", "right"]].set_visible(False)
    return figure


def count_whole_numbers(panel: Any) -> None:
    """Marks only whole numbers on the horizontal axis: epochs, layers."""
    from matplotlib.ticker import MaxNLocator

    panel.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))


def add_legend(figure: Any) -> None:
    """One legend below all panels, where there is more than one label."""
    handles = {label: h for panel in figure.axes for h, label in zip(*panel.get_legend_handles_labels(), strict=True)}
    if len(handles) > 1:
        letters = LEGEND_LETTERS * figure.get_figwidth() / PANEL[0]
        columns = max(1, min(4, int(letters / max(len(label) + 6 for label in handles))))
        figure.legend(handles.values(), handles, loc="outside lower center", ncols=columns, fontsize=8)


def save_figure(figure: Any, paths: Iterable[Path]) -> list[Path]:
    """Writes the files, whose suffixes say their formats: the same bytes for the same plot."""
    import matplotlib

    written = list(paths)
    with matplotlib.rc_context({"svg.hashsalt": "nntag", "svg.fonttype": "none"}):
        for path in written:
            with replace_output(path) as partial:
                if path.suffix == ".png":
                    _save_png(figure, partial)
                else:
                    metadata = {"Date": None} if path.suffix == ".svg" else None
                    figure.savefig(partial, format=path.suffix[1:], metadata=metadata)
    return written


def _save_png(figure: Any, path: Path) -> None:
    from PIL import Image  # matplotlib needs it too

    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=DOTS)
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(SHADES, dither=Image.Dither.NONE).save(path, "PNG", optimize=True)


def both_formats(stem: Path) -> list[Path]:
    """`stem.png` and `stem.svg`; dots in the stem stay."""
    return [stem.with_name(stem.name + suffix) for suffix in (".png", ".svg")]
