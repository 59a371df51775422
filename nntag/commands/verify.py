"""`nntag verify`: a data or run folder in; every byte of its files compared with the sums that were written with it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nntag.encoding.data_folder import META, open_data_folder
from nntag.errors import RunError
from nntag.json_files import read_json
from nntag.manifest import list_files, read_manifest
from nntag.training.checkpoint import ADVICE, CONFIG, PARTS, WEIGHTS, read_state
from nntag.training.runs import load_run

SHOWN = 4  # names of files in a line; of more, their number


@dataclass(frozen=True)
class Verified:
    """A folder whose files are all as they were written."""

    folder: Path
    kind: str  # "data folder", "run" or "checkpoint"
    has_sums: bool  # False for folders of version 0.1.0 and of other tools: they open, and nothing was compared
    strangers: tuple[str, ...] = ()  # files of a data folder that were not written with it

    def describe(self) -> str:
        """One line for the terminal."""
        if not self.has_sums:
            return f"{self.folder}: {self.kind}, opens, but has no SHA-256 sums to compare with (nntag 0.1.0)"
        more = f" and {len(self.strangers) - SHOWN} more" if len(self.strangers) > SHOWN else ""
        strange = f"; not written with it: {', '.join(self.strangers[:SHOWN])}{more}" if self.strangers else ""
        return f"{self.folder}: {self.kind}, every file is as it was written{strange}"


def verify(folder: Path) -> Verified:
    """Reads a data folder, a run folder or a checkpoint folder whole, and loads the models in it.

    Raises `RunError`, which names the file, for whatever is missing, damaged, swapped or changed; `UsageError` where
    loading needs a package that is not installed.
    """
    if (folder / META).is_file():
        open_data_folder(folder, thorough=True)
        written = read_manifest(folder)
        strangers = () if written is None else tuple(name for name in list_files(folder) if name not in written)
        return Verified(folder, "data folder", written is not None, strangers)
    parts = [folder / part for part in PARTS if (folder / part / CONFIG).exists()]
    if not parts and not (folder / CONFIG).exists():
        raise RunError(f"{folder}: neither a data folder (no {META} in it) nor a run folder (no best/{CONFIG} in it)")
    parts = [part for part in parts or [folder] if (part / WEIGHTS).exists() or _must_have_weights(part)]
    for part in parts:
        load_run(part, thorough=True)
    kind = "checkpoint" if parts == [folder] else "run"
    return Verified(folder, kind, all("sha256" in read_json(part / CONFIG) for part in parts))


def _must_have_weights(part: Path) -> bool:
    """Raises `RunError` for a part of a run that lacks its weights, unless it is `best` and no epoch was the best."""
    last, advice = part.with_name("last") / WEIGHTS, ADVICE
    if part.name == "best" and last.exists():
        state = read_state(last)
        if not state.get("best_epoch"):
            return False
        if state["best_epoch"] == state.get("epoch"):  # killed between the two
            advice = f"`nntag train --resume --out {part.parent}` writes it anew"
    raise RunError(f"{part / WEIGHTS}: missing; {advice}")
