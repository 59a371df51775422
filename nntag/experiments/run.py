"""`nntag experiment`: an experiment file in, its table, learning curves and all its runs in a folder out.

OUT/runs/SYSTEM-sSEED-HASH/ is a run folder as `nntag train` writes it, with `result.json` when it is done; HASH stands
for the settings and the data, so that a run is used again only where both are the same. OUT/data is the data folder,
where the file says how to make one. OUT/results.md, .json and .csv are written anew after each run.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nntag.config.fields import MOST_PROCESSES
from nntag.encoding.data_folder import META, DataFolder, open_data_folder
from nntag.errors import RunError, UsageError
from nntag.experiments.board import Board, PlannedRun
from nntag.experiments.choose import Chosen, ExperimentOptions, choose_systems
from nntag.experiments.data import open_data
from nntag.experiments.earlier import explain_earlier_runs
from nntag.experiments.experiment import Experiment
from nntag.experiments.measures import MEASURES
from nntag.experiments.plan import System, named_keys, slug
from nntag.experiments.pool import run_workers
from nntag.experiments.ray_pool import run_on_ray
from nntag.experiments.worker import REQUEST, RESULT
from nntag.files import LOCK, hold_lock, replace_file
from nntag.json_files import read_json, write_json
from nntag.manifest import sha256_of
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.device import choose_device

RESULTS = "results.json"
MARK = "experiment.json"  # a folder that has it belongs to an experiment


@dataclass(frozen=True)
class ExperimentResult:
    """The report (what `results.json` holds), the runs that failed with their reasons, and remarks for the user."""

    out: Path
    report: dict[str, Any]
    failed: dict[str, str]
    notes: list[str]


def run_experiment(
    file: str | Path, options: ExperimentOptions | None = None, progress: ProgressCallback = ignore_progress
) -> ExperimentResult:
    """Runs what is not done yet of an experiment, and writes its tables and plots.

    A failed run does not stop the others. Raises `DataError` and `UsageError` for a file or flags that cannot be used,
    before anything is run.
    """
    options = options or ExperimentOptions()
    choose_device(options.device)
    if options.jobs < 1:
        raise UsageError(f"--jobs must be at least 1, found {options.jobs}")
    if options.jobs > MOST_PROCESSES and options.engine is None:
        raise UsageError(f"--jobs must be at most {MOST_PROCESSES}, found {options.jobs}")
    chosen = choose_systems(file, options, read_earlier)
    experiment, out = chosen.experiment, chosen.out
    _check_vectors(chosen.wanted)
    with _own_folder(out, experiment):
        names, task = dict.fromkeys(system.data for system in chosen.wanted), chosen.wanted[0].settings.row.task
        data, notes = open_data(experiment, names, task, options.data, out, progress)
        notes += chosen.notes or _compare_folders(chosen, data)
        data = _open_earlier(chosen, data) | data
        if experiment.test and (reason := _cannot_test(experiment, data)):
            notes.append(f"{reason}: dev alone is scored")
            experiment = replace(experiment, test=False)
        runs = _plan_runs(chosen, data, out)
        keys = named_keys(experiment, chosen.assignments)
        board = Board(experiment, data, runs, keys, out, options.command, options.same_data)
        waiting = [run for run in board.runs if not board.is_done(run)]
        notes += explain_earlier_runs(waiting, data)
        for run in waiting:
            _write_request(run, data[run.system.data], experiment, options.device)
        board.show(progress)
        by_folder = {run.folder: run for run in waiting}
        reports = (
            lambda folder, reason: board.end(by_folder[folder], reason, progress),
            lambda: board.show(progress),
        )
        if options.engine is None:
            run_workers(by_folder, options.jobs, *reports)
        elif by_folder:
            run_on_ray(by_folder, options.jobs, *reports, options.address, options.device != "cpu")
        return ExperimentResult(out, board.write(), board.failed, [*notes, *board.plot()])


def read_earlier(out: Path) -> dict[str, Any]:
    """The report that an earlier call left in the folder; {} where there is none, or another version's."""
    try:
        report = read_json(out / RESULTS)
    except RunError:
        return {}
    return report if isinstance(report, dict) and "measure" in report else {}


def _open_earlier(chosen: Chosen, data: Mapping[str, DataFolder]) -> dict[str, DataFolder]:
    """The data folders of rows that only an earlier call asked for, where they are still there."""
    others = {name: folder for name, folder in chosen.earlier_folders.items() if name not in data}
    return {name: open_data_folder(folder) for name, folder in others.items() if (Path(folder) / META).is_file()}


def _compare_folders(chosen: Chosen, data: Mapping[str, DataFolder]) -> list[str]:
    """A remark where an earlier call had other data: its rows leave the table, its runs stay."""
    for name, folder in data.items():
        earlier = chosen.earlier_folders.get(name, folder.path)
        if Path(earlier).resolve() != folder.path.resolve():
            return [f"the table in {chosen.out} was made with {earlier}; rows that are not run again leave it"]
    return []


def _cannot_test(experiment: Experiment, data: Mapping[str, DataFolder]) -> str:
    """Why there is nothing to test on, or nothing."""
    questions = MEASURES[experiment.measure].questions
    for folder in data.values():
        if questions and not folder.meta.get("questions"):
            return f"{folder.path} holds no questions"
        if not questions and not folder.has_split("test"):
            return f"{folder.path} has no test split"
    return ""


def _check_vectors(systems: Sequence[System]) -> None:
    """Raises `UsageError` before anything is run where word vectors are not there."""
    for system in systems:
        vectors = getattr(system.settings.input, "word_vectors", None)
        if vectors and not Path(vectors).is_file():
            raise UsageError(
                f"{system.label}: no word vectors at {vectors}; name a file with --set word_vectors=FILE, or start "
                "from random ones with --set word_vectors=none"
            )


@contextlib.contextmanager
def _own_folder(out: Path, experiment: Experiment) -> Iterator[None]:
    """Claims the folder: one experiment at a time writes there."""
    mark = out / MARK
    if out.exists() and not mark.is_file() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} exists and was not made by `nntag experiment`; give another --out")
    out.mkdir(parents=True, exist_ok=True)
    mark.touch()  # before the lock's file, so that a kill leaves no folder that looks like another's
    with hold_lock(out / LOCK, UsageError(f"{out}: another experiment is running there; wait, or give another --out")):
        with replace_file(mark) as partial:
            write_json(partial, {"experiment": experiment.path.name, "title": experiment.title})
        yield


def _plan_runs(chosen: Chosen, data: Mapping[str, DataFolder], out: Path) -> list[PlannedRun]:
    """Seed by seed, so that a table with fewer seeds is complete early."""
    hashes = {name: hash_data(folder) for name, folder in data.items()}
    seeds = chosen.experiment.seeds

    def plan(system: System, seed: int) -> PlannedRun:
        settings = json.dumps(system.settings_for(seed).to_json(), sort_keys=True)
        key = hashlib.sha256(f"{settings}\n{hashes[system.data]}".encode()).hexdigest()[:8]
        folder = out / "runs" / f"{slug(system.label)}-s{seed}-{key}"
        wanted = system in chosen.wanted and (seed in chosen.seeds or system.settings.row.counted)
        return PlannedRun(system, seed, folder, wanted)

    runs = []
    for number, seed in enumerate(seeds):
        for system in chosen.systems:
            if system.data not in data:
                continue
            if not system.settings.row.counted:
                runs.append(plan(system, seed))
            elif number == 0:  # nothing in it is random: one run, that of an earlier call where there is one
                counted = [plan(system, any_seed) for any_seed in seeds]
                runs.append(next((run for run in counted if (run.folder / RESULT).is_file()), counted[0]))
    return runs


def hash_data(data: DataFolder) -> str:
    """What a data folder holds, wherever it lies."""
    files = sorted(path for path in data.path.rglob("*") if path.is_file())
    lines = [f"{path.relative_to(data.path)} {sha256_of(path)}" for path in files]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _write_request(run: PlannedRun, data: DataFolder, experiment: Experiment, device: str) -> None:
    run.folder.mkdir(parents=True, exist_ok=True)
    request = {
        "settings": run.settings().to_json(),
        "data": str(data.path.resolve()),
        "test": experiment.test,
        "attention": experiment.attention,
        "device": device,
    }
    with replace_file(run.folder / REQUEST) as partial:
        write_json(partial, request)
