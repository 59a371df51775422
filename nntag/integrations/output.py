"""The folder that a job writes: which parts are there, the manifest that says so, and no other job's parts."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.errors import NntagError, UsageError
from nntag.files import LOCK, hold_lock, replace_file
from nntag.integrations.job import Job
from nntag.integrations.worker import PartDone
from nntag.json_files import read_json, write_json
from nntag.manifest import FILE, MANIFEST, describe_file
from nntag.schema import Record, Rows, Table, Text

SAVE_SECONDS = 5.0  # least time between two writings of the manifest
_SCHEMA = Record({"identity": Table(), "parts": Rows(Text(path=True)), "files": Table(FILE)})

Engine = Callable[[Job, Sequence[int]], Iterable[PartDone]]


@dataclass(frozen=True)
class JobCounts:
    """How a job went."""

    parts: int
    done_before: int
    sentences: int  # of the parts that were done now
    seconds: float


def run_job(job: Job, engine: Engine, force: bool = False, note: Callable[[str], None] = lambda _: None) -> JobCounts:
    """Does the parts that are missing; a part that fails does not keep the others from being done.

    Raises `UsageError` where the folder holds anything else, `DataError` when some parts failed.
    """
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        taken = UsageError(f"{job.folder}: another command writes to this folder; wait for its end")
        with hold_lock(job.folder / LOCK, taken):
            return _run_locked(job, engine, force, note)
    except OSError as error:
        raise UsageError(f"{error.filename or job.folder}: cannot write --output: {error.strerror}") from None


def _run_locked(job: Job, engine: Engine, force: bool, note: Callable[[str], None]) -> JobCounts:
    started = saved = time.monotonic()
    files = _take_up(job, force)
    for left in _leavings(job):
        left.unlink(missing_ok=True)
    missing = [number for number, target in enumerate(job.targets) if target not in files]
    done_before = len(job.targets) - len(missing)
    if done_before:
        note(f"{done_before} of {len(job.targets)} parts are done already")
    _save(job, files)
    sentences, failed = 0, []
    try:
        for done in engine(job, missing) if missing else ():
            if done.error:
                failed.append(done.error)
                continue
            files[job.targets[done.part]] = {"bytes": done.bytes, "sha256": done.sha256, "sentences": done.sentences}
            sentences += done.sentences
            note(f"{len(files)} of {len(job.targets)} parts")
            if time.monotonic() > saved + SAVE_SECONDS:
                _save(job, files)
                saved = time.monotonic()
    finally:
        _save(job, files)
        for left in _leavings(job):
            left.unlink(missing_ok=True)
    if failed:
        raise NntagError(f"{len(failed)} of {len(job.targets)} parts failed, all others are done: {failed[0]}")
    return JobCounts(len(job.targets), done_before, sentences, time.monotonic() - started)


def _take_up(job: Job, force: bool) -> dict[str, dict[str, Any]]:
    """The parts that are there already, whole; raises `UsageError` where the folder holds something else."""
    manifest = job.folder / MANIFEST
    if not manifest.exists():
        others = [path.name for path in job.folder.iterdir() if path.name != LOCK]
        if others:
            raise UsageError(f"{job.folder} holds other files ({sorted(others)[0]}); give an empty folder or a new one")
        return {}
    written = read_json(manifest, _SCHEMA, "the manifest of parts")
    difference = _find_difference(written["identity"], job.identity)
    if difference is None and written["parts"] == list(job.targets):
        return {target: file for target in job.targets if (file := _look_up(job, target, written["files"]))}
    if not force:
        raise UsageError(
            f"{job.folder} holds the parts of another command ({difference or 'parts'} differ); give another folder, "
            "or --force to replace them"
        )
    for name in written["parts"]:
        if ".." not in Path(name).parts and not Path(name).is_absolute():
            (job.folder / name).unlink(missing_ok=True)
    return {}


def _look_up(job: Job, target: str, files: dict[str, Any]) -> dict[str, Any] | None:
    """What the manifest says of a part; one that was finished when the manifest was not written is described now."""
    path = job.folder / target
    if not path.is_file():
        return None
    if target not in files:
        return dict(describe_file(path))
    return files[target] if path.stat().st_size == files[target]["bytes"] else None


def _find_difference(old: dict[str, Any], new: dict[str, Any]) -> str | None:
    """The first thing in which two identities differ: version, command, settings, models or inputs."""
    for name in new:
        before, now = old.get(name), new[name]
        if name in ("models", "inputs"):
            before, now = _without_paths(before), _without_paths(now)
        if before != now:
            return {"nntag": "versions of nntag"}.get(name, name)
    return None


def _without_paths(described: Any) -> Any:
    return [{key: value for key, value in item.items() if key != "path"} for item in described or []]


def _leavings(job: Job) -> Iterator[Path]:
    """What a killed worker left beside its part, and the counts of tries."""
    for folder in {(job.folder / target).parent for target in job.targets}:
        yield from [*folder.glob(".part-*.partial"), *folder.glob(".part-*.tries")]


def _save(job: Job, files: dict[str, dict[str, Any]]) -> None:
    ordered = {target: files[target] for target in job.targets if target in files}
    with replace_file(job.folder / MANIFEST) as partial:
        write_json(partial, {"identity": job.identity, "parts": list(job.targets), "files": ordered})
