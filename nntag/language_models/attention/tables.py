"""The tables of an attention report: the report in, CSV files out."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any


def write_tables(report: Mapping[str, Any], folder: Path) -> None:
    """Writes a file for each of positions, samples, distances, pairs, relations and paths that is not empty."""
    tables = {name: list(report[name]) for name in ("positions", "distances", "pairs", "paths") if report.get(name)}
    if report["samples"]:
        memory = report["memory"]
        tables["samples"] = [
            {"predicted": sample["predicted"]}
            | {str(place - memory): weight for place, weight in enumerate(sample["weights"])}
            for sample in report["samples"]
        ]
    if report.get("relations"):
        bins = [f"{first}..{last}" if first != last else str(first) for first, last in report["relations"]["bins"]]
        tables["relations"] = [
            {"relation": row["relation"], "pairs": row["pairs"]} | dict(zip(bins, row["mean_weight"], strict=True))
            for row in report["relations"]["relations"]
        ]
    for name, rows in tables.items():
        with open(folder / f"{name}.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
