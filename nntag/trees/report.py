"""The report on a tree model as text: confusion, bands, negation, the headline last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nntag.tables import format_table, percent
from nntag.training.metric import Metric, list_further


def format_tree_report(report: Mapping[str, Any], metrics: Sequence[Metric] = ()) -> str:
    """The report on a tree model, the headline last."""
    rows: list[list[object]] = [[name, *row] for name, row in zip(report["classes"], report["confusion"], strict=True)]
    title = "Sentences by gold class (rows) and predicted class (columns)"
    parts = [f"{title}\n" + format_table(rows, ["", *report["classes"]], "  ")]
    for key, what in (("by_height", "height of the tree"), ("by_length", "number of words")):
        filled = {name: band for name, band in report[key].items() if band["count"]}
        bands = [[name, percent(band["accuracy"]), band["count"]] for name, band in filled.items()]
        header = ["", "accuracy", "sentences"]
        parts.append(f"Accuracy by {what}\n" + format_table(bands, header, "  "))
    negation = report["negation"]
    headline = [
        ["negated positive phrases", negation["negated_positive"], "phrases"],
        ["negated negative phrases", negation["negated_negative"], "phrases"],
        ["accuracy of all nodes", report["nodes"], "nodes"],
        *([["binary accuracy (p3 + p4 > p0 + p1)", report["binary"], "sentences"]] if "binary" in report else []),
        ["accuracy", {"accuracy": report["accuracy"], "count": report["sentences"]}, "sentences"],
    ]
    shares = [
        [name, "-" if share["accuracy"] is None else f"{100 * share['accuracy']:.2f} %", share["count"], unit]
        for name, share, unit in headline
    ]
    further = list_further(metrics, report, shown=("accuracy",))
    parts.append(format_table([*([name, value, "", ""] for name, value in further), *shares]))
    return "\n\n".join(parts)
