"""The report on an experiment in, `results.md`, `results.json` and `results.csv` out, each written whole."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nntag.errors import RunError
from nntag.files import replace_file

FOREIGN = "on the paper's corpus:"  # heads a column of published figures that our scores do not compare with
FORMATS = ("results.md", "results.json", "results.csv")


def write_tables(report: Mapping[str, Any], out: Path) -> None:
    """Replaces the three files in `out`; raises `RunError` where that fails."""
    texts = (format_markdown(report), json.dumps(report, ensure_ascii=False, indent=1) + "\n", format_csv(report))
    for name, text in zip(FORMATS, texts, strict=True):
        try:
            with replace_file(out / name) as partial:
                partial.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise RunError(f"{out / name}: cannot write the results: {error.strerror}") from None


def table_rows(report: Mapping[str, Any]) -> tuple[list[str], list[list[str]]]:
    """Header and cells of the table as text; a column that no row needs is left out."""
    rows = report["rows"]
    grid = list(rows[0]["axes"])
    labelled = bool(grid) and all(row["series"] != row["row"] for row in rows)
    columns = [("system", [row["series"] if labelled else row["row"] for row in rows])]
    names = columns[0][1]
    for key in report["differing"]:
        cells = [format_setting(row["differs"][key]) for row in rows]
        if key in grid and labelled or not all(cell in name for cell, name in zip(cells, names, strict=True)):
            columns.append((key, cells))
    for split in ("dev", "test"):
        columns += _score_columns(rows, split)
    columns += [
        ("epochs run", [_number(row["epochs"], 1) for row in rows]),  # `epochs` is the setting, where rows differ in it
        ("minutes", [_number(row["minutes"], 1) for row in rows]),
        ("parameters", ["" if row["parameters"] is None else f"{row['parameters']:,}" for row in rows]),
    ]
    if any(row["runs"] != len(report["seeds"]) for row in rows):
        columns.append(("runs", [f"{row['runs']} of {row['of']}" for row in rows]))
    columns += [column for split in ("dev", "test") for column in _foreign_columns(rows, split)]
    return [name for name, _ in columns], [list(cells) for cells in zip(*(cells for _, cells in columns), strict=True)]


def _score_columns(rows: list[dict[str, Any]], split: str) -> list[tuple[str, list[str]]]:
    if not any(row[split] for row in rows) and split == "test":
        return []
    scores = [row[split] or {"mean": None, "sd": None, "best": None} for row in rows]
    columns = [(f"{split} {name}", [_number(score[name], 2) for score in scores]) for name in ("mean", "sd", "best")]
    if any(split in row["published"] and row["published_data"] for row in rows):
        figures = [row["published"].get(split) if row["published_data"] else None for row in rows]
        columns.append((f"published {split}", [_number(figure, 2) for figure in figures]))
        columns.append(("difference", [_number(row["difference"].get(split), 2, "+") for row in rows]))
    return columns


def _foreign_columns(rows: list[dict[str, Any]], split: str) -> list[tuple[str, list[str]]]:
    """Published figures of rows whose corpus is not the paper's: apart from the scores, and without a difference."""
    figures = [None if row["published_data"] else row["published"].get(split) for row in rows]
    if all(figure is None for figure in figures):
        return []
    return [(f"{FOREIGN} {split}", [_number(figure, 2) for figure in figures])]


def describe(report: Mapping[str, Any]) -> list[str]:
    """What the table shows, line by line: score, seeds, data, what all rows share, version, command."""
    score = report["score"] + (f" in {report['unit']}" if report["unit"] else "")
    order = "higher" if report["higher_is_better"] else "lower"
    count = len(report["seeds"])
    seeds = f"{count} seed{'s' if count > 1 else ''} ({', '.join(map(str, report['seeds']))})"
    judged = f"{score[0].upper()}{score[1:]} ({order} is better)"
    shared = dict(report["settings"])
    recipe = f"Recipe {shared.pop('recipe')}; same" if "recipe" in shared else "Same"
    lines = [
        f"{judged}: mean and standard deviation over {seeds}; best: the run that is best on dev. "
        "Dev picks the epoch of every run" + ("; test is scored once, at that epoch." if report["test"] else "."),
        *_test_lines(report),
        *(_data_line(name, data) for name, data in report["data"].items()),
        f"{recipe} in all rows: "
        + ", ".join(f"{key} {format_setting(value)}" for key, value in shared.items() if value is not None)
        + ". results.json has every setting of every row. Epochs and minutes (training alone) are means; epochs run "
        "until patience ends or the limit is reached.",
        f"nntag {', '.join(report['nntag'])}" + (f"; `{report['command']}`" if report["command"] else ""),
        *(f"Processor: {name}" for name in report["processors"]),
        *_published_lines(report),
    ]
    lines += [f"{row['row']}: {row['note']}" for row in report["rows"] if row["note"]]
    for row in report["rows"]:
        lines += [f"Failed: {row['row']}, seed {seed}: {reason}" for seed, reason in row["failed"].items()]
    return lines


def _test_lines(report: Mapping[str, Any]) -> list[str]:
    if not report["test"] or report["test_score"] == report["score"]:
        return []
    return [f"Test: {report['test_score']}" + (f" in {report['test_unit']}." if report["test_unit"] else ".")]


def _published_lines(report: Mapping[str, Any]) -> list[str]:
    """Where published figures are from, and whether they compare with ours."""
    rows = [row for row in report["rows"] if row["published"]]
    if not rows or not report["published_from"]:
        return []
    lines = []
    if any(row["published_data"] for row in rows):
        lines.append(f"Published figures: {report['published_from']}; difference: our mean less the published figure.")
    if not all(row["published_data"] for row in rows):
        lines.append(
            f'Figures "{FOREIGN.removesuffix(":")}": {report["published_from"]}. Our corpus is another one, or is not '
            "known to be the same (--same-data says so): compare the order of the rows, not the scores themselves."
        )
    return lines


def _data_line(name: str, data: Mapping[str, Any]) -> str:
    splits = "; ".join(
        f"{split}: " + ", ".join(f"{count:,} {name}".replace("_", " ") for name, count in counts.items())
        for split, counts in data["splits"].items()
    )
    sizes = f"; {data['mean_length']:.1f} tokens a training sentence" if data["mean_length"] else ""
    sizes += f"; vocabulary {data['vocabulary']:,}" if data["vocabulary"] else ""
    kind = f"{data['corpus']}, generated sample" if data["generated_sample"] else data["corpus"]
    return f"Data{f' {name}' if name else ''}: {data['folder']} ({kind}). {splits[0].upper()}{splits[1:]}{sizes}."


def format_markdown(report: Mapping[str, Any]) -> str:
    """Title, table and what it shows."""
    header, rows = table_rows(report)
    text_columns = len(header) - sum(name not in ("system", *report["differing"]) for name in header)
    rule = ["---" if column < text_columns else "---:" for column in range(len(header))]
    lines = ["| " + " | ".join(_escape(cell) for cell in line) + " |" for line in (header, rule, *rows)]
    about = [report["about"].strip(), ""] if report["about"] else []
    notes = [f"- {line}" for line in describe(report)]
    return "\n".join([f"# {report['title']}", "", *about, *lines, "", *notes]) + "\n"


def format_csv(report: Mapping[str, Any]) -> str:
    """One line per row, all figures in full."""
    differing = report["differing"]
    statistics = [f"{split}_{name}" for split in ("dev", "test") for name in ("mean", "sd", "best")]
    published = [f"{name}_{split}" for split in ("dev", "test") for name in ("published", "difference")]
    rest = {name: name for name in ("epochs", "best_epoch", "minutes", "parameters", "runs", "best_seed")}
    rest["epochs"] = "epochs_run"
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["row", *differing, *statistics, *published, *rest.values()])
    for row in report["rows"]:
        cells = [row["row"], *(format_setting(row["differs"][key]) for key in differing)]
        cells += [(row[split] or {}).get(name) for split in ("dev", "test") for name in ("mean", "sd", "best")]
        cells += [row[name].get(split) for split in ("dev", "test") for name in ("published", "difference")]
        writer.writerow([*cells, *(row[name] for name in rest)])
    return text.getvalue()


def format_setting(value: Any) -> str:
    """A value as `--set` takes it; "" for none."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple | list):
        return ",".join("-".join(map(str, item)) if isinstance(item, tuple | list) else str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def _number(value: float | None, digits: int, sign: str = "") -> str:
    return "" if value is None else f"{value:{sign}.{digits}f}"


def _escape(text: str) -> str:
    return text.replace("|", "\\|")
