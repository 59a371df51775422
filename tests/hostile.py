"""Hostile folders: run and data folders with one mutation each, opened by eval, tag, score, --resume and `nntag.load`.

`python -m tests.hostile --minutes 10` (`make hostile MINUTES=10`). A mutation may do no harm (exit 0); else it must be
refused in one line of at most 500 characters, with exit code 2, within 10 s and 1 GB. What ends otherwise is printed
with the seed that repeats it (`--first SEED --count 1`).
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import nntag
from nntag.errors import LONGEST_MESSAGE, NntagError
from nntag.manifest import write_manifest
from tests.command_line import run_nntag
from tests.encoding.contextual.tiny_encoder import make_bert
from tests.mutations import mutate_file

FOLDERS = Path(__file__).parent / "data" / "v0.1.0"  # without manifests, so that a mutation reaches what reads it
SECONDS, MEMORY = 10, 1 << 30
TREE = b"(2 (3 good) (2 (1 not) (2 film)))\n"
TEXT = b"the old dog saw it .\n"
INPUTS = {"tagger": ("tag", TEXT), "contextual": ("tag", TEXT), "tree": ("tag", TREE), "tree-child-sum": ("tag", TREE)}
WAYS = ("eval", "use", "resume", "load", "train", "verify")


def use(run: str, way: str, data: str) -> str:
    """Opens the run or its data folder in the working folder in one way; "" where that ended as it should."""
    command, text = INPUTS.get(run, ("score", b"the old dog saw it .\n"))
    if way == "load":
        try:
            nntag.load(f"runs/{run}")
        except NntagError as error:
            return "" if len(str(error)) <= LONGEST_MESSAGE else f"a message of {len(str(error)):,} characters"
        return ""
    arguments: dict[str, tuple[object, ...]] = {
        "eval": ("eval", "--model", f"runs/{run}", "--data", data),
        "use": (command, "--model", f"runs/{run}"),
        "resume": ("train", "--resume", "--out", f"runs/{run}", "--data", data, "--epochs", 3),
        "train": ("train", "--model", ALL[run], "--data", data, "--epochs", 1, "--out", "new", *SMALL[run]),
        "verify": ("verify", f"runs/{run}", data),
    }
    done = run_nntag(*arguments[way], stdin=text)
    if done.code == 0:
        return ""
    longest = max(map(len, done.errors), default=0) - len("nntag: error: ")
    if done.code == 2 and len(done.errors) == 1 and "Traceback" not in done.err and longest <= LONGEST_MESSAGE:
        return ""
    return f"{way}: exit {done.code}, {done.err[-300:]!r}"


MODELS = {
    "tagger": "skip-none",
    "rm": "rm",
    "ngram": "ngram",
    "tree": "tree-lstm",
    "tree-child-sum": "tree-lstm-child-sum",
}
ALL = MODELS | {"contextual": "skip-none"}  # that one is trained anew, where transformers is installed
SMALL: dict[str, tuple[object, ...]] = {run: ("--set", "hidden=4") if run != "ngram" else () for run in ALL}


def data_of(run: str) -> str:
    """The data folder that a run was trained on."""
    config = FOLDERS / "runs" / ("tagger" if run == "contextual" else run) / "best" / "config.json"
    return str(json.loads(config.read_text(encoding="utf-8"))["data"])


def make_sealed(root: Path) -> list[str]:
    """Trains the runs anew, on data folders with manifests: folders with all the sums of this version; their names."""
    shutil.copytree(FOLDERS / "data", root / "data")
    for folder in (root / "data").iterdir():
        write_manifest(folder)
    runs = list(MODELS)
    more: tuple[object, ...] = ()
    if importlib.util.find_spec("transformers") is not None:
        make_bert(root / "bert")
        runs.append("contextual")
        more = ("--contextual", root / "bert", "--embed-encoder")
    for run in runs:
        flags = (*SMALL[run], *(more if run == "contextual" else ()))
        done = run_nntag(
            "train",
            "--model",
            ALL[run],
            "--data",
            root / data_of(run),
            "--out",
            root / "runs" / run,
            "--epochs",
            2,
            *flags,
        )
        assert done.code == 0, done.err
    return sorted(runs)


def try_one(seed: int, ways: tuple[str, ...] = WAYS, folders: Path = FOLDERS, runs: Sequence[str] = ()) -> str:
    """One mutation in a process of its own; "" where all went well."""
    rng = random.Random(seed)
    run = rng.choice(runs or sorted(MODELS))
    with tempfile.TemporaryDirectory(prefix="nntag-hostile-") as name:
        here, data = Path(name), data_of(run)
        shutil.copytree(folders / "runs" / run, here / "runs" / run)
        shutil.copytree(folders / data, here / data)
        free = ("log.jsonl", "README.md")
        files = sorted(path for path in here.rglob("*") if path.is_file() and path.name not in free)
        file = rng.choice(files)
        what = f"{file.relative_to(here)} ({mutate_file(file, rng)})"
        way = rng.choice(ways)
        ended = in_a_process(lambda: use(run, way, data), here)
    return f"seed {seed}: {what}: {ended}" if ended else ""


def in_a_process(work: Callable[[], str], here: Path, may_be_long: bool = False) -> str:
    """What `work` returns, with limits on its memory and time; how it ended where it did not, if not `may_be_long`."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.chdir(here)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        most = 3 if may_be_long else SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 1))
        try:
            ended = work()
        except BaseException:
            ended = traceback.format_exc()[-600:]
        os.write(writer, ended.encode("utf-8", "backslashreplace")[:60_000])
        os._exit(0)
    os.close(writer)
    started, used_before = time.monotonic(), -1

    def kill_if_asleep(number: int, frame: object) -> None:
        """A process before a pipe that nobody writes to uses no time, and has no end."""
        nonlocal used_before
        used = sum(map(int, Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:13]))
        if used == used_before:
            os.kill(child, signal.SIGKILL)
        used_before = used
        signal.alarm(2 * SECONDS)

    with os.fdopen(reader, "rb") as pipe:
        signal.signal(signal.SIGALRM, kill_if_asleep)
        signal.alarm(2 * SECONDS)
        ended = pipe.read().decode()
        signal.alarm(0)
    _, status, usage = os.wait4(child, 0)
    if may_be_long and os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL):
        return ""
    if status:
        return (
            f"ended by signal or status {status} after {time.monotonic() - started:.0f} s, {usage.ru_maxrss >> 10} MB"
        )
    return ended


def processor_seconds() -> float:
    """Of this process and of those that it has waited for."""
    return time.process_time() + sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])


def warm_up(ways: tuple[str, ...] = WAYS) -> None:
    """Uses intact folders in every way: they must be taken, and what that imports no process of a mutation has to."""
    for run in MODELS:
        with tempfile.TemporaryDirectory(prefix="nntag-hostile-") as name, contextlib.chdir(name):
            shutil.copytree(FOLDERS, name, dirs_exist_ok=True)
            for way in ways:
                assert not use(run, way, data_of(run)), (run, way)


def main() -> int:
    warm_up()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--first", type=int, default=1, help="seed of the first mutation")
    parser.add_argument("--count", type=int, default=10**9, help="at most so many")
    options = parser.parse_args()
    end, bad, tried = time.monotonic() + 60 * options.minutes, 0, Counter[str]()
    with tempfile.TemporaryDirectory(prefix="nntag-sealed-") as name:
        sealed = make_sealed(Path(name))
        for seed in range(options.first, options.first + options.count):
            if time.monotonic() > end:
                break
            own: tuple[Any, ...] = (WAYS, Path(name), sealed) if seed % 2 else ()  # of version 0.1.0, or sealed
            tried["sealed" if own else "of version 0.1.0"] += 1
            if ended := try_one(seed, *own):
                bad += 1
                print(ended, flush=True)
    told = ", ".join(f"{number} {kind}" for kind, number in tried.items())
    where = f"from seed {options.first} in {processor_seconds():.0f} s of CPU"
    print(f"{sum(tried.values())} hostile folders ({told}) {where}, {bad} ended badly")
    return min(1, bad)


if __name__ == "__main__":
    sys.exit(main())
