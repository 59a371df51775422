"""The `results.json` of an experiment in, an `Experiment` out whose rows have all the settings written down there."""

from __future__ import annotations

from pathlib import Path

from nntag.errors import RunError
from nntag.experiments.experiment import Experiment, Published, Row
from nntag.json_files import read_json


def read_report_file(path: Path) -> Experiment:
    """Raises `RunError` for a file that is not such a table, or one of another version of nntag.

    The data folders are those that the table was made with; `--data` names others.
    """
    report = read_json(path)
    try:
        rows = tuple(
            Row(row["row"], {**row["settings"], **({"data": row["data"]} if row["data"] else {})}, row["note"])
            for row in report["rows"]
        )
        return Experiment(
            path,
            report["title"],
            report["about"],
            tuple(report["seeds"]),
            report["test"],
            report["measure"],
            rows=rows,
            published=Published(source=report["published_from"]),
            folders={name: data["folder"] for name, data in report["data"].items()},
        )
    except (KeyError, TypeError, AttributeError):
        raise RunError(f"{path}: not the results of an experiment of this version of nntag") from None
