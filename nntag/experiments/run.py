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
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nntag.encoding.data_folder import DataFolder, open_data_folder, sha256_of, write_json
from nntag.errors import UsageError
from nntag.experiments.board import Board, PlannedRun
from nntag.experiments.data import make_data
from nntag.experiments.file import Experiment, Values, read_experiment
from nntag.experiments.plan import System, named_keys, plan_systems, slug
from nntag.experiments.pool import run_workers
from nntag.experiments.worker import REQUEST
from nntag.files import LOCK, hold_lock, replace_file
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.device import choose_device
from nntag.training.runs import RUNS

EXPERIMENTS = RUNS / "experiments"
MARK = "experiment.json"  # a folder that has it belongs to an experiment


@dataclass(frozen=True)
class ExperimentOptions:
    """The flags of `nntag experiment`."""

    data: str | Path | None = None  # a data folder, in place of the file's [data]
    out: str | Path | None = None
    jobs: int = 1
    seeds: Sequence[int] = ()
    small: bool = False
    rows: Sequence[str] = ()  # only these
    grid: Mapping[str, list[Any]] = field(default_factory=dict)  # other values for axes of the grid
    assignments: Values = field(default_factory=dict)  # settings over all rows
    device: str = "cpu"
    command: str = ""  # for the record


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

    A failed run costs no other. Raises `DataError` and `UsageError` for a file or flags that cannot be used, before
    anything is run.
    """
    options = options or ExperimentOptions()
    choose_device(options.device)
    if options.jobs < 1:
        raise UsageError(f"--jobs must be at least 1, found {options.jobs}")
    experiment = _choose(read_experiment(file), options)
    systems = plan_systems(experiment, options.assignments)
    name = experiment.path.stem + ("-small" if options.small else "")
    out = Path(options.out) if options.out else EXPERIMENTS / name
    with _own_folder(out, experiment):
        data, notes = _open_data(experiment, systems, options.data, out, progress)
        if experiment.test and not data.has_split("test"):
            notes.append(f"{data.path} has no test split: dev alone is scored")
            experiment = replace(experiment, test=False)
        runs = _plan_runs(experiment, systems, data, out)
        keys = named_keys(experiment, options.assignments)
        board = Board(experiment, data, runs, keys, out, options.command)
        waiting = [run for run in runs if not board.is_done(run)]
        for run in waiting:
            _write_request(run, data, experiment.test, options.device)
        board.show(progress)
        by_folder = {run.folder: run for run in waiting}
        run_workers(
            by_folder,
            options.jobs,
            lambda folder, reason: board.end(by_folder[folder], reason, progress),
            lambda: board.show(progress),
        )
        return ExperimentResult(out, board.write(), board.failed, [*notes, *board.plot()])


def _choose(experiment: Experiment, options: ExperimentOptions) -> Experiment:
    """The file with what the command line changes."""
    if options.small:
        experiment = experiment.make_small()
    if options.rows:
        experiment = experiment.choose_rows(options.rows)
    for axis in options.grid:
        if axis not in experiment.grid:
            known = ", ".join(experiment.grid) or "none"
            raise UsageError(f"--grid {axis}: {experiment.path} has no such axis ({known})")
    experiment = replace(experiment, grid={**experiment.grid, **options.grid})
    return experiment.choose_seeds(options.seeds) if options.seeds else experiment


@contextlib.contextmanager
def _own_folder(out: Path, experiment: Experiment) -> Iterator[None]:
    """Claims the folder: one experiment at a time writes there."""
    mark = out / MARK
    if out.exists() and not mark.is_file() and (not out.is_dir() or any(out.iterdir())):
        raise UsageError(f"{out} exists and was not made by `nntag experiment`; give another --out")
    out.mkdir(parents=True, exist_ok=True)
    mark.touch()  # before the lock's file, so that a kill leaves no folder that looks like another's
    with hold_lock(out / LOCK, UsageError(f"{out}: another experiment is at work there; wait, or give another --out")):
        with replace_file(mark) as partial:
            write_json(partial, {"experiment": experiment.path.name, "title": experiment.title})
        yield


def _open_data(
    experiment: Experiment, systems: Sequence[System], given: str | Path | None, out: Path, progress: ProgressCallback
) -> tuple[DataFolder, list[str]]:
    task = systems[0].settings.row.task
    if given:
        return open_data_folder(given, task), []
    if experiment.data is None:
        raise UsageError(f"{experiment.path}: has no [data] table; name a data folder with --data")
    folder, notes = make_data(experiment, out / "data", progress)
    return open_data_folder(folder, task), notes


def _plan_runs(experiment: Experiment, systems: Sequence[System], data: DataFolder, out: Path) -> list[PlannedRun]:
    """Seed by seed, so that a table with fewer seeds is complete early."""
    data_hash = hash_data(data)
    runs = []
    for number, seed in enumerate(experiment.seeds):
        for system in systems:
            if number and system.settings.row.counted:
                continue  # nothing in it is random
            settings = json.dumps(system.settings_for(seed).to_json(), sort_keys=True)
            key = hashlib.sha256(f"{settings}\n{data_hash}".encode()).hexdigest()[:8]
            runs.append(PlannedRun(system, seed, out / "runs" / f"{slug(system.label)}-s{seed}-{key}"))
    return runs


def hash_data(data: DataFolder) -> str:
    """What a data folder holds, wherever it lies."""
    files = sorted(path for path in data.path.rglob("*") if path.is_file())
    lines = [f"{path.relative_to(data.path)} {sha256_of(path)}" for path in files]
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _write_request(run: PlannedRun, data: DataFolder, test: bool, device: str) -> None:
    run.folder.mkdir(parents=True, exist_ok=True)
    request = {"settings": run.settings().to_json(), "data": str(data.path.resolve()), "test": test, "device": device}
    with replace_file(run.folder / REQUEST) as partial:
        write_json(partial, request)
