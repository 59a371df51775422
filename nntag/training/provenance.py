"""Where a run comes from: version, commands, settings and data into its `config.json`; what differs from it out."""

from __future__ import annotations

import hashlib
import json
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nntag import __version__
from nntag.config.settings import Settings, resolve_settings
from nntag.encoding.data_folder import META, DataFolder, find_column

MAY_GROW = ("train.epochs", "train.patience")  # settings by which a run that goes on is still the same
SHOWN = 4  # differences in a message; of more, their number


def describe_run(settings: Settings, task: str, data: DataFolder, earlier: Mapping[str, Any]) -> dict[str, Any]:
    """The run's `config.json`; `earlier` is the one that it had when it was resumed, else {}.

    `run` names the run by what it was begun with; its weights repeat the name, so that a swapped file is known.
    """
    hashes, path = data.hashes(), data.path.resolve()
    begun = {name: value for name, value in settings.values().items() if name not in MAY_GROW}
    name = hashlib.sha256(json.dumps([settings.name, begun, hashes], sort_keys=True).encode()).hexdigest()[:16]
    return {
        "task": task,
        "nntag": __version__,
        "run": earlier.get("run", name),
        "command": describe_command(settings, path),
        "data": str(path),
        "corpus": data.meta.get("corpus"),
        "column": data.meta.get("column"),
        "data_files": hashes,
        "settings": settings.to_json(),
    }


def describe_command(settings: Settings, data: Path) -> str:
    """The command line that trains such a run anew, however many commands it took."""
    words = ["nntag", "train", "--model", settings.name, "--recipe", settings.recipe, "--data", str(data)]
    usual = resolve_settings(settings.name, settings.recipe).values()
    for name, value in settings.values().items():
        if usual[name] != value:
            words += ["--set", f"{name}={_write_value(value)}"]
    return shlex.join(words)


def _write_value(value: Any) -> str:
    """As `--set` reads it."""
    if isinstance(value, tuple | list):
        return ",".join("-".join(map(str, part)) if isinstance(part, tuple | list) else str(part) for part in value)
    return "none" if value is None else str(value)


def find_data_changes(config: Mapping[str, Any], data: DataFolder) -> list[str]:
    """What of a data folder is not as the run's config has it, with the old and the new value."""
    pairs = {"corpus": (config.get("corpus"), data.meta.get("corpus"))}
    pairs["column"] = find_column(config), find_column(data.meta)
    changes = [f"{key} was {was}, is {now}" for key, (was, now) in pairs.items() if key in config and was != now]
    noted = config.get("data_files")
    if noted is None:  # of version 0.1.0
        return changes
    now = data.hashes()
    files = [f"{name} is gone" for name in noted if name not in now]
    files += [f"{name} has changed" for name in noted if name in now and now[name] != noted[name]]
    files += [f"{name} is new" for name in now if name not in noted]
    return changes + [change for change in files if len(files) == 1 or not change.startswith(META)]


def find_setting_changes(old: Settings, new: Settings) -> list[str]:
    """`model.hidden was 100, is 200` for each setting that differs."""
    before, after = old.values(), new.values()
    return [f"{name} was {before.get(name)}, is {value}" for name, value in after.items() if before.get(name) != value]


def join_changes(changes: list[str]) -> str:
    """The first few in a sentence."""
    more = f"; and {len(changes) - SHOWN} more" if len(changes) > SHOWN else ""
    return "; ".join(changes[:SHOWN]) + more
