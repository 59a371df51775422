"""Kills: `train`, `preprocess`, `experiment` and `tag` to files, each killed at a random moment and gone on with.

`python -m tests.kills --count 200` (`make kills N=200`). Half of the kills (SIGKILL) come after a random time, half at
a random file operation. What lies there after a kill must be whole or absent, and what is there after the same command
again (`train`: with --resume, where an epoch was saved) must be, but for times, what an undisturbed command leaves, bit
for bit. Processes are forked from one that has imported everything.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import random
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import safe_open

from nntag.cli import main as run_script
from nntag.commands.verify import verify
from nntag.errors import NntagError
from nntag.experiments import board as experiment_board
from nntag.experiments import run as experiment_module
from nntag.experiments.worker import run_request
from nntag.sample import write_sample
from tests.hostile import processor_seconds

FOLDERS = Path(__file__).parent / "data" / "v0.1.0"
OPERATIONS = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir", "shutil.rmtree", "shutil.move")
WEIGHTS = "model.safetensors"
EARLY = "ended before the kill"
SMALL = ("--hidden", 4, "--epochs", 3, "--seed", 3)
TABLE = """
title = "Two"
seeds = [1]
test = true
[recipe]
epochs = 2
[settings]
hidden = 4
[[rows]]
name = "a"
model = "skip-none"
[[rows]]
name = "b"
model = "skip-gated"
"""

Arguments = tuple[object, ...]


@dataclass(frozen=True)
class Job:
    """One command, by what its output is looked at, and how it is gone on with."""

    command: Arguments
    output: str  # the folder that it writes
    content: Callable[[Path], dict[str, Any]]  # of that folder, all that may not differ
    again: Callable[[Path], Arguments] = lambda output: ()  # flags for going on
    check: Callable[[Path], None] = lambda output: None  # raises where what a kill left is not whole


@dataclass(frozen=True)
class Undisturbed:
    """How a job goes that is not killed."""

    content: dict[str, Any]  # of what it leaves
    seconds: float
    operations: int  # on files


def train_job(data: str, model: str, *flags: object) -> Job:
    command = ("train", "--model", model, "--data", FOLDERS / "data" / data, "--out", "run", *flags)
    return Job(command, "run", run_content, lambda run: ("--resume",) if is_begun(run) else ())


def is_begun(run: Path) -> bool:
    """Whether a run has something to go on from; a counted one has no `last`."""
    return (run / "last" / WEIGHTS).exists() or ((run / "best" / WEIGHTS).exists() and not (run / "last").exists())


def run_content(run: Path) -> dict[str, Any]:
    """Tensors, state and log of a run, without times."""
    found: dict[str, Any] = {path.relative_to(run).as_posix(): None for path in run.rglob("*") if path.is_file()}
    found["log.jsonl"] = [without_times(json.loads(line)) for line in (run / "log.jsonl").read_text().splitlines()]
    for path in run.glob(f"*/{WEIGHTS}"):
        with safe_open(path, "pt") as file:
            tensors = {name: file.get_tensor(name).numpy().tobytes() for name in file.keys()}  # noqa: SIM118
            state = json.loads((file.metadata() or {}).get("state", "{}"))
        found[path.parent.name] = tensors, without_times(state)
    verify(run)
    return found


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if "second" not in key and key != "sha256"}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def bytes_content(folder: Path) -> dict[str, Any]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def experiment_content(folder: Path) -> dict[str, Any]:
    report = json.loads((folder / "results.json").read_text())
    found: dict[str, Any] = {"rows": [(row["row"], row["dev"], row["test"]) for row in report["rows"]]}
    for run in (folder / "runs").iterdir():
        found[run.name] = run_content(run)
    return found


def check_data(folder: Path) -> None:
    if folder.exists():
        verify(folder)


def check_whole_lines(folder: Path) -> None:
    for path in folder.glob("[!.]*"):
        assert path.read_bytes() == (folder.parent / "expected" / path.name).read_bytes(), f"{path.name} is half a file"


def make_jobs(root: Path) -> dict[str, list[Job]]:
    """The jobs by command; `root` gets what they read."""
    files = {name: write_sample(name, root / name, 40) for name in ("conllu", "text", "sst")}
    (root / "table.toml").write_text(TABLE)
    (root / "texts").mkdir()
    for split, path in files["text"].items():
        shutil.copy(path, root / "texts" / f"{split}.txt")
    prepare = [
        Job(
            ("preprocess", name, *(w for s, p in paths.items() for w in (f"--{s}", p)), "--out", "data"),
            "data",
            bytes_content,
            check=check_data,
        )
        for name, paths in files.items()
    ]
    table = ("experiment", root / "table.toml", "--data", FOLDERS / "data/tagging", "--out", "table")
    tag = ("tag", "--model", FOLDERS / "runs/tagger", root / "texts", "--output-dir", "tagged")
    return {
        "train": [
            train_job("tagging", "skip-none", *SMALL),
            train_job("lm", "lstm-lm", *SMALL),
            train_job("trees", "tree-lstm", *SMALL),
            train_job("lm", "ngram"),
        ],
        "preprocess": prepare,
        "experiment": [Job(table, "table", experiment_content)],
        "tag": [Job(tag, "tagged", bytes_content, check=check_whole_lines)],
    }


def start(arguments: Arguments, here: Path, operation: int = 0) -> int:
    """Forks a process that runs the command in the folder; it kills itself before that file operation, if any. A whole
    run leaves their number in the file `operations`."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        os.chdir(here)
        with open("log", "ab") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        sys.argv = ["nntag", *map(str, arguments)]
        count = _count_operations(operation)
        run_script()
    except SystemExit as exit_:
        code = int(exit_.code or 0)
    finally:
        sys.stderr.flush()
        Path("operations").write_text(str(count()))
        os._exit(code)


def _count_operations(last: int) -> Callable[[], int]:
    """Counts what is done to files from now on, and kills the process before the `last` of them; gives the count."""
    done = 0

    def hear(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal done
        if event in OPERATIONS and (event != "open" or arguments[1] not in ("r", "rb")):
            done += 1
            if done == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(hear)
    return lambda: done


def run_to_its_end(arguments: Arguments, here: Path) -> None:
    """Raises AssertionError with what the command said where it did not end well."""
    code = os.waitstatus_to_exitcode(os.waitpid(start(arguments, here), 0)[1])
    assert code == 0, f"exit {code}: {(here / 'log').read_text()[-300:]}"


def kill_one(job: Job, rng: random.Random, expected: Undisturbed) -> bool:
    """Starts the job in the working folder and kills it; whether it was still at work."""
    by_time = rng.random() < 0.5
    child = start(job.command, Path.cwd(), 0 if by_time else rng.randint(1, expected.operations))
    if by_time:
        time.sleep(rng.uniform(0, expected.seconds))
        os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def try_one(job: Job, expected: Undisturbed, rng: random.Random) -> tuple[bool, str]:
    """Whether a process was killed, and what was wrong afterwards ("" for nothing), in the working folder."""
    here, output = Path.cwd(), Path.cwd() / job.output
    killed = kill_one(job, rng, expected)
    try:
        job.check(output)
        run_to_its_end((*job.command, *job.again(output)), here)
        found = job.content(output)
        leftovers = [path.name for path in here.rglob("*") if "partial" in path.name or path.name == ".lock"]
        assert not leftovers, f"left behind: {leftovers}"
        wanted = expected.content
        differing = [name for name in {*found, *wanted} if found.get(name) != wanted.get(name)]
        assert not differing, f"differ: {sorted(differing)}"
    except (AssertionError, NntagError, OSError, ValueError) as error:
        return killed, str(error)
    return killed, ""


def kill_many(count: int, seed: int, minutes: float = math.inf) -> Counter[str]:
    """Kills `count` processes, of each command as many, or as many as the minutes allow; prints what went wrong.
    Returns the kills by command, and how many went wrong."""
    end = time.monotonic() + 60 * minutes
    torch.set_num_threads(1)
    experiment_module.run_workers = _run_here  # type: ignore[assignment]
    experiment_board.plots_are_possible = lambda: False  # type: ignore[assignment]
    rng, counts = random.Random(seed), Counter[str]()
    with tempfile.TemporaryDirectory(prefix="nntag-kills-") as name:
        root = Path(name)
        jobs = make_jobs(root)
        known: dict[Arguments, Undisturbed] = {}
        while sum(counts[command] for command in jobs) < count and time.monotonic() < end:
            command = min(jobs, key=lambda command: counts[command])
            job = rng.choice(jobs[command])
            if job.command not in known:
                known[job.command] = run_undisturbed(job, root / f"expected-{len(known)}")
            here = root / "here"
            here.mkdir()
            if command == "tag":
                (here / "expected").symlink_to(root / f"expected-{list(known).index(job.command)}" / job.output)
            os.chdir(here)
            killed, wrong = try_one(job, known[job.command], rng)
            counts[command] += killed
            counts[EARLY] += not killed
            if wrong:
                counts["bad"] += 1
                print(f"{' '.join(map(str, job.command))}: {wrong}", flush=True)
            os.chdir(root)
            shutil.rmtree(here)
    return counts


def run_undisturbed(job: Job, here: Path) -> Undisturbed:
    here.mkdir()
    started = time.monotonic()
    run_to_its_end(job.command, here)
    seconds = time.monotonic() - started
    return Undisturbed(job.content(here / job.output), seconds, int((here / "operations").read_text()))


def _run_here(runs: Any, jobs: int, on_end: Callable[..., None], on_wait: Callable[[], None]) -> None:
    """In the place of worker processes, each of which would import torch: they end with their parent anyway."""
    for run in runs:
        run_request(run)
        on_end(run, None)
        on_wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--minutes", type=float, default=math.inf, help="at most so long")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    started, here = time.monotonic(), os.getcwd()
    counts = kill_many(options.count, options.seed, options.minutes)
    os.chdir(here)
    bad, early = counts.pop("bad", 0), counts.pop(EARLY, 0)
    told = ", ".join(f"{name} {number}" for name, number in counts.items())
    seconds = f"{time.monotonic() - started:.0f} s ({processor_seconds():.0f} s of CPU)"
    print(f"{counts.total()} kills ({told}) and {early} that came too late, in {seconds}; {bad} ended badly")
    return min(1, bad)


if __name__ == "__main__":
    sys.exit(main())
