"""The tagging report as text: confusions, tags, bands of frequency, the headline last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nntag.tables import format_table, percent
from nntag.tagging.parts import KINDS
from nntag.training.metric import Metric, list_further


def format_tagging_report(report: Mapping[str, Any], metrics: Sequence[Metric] = (), most_tags: int = 20) -> str:
    """The tagging report, the headline last so that it stays in sight; the per-tag table shows `most_tags` rows. Where
    there are several columns of tags, one report after the other."""
    if "columns" in report:
        return _format_columns(report, metrics, most_tags)
    parts = []
    confusions = [[c["count"], c["gold"], c["predicted"]] for c in report["confusions"][:10]]
    if confusions:
        parts.append("Most frequent confusions\n" + format_table(confusions, ["count", "gold", "predicted"], "  "))
    parts.append(_format_shares("Tags", "tag", report["per_tag"], most_tags, ("gold",)))
    bands = [
        [name, percent(band["accuracy"]), band["tokens"]] for name, band in report["by_training_frequency"].items()
    ]
    parts.append(
        "Accuracy by how often training has the gold tag\n"
        + format_table(bands, ["training", "accuracy", "tokens"], "  ")
    )
    if "multitagging" in report:
        rows = [
            [f"{m['beta']:g}", m["tags_per_word"], percent(m["word_accuracy"]), percent(m["sentence_accuracy"])]
            for m in report["multitagging"]
        ]
        header = ["beta", "tags/word", "word accuracy", "sentence accuracy"]
        parts.append("Tags with p >= beta * p_best\n" + format_table(rows, header, "  "))
    for kind in KINDS:
        if kind.key in report:
            rows, counts = report[kind.key]["per_type"], ("gold", "predicted", "right")
            parts.append(_format_shares(kind.key.capitalize(), "type", rows, most_tags, counts))
    parts.append(format_table(_headline(report, metrics)))
    return "\n\n".join(parts)


def _format_columns(report: Mapping[str, Any], metrics: Sequence[Metric], most_tags: int) -> str:
    parts = [
        f"{name}\n{'-' * len(name)}\n{format_tagging_report(of_column, metrics, most_tags)}"
        for name, of_column in report["columns"].items()
    ]
    rows = [[name, percent(of_column["accuracy"])] for name, of_column in report["columns"].items()]
    rows.append(["all tags of a word right", percent(report["joint_accuracy"])])
    rows.append(["mean", percent(report["mean_accuracy"])])
    return "\n\n".join([*parts, format_table(rows, ["column", "accuracy"])])


def _format_shares(
    title: str, what: str, rows: Mapping[str, Mapping[str, Any]], most: int, counts: Sequence[str]
) -> str:
    """A table of precision, recall and F1 with some counts, the first `most` rows of it."""
    shown = [
        [name or "-", percent(row["precision"]), percent(row["recall"]), percent(row["f1"]), *(row[c] for c in counts)]
        for name, row in list(rows.items())[:most]
    ]
    more = len(rows) - len(shown)
    title += f" (the {len(shown)} most frequent; {more} more with --json)" if more > 0 else ""
    return f"{title}\n" + format_table(shown, [what, "precision", "recall", "F1", *counts], "  ")


def _headline(report: Mapping[str, Any], metrics: Sequence[Metric]) -> list[list[object]]:
    further = list_further(metrics, report, shown=("accuracy", "sentence_accuracy"))
    rows: list[list[object]] = [[name, value, "", ""] for name, value in further]
    if report["tokens_without_gold_tag"]:
        rows.append(["without gold tag (not counted)", "", report["tokens_without_gold_tag"], "tokens"])
    rows += [
        ["sentence accuracy", percent(report["sentence_accuracy"]), report["sentences"], "sentences"],
        ["on unseen words", percent(report["unseen_words"]["accuracy"]), report["unseen_words"]["tokens"], "tokens"],
        ["on known words", percent(report["known_words"]["accuracy"]), report["known_words"]["tokens"], "tokens"],
        ["accuracy", percent(report["accuracy"]), report["tokens"], "tokens"],
    ]
    return [[name, f"{value:.2f} %" if isinstance(value, float) else value, of, unit] for name, value, of, unit in rows]
