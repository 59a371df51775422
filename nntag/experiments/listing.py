"""`nntag experiment --list`: a file and flags in, every row with all its settings out; nothing is run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nntag.experiments.choose import ExperimentOptions, choose_systems
from nntag.experiments.file import read_experiment, shipped_files
from nntag.experiments.results import describe_settings
from nntag.experiments.tables import format_setting


def list_tables() -> list[dict[str, str]]:
    """Name and title of every table that nntag ships."""
    return [{"name": name, "title": read_experiment(path).title} for name, path in shipped_files().items()]


def list_rows(file: str | Path, options: ExperimentOptions) -> dict[str, Any]:
    """What a call with these flags would run. Raises `DataError` and `UsageError`, as that call would."""
    chosen = choose_systems(file, options, lambda out: {})
    experiment = chosen.experiment
    return {
        "title": experiment.title,
        "about": experiment.about,
        "file": str(experiment.path),
        "seeds": list(chosen.seeds),
        "test": experiment.test,
        "measure": experiment.measure,
        "recipe": {"name": experiment.recipe.name, "changes": dict(experiment.recipe.changes)},
        "data": {name: dict(table) for name, table in experiment.data.items()},
        "published_from": experiment.published.source,
        "rows": [
            {
                "row": system.label,
                "series": system.series,
                "axes": dict(system.axes),
                "data": system.data,
                "note": system.note,
                "published": dict(system.published),
                "settings": describe_settings(system),
            }
            for system in chosen.wanted
        ],
    }


def format_rows(listed: Mapping[str, Any]) -> str:
    """What all rows share, section by section, and for each row what it has of its own."""
    rows = listed["rows"]
    shared = {
        key: value
        for key, value in rows[0]["settings"].items()
        if all(key in row["settings"] and row["settings"][key] == value for row in rows)
    }
    recipe = listed["recipe"]
    changes = "; changed: " + _join(recipe["changes"]) if recipe["changes"] else ""
    lines = [listed["title"], "", f"recipe {recipe['name']}{changes}"]
    lines += [f"seeds {', '.join(map(str, listed['seeds']))}", "", "in all rows"]
    lines += [f"  {key} = {format_setting(value) or 'none'}" for key, value in shared.items()]
    for row in rows:
        own = {key: value for key, value in row["settings"].items() if key not in shared}
        if row["data"]:
            own = {"data": row["data"], **own}
        published = "".join(f"  [published {split}: {figure:g}]" for split, figure in row["published"].items())
        lines += ["", f"{row['row']}{published}", *(f"  {k} = {format_setting(v) or 'none'}" for k, v in own.items())]
    return "\n".join(lines)


def _join(values: Mapping[str, Any]) -> str:
    return ", ".join(f"{key} {format_setting(value)}" for key, value in values.items())
