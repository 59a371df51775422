"""Runs that an experiment trained before and does not use again: planned runs in, a remark on what differs out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from nntag.config.settings import settings_from_json
from nntag.encoding.data_folder import DataFolder
from nntag.errors import NntagError
from nntag.experiments.board import PlannedRun
from nntag.training.checkpoint import CONFIG, read_identity
from nntag.training.provenance import find_data_changes, find_setting_changes, join_changes

MOST = 5  # remarks; of more, their number


def explain_earlier_runs(waiting: Sequence[PlannedRun], data: Mapping[str, DataFolder]) -> list[str]:
    """For each run to come that has a namesake of other settings or data: what differs."""
    notes = []
    for run in waiting:
        if (run.folder / "best" / CONFIG).exists():  # begun already, and gone on with
            continue
        start = run.folder.name.rpartition("-")[0]  # what follows is the hash of settings and data
        earlier = [path for path in run.folder.parent.glob(f"{start}-*") if path != run.folder]
        changes = {path: _find_changes(path, run, data[run.system.data]) for path in earlier}
        told = {path: found for path, found in changes.items() if found}
        if told:
            path = max(told, key=lambda path: path.stat().st_mtime)
            notes.append(f"{run.name} is trained anew, and {path} is not used again: {join_changes(told[path])}")
    more = [f"{len(notes) - MOST} more runs are trained anew"] if len(notes) > MOST else []
    return notes[:MOST] + more


def _find_changes(earlier: Path, run: PlannedRun, data: DataFolder) -> list[str]:
    """[] also for a folder that is no run of the same model, or damaged."""
    try:
        config = read_identity(earlier / "best")[0]
        old, new = settings_from_json(config["settings"]), run.settings()
        if old.name != new.name or old.train.seed != new.train.seed:
            return []
        return find_setting_changes(old, new) + find_data_changes(config, data)
    except NntagError:
        return []
