"""Figures of an attention report: the report's numbers in, PNG and SVG files out (needs matplotlib)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.errors import UsageError
from nntag.figures import plots_are_possible

MOST_RELATIONS = 24  # rows of the relation figure
LONG = -4  # a relation is ranked by how many of its pairs lie here or further back


def check_plots() -> None:
    """Raises `UsageError` where matplotlib is not installed."""
    if not plots_are_possible():
        raise UsageError("figures need matplotlib: pip install 'nntag[plots]'")


def draw_all(report: Mapping[str, Any], folder: Path, relations: Sequence[str] = ()) -> list[Path]:
    """Draws every part that the report has; `relations`: the rows of the relation figure."""
    files = draw_positions(report["positions"], folder / "positions")
    if report["samples"]:
        files += draw_samples(report["samples"], folder / "samples")
    if report["distances"]:
        files += draw_distances(report["distances"], folder / "distances")
    if report["examples"]:
        files += draw_examples(report["examples"][:3], folder / "examples")
    if report.get("relations"):
        files += draw_relations(report["relations"], folder / "relations", relations)
    return files


def draw_positions(rows: Sequence[Mapping[str, Any]], stem: Path) -> list[Path]:
    """Figure 3: a bar for each position; predictions with a full window where there are any."""
    key = "mean_full_window" if rows[0]["mean_full_window"] is not None else "mean"
    figure, axes = _new_figure(7, 3.2)
    axes.bar([row["position"] for row in rows], [row[key] or 0 for row in rows], color="#3b6ea5")
    axes.set_xticks([row["position"] for row in rows])
    axes.set_xlabel("position before the word to predict")
    axes.set_ylabel("mean attention")
    axes.spines[["top", "right"]].set_visible(False)
    return _save(figure, stem)


def draw_samples(samples: Sequence[Mapping[str, Any]], stem: Path) -> list[Path]:
    """Figure 4: a column for each sampled word, the newest position at the bottom; darker is more."""
    import numpy as np

    weights = np.array([sample["weights"] for sample in samples]).T
    figure, axes = _new_figure(max(4.0, 0.16 * len(samples) + 1), 4.2)
    image = axes.imshow(weights, aspect="auto", cmap="Greys", vmin=0, vmax=1, interpolation="nearest")
    axes.set_yticks(range(len(weights)), [str(row - len(weights)) for row in range(len(weights))], fontsize=7)
    words = [_plain(sample["predicted"]) for sample in samples]
    axes.set_xticks(range(len(samples)), words, rotation=90, fontsize=6)
    axes.set_xlabel("word to predict")
    axes.set_ylabel("position")
    figure.colorbar(image, ax=axes, shrink=0.8, pad=0.01, label="attention")
    return _save(figure, stem)


def draw_distances(rows: Sequence[Mapping[str, Any]], stem: Path) -> list[Path]:
    """Table 3 as a picture: how many far pairs there are at each distance, and how often training has them."""
    distances = [row["distance"] for row in rows]
    figure, (left, right) = _new_figure(8, 3, columns=2)
    left.bar(distances, [row["occurrences"] for row in rows], color="#3b6ea5")
    left.set_ylabel("most attended there")
    right.bar(distances, [row["mean_count"] for row in rows], color="#b5651d")
    right.set_ylabel("mean count of the pair in training")
    for axes in (left, right):
        axes.set_xlabel("distance")
        axes.set_xticks(distances)
        axes.spines[["top", "right"]].set_visible(False)
    return _save(figure, stem)


def draw_examples(examples: Sequence[Mapping[str, Any]], stem: Path) -> list[Path]:
    """Figure 5: the history of a prediction, shaded by attention, and the words that the model thinks likeliest."""
    from matplotlib.patches import Rectangle

    figure, panels = _new_figure(12, 1.4 * len(examples), rows=len(examples))
    for axes, example in zip([panels] if len(examples) == 1 else panels, examples, strict=True):
        words = [_plain(word) for word in example["history"]]
        for place, (word, weight) in enumerate(zip(words, example["weights"], strict=True)):
            axes.add_patch(Rectangle((place, 0), 0.96, 1, color=str(1 - 0.85 * weight), lw=0))
            colour = "white" if weight > 0.55 else "black"
            size = 8 if len(word) < 11 else 6
            axes.text(place + 0.48, 0.5, word, ha="center", va="center", fontsize=size, color=colour, clip_on=True)
            axes.text(place + 0.48, -0.25, f"{weight:.2f}", ha="center", va="center", fontsize=6, color="#555555")
        for rank, guess in enumerate(example["top"]):
            right = guess["word"] == example["predicted"]
            text = f"{_plain(guess['word'])} ({guess['log_probability']:.1f})"
            weight_name = "bold" if right else "normal"
            axes.text(len(words) + 0.3, 1.25 - 0.4 * rank, text, fontsize=8, va="center", fontweight=weight_name)
        axes.set_title(
            f"to predict: {_plain(example['predicted'])} (most attended: {example['distance']} words back)",
            loc="left",
            fontsize=9,
        )
        axes.set_xlim(0, len(words) + 2.6)
        axes.set_ylim(-0.5, 1.45)
        axes.axis("off")
    return _save(figure, stem)


def draw_relations(relations: Mapping[str, Any], stem: Path, chosen: Sequence[str] = ()) -> list[Path]:
    """Figure 6: mean attention by relation and position; white where there is no pair. The relations are those that
    are chosen, or else those with the most pairs at a distance."""
    import numpy as np

    bins = relations["bins"]
    far = [number for number, (_, last) in enumerate(bins) if last <= LONG]
    rows = relations["relations"]
    ranked = sorted(rows[1:], key=lambda row: -sum(row["pairs_by_bin"][number] for number in far))
    by_name = {row["relation"]: row for row in rows}
    shown = [*([by_name[name] for name in chosen] or ranked[:MOST_RELATIONS]), *rows[:1]]
    table = np.array([[np.nan if mean is None else mean for mean in row["mean_weight"]] for row in shown])
    figure, axes = _new_figure(5.2, 0.26 * len(shown) + 1.2)
    image = axes.imshow(table, aspect="auto", cmap="Blues", vmin=0, interpolation="nearest")
    axes.set_yticks(range(len(shown)), [row["relation"] for row in shown], fontsize=8)
    names = [str(first) if first == last else f"[{first},{last}]" for first, last in bins]
    axes.set_xticks(range(len(bins)), names, fontsize=8)
    axes.set_xlabel("position of the attended word")
    figure.colorbar(image, ax=axes, shrink=0.7, label="mean attention")
    return _save(figure, stem)


def _plain(word: str) -> str:
    """The word as it is: matplotlib would read what stands between dollar signs as a formula."""
    return word.replace("$", r"\$")


def _new_figure(width: float, height: float, rows: int = 1, columns: int = 1) -> tuple[Any, Any]:
    """A figure of this size in inches, which needs no display and no global state, and its axes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns)


def _save(figure: Any, stem: Path) -> list[Path]:
    import matplotlib

    files = [stem.with_suffix(".png"), stem.with_suffix(".svg")]
    with matplotlib.rc_context({"svg.hashsalt": "nntag"}):  # the same numbers give the same file
        for file in files:
            figure.savefig(file, dpi=150, metadata={"Date": None} if file.suffix == ".svg" else None)
    return files
