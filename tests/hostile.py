"""Hostile folders: run and data folders with one mutation each, opened by eval, tag, score, --resume and `nntag.load`.

`python -m tests.hostile --minutes 10` (`make hostile MINUTES=10`). A mutation may do no harm (exit 0); else it must be
refused in one line of at most 500 characters, with exit code 2, within 10 s and 1 GB. What ends otherwise is printed
with the seed that repeats it (`--first SEED --count 1`).
"""

from __future__ import annotations

import argparse
import contextlib
import copy
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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nntag
from nntag.errors import LONGEST_MESSAGE, NntagError
from tests.command_line import run_nntag

FOLDERS = Path(__file__).parent / "data" / "v0.1.0"  # without manifests, so that a mutation reaches what reads it
SECONDS, MEMORY = 10, 1 << 30
TREE = b"(2 (3 good) (2 (1 not) (2 film)))\n"
INPUTS = {"tagger": ("tag", b"the old dog saw it .\n"), "tree": ("tag", TREE), "tree-child-sum": ("tag", TREE)}
WAYS = ("eval", "use", "resume", "load", "train")
WHOLE = 10**400
NAMES = ("x", "optimiser/0/step", "optimiser/99/exp_avg", "training/x", "optimiser/a/b/c")  # of a tensor


def mutate_json(value: Any, rng: random.Random) -> Any:
    """The value with one of its parts replaced, left out or doubled."""
    value = copy.deepcopy(value)
    holder, key = value, None
    for _ in range(rng.randint(1, 6)):
        inside = holder if key is None else holder[key]
        if not isinstance(inside, dict | list) or not inside:
            break
        holder = inside
        key = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    if key is None:
        return rng.choice(VALUES)(rng)
    action = rng.random()
    if action < 0.15:
        del holder[key]
    elif action < 0.25 and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    else:
        holder[key] = rng.choice(VALUES)(rng)
    return value


def _nest(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


VALUES: tuple[Callable[[random.Random], Any], ...] = (
    lambda rng: rng.choice([None, True, False, "", "x", [], {}, 0, 1, -1, 2, 0.5]),
    lambda rng: rng.choice([WHOLE, -WHOLE, 10**9, 2**31, 2**63, -(2**63), 10**18]),
    lambda rng: rng.choice([float("nan"), float("inf"), -float("inf"), 1e308]),
    lambda rng: rng.choice(["\ud83d", "\udcff", "\0", "\n", "a\tb", "x" * 10**6, "../../etc/passwd", "none"]),
    lambda rng: _nest(rng.choice([30, 200])),
    lambda rng: [rng.choice(["a", 1, None, [], 0.1])] * rng.choice([1, 3, 10**5]),
    lambda rng: {rng.choice(["a", "x" * 10**5, "\ud83d"]): rng.choice([1, [], {}])},
)


def mutate_bytes(data: bytes, rng: random.Random) -> bytes:
    """The bytes cut, with flipped bits, or with a piece replaced."""
    place = rng.randrange(max(1, len(data)))
    kind = rng.randrange(5)
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data + bytes(rng.randrange(256) for _ in range(9))
    if kind == 2:
        return b"[" * rng.choice([1, 1500, 10**5]) + data
    changed = bytearray(data)
    for _ in range(1 if kind == 3 else 20):
        spot = rng.randrange(min(len(data), 2000)) if rng.random() < 0.5 else rng.randrange(max(1, len(data)))
        if changed:
            changed[min(spot, len(changed) - 1)] = rng.randrange(256)
    return bytes(changed)


def mutate_tensors(data: bytes, rng: random.Random) -> bytes:
    """A safetensors file with one thing of its header, of the state in that, or of its numbers replaced."""
    size = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + size]), bytearray(data[8 + size :])
    kind = rng.randrange(4)
    names = [name for name in header if name != "__metadata__"]
    if kind == 0 and header.get("__metadata__", {}).get("state"):
        state = mutate_json(json.loads(header["__metadata__"]["state"]), rng)
        header["__metadata__"]["state"] = json.dumps(state)
    elif kind == 1:
        entry = header[rng.choice(names)]
        places = range(entry["data_offsets"][0], entry["data_offsets"][1] - 3, 4)
        if len(places):
            place = rng.choice(places)
            body[place : place + 4] = rng.choice([b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\xff\xff\x7f\x7f", b"\0\0\0\0"])
    elif kind == 2:
        name = rng.choice(names)
        entry = header.pop(name)
        entry["dtype"] = rng.choice([entry["dtype"], "F16", "I32", "I64", "BOOL", "U8"])
        entry["shape"] = rng.choice([entry["shape"], entry["shape"][::-1], [10**9, 10**9], [], [0]])
        header[rng.choice([name, "x", "optimiser/0/step", "optimiser/99/exp_avg", "training/x", "optimiser/a/b/c"])] = (
            entry
        )
    else:
        header = mutate_json(header, rng)
    text = json.dumps(header).encode("utf-8", "surrogatepass")
    return len(text).to_bytes(8, "little") + text + bytes(body)


def mutate_file(path: Path, rng: random.Random) -> str:
    """Puts something hostile in the place of a file; says what."""
    if rng.random() < 0.06:
        path.unlink()
        kind = rng.choice(["device", "pipe", "folder", "gone"])
        if kind == "device":
            path.symlink_to("/dev/zero")
        elif kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        return kind
    data = path.read_bytes()
    if path.suffix == ".json" and rng.random() < 0.75:
        text = json.dumps(mutate_json(json.loads(data), rng))
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        return "value"
    if path.suffix == ".safetensors" and rng.random() < 0.75:
        path.write_bytes(mutate_tensors(data, rng))
        return "tensors"
    path.write_bytes(mutate_bytes(data, rng))
    return "bytes"


def use(run: str, way: str) -> str:
    """Opens the run in the working folder in one way; "" where that ended as it should."""
    command, text = INPUTS.get(run, ("score", b"the old dog saw it .\n"))
    if way == "load":
        try:
            nntag.load(f"runs/{run}")
        except NntagError as error:
            return "" if len(str(error)) <= LONGEST_MESSAGE else f"a message of {len(str(error)):,} characters"
        return ""
    arguments: dict[str, tuple[object, ...]] = {
        "eval": ("eval", "--model", f"runs/{run}"),
        "use": (command, "--model", f"runs/{run}"),
        "resume": ("train", "--resume", "--out", f"runs/{run}", "--epochs", 3),
        "train": ("train", "--model", MODELS[run], "--data", data_of(run), "--epochs", 1, "--out", "new", *SMALL[run]),
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
SMALL: dict[str, tuple[object, ...]] = {run: ("--set", "hidden=4") if run != "ngram" else () for run in MODELS}


def data_of(run: str) -> str:
    """The data folder that a run was trained on."""
    return str(json.loads((FOLDERS / "runs" / run / "best" / "config.json").read_text(encoding="utf-8"))["data"])


def try_one(seed: int) -> str:
    """One mutation in a process of its own; "" where all went well."""
    rng = random.Random(seed)
    run = rng.choice(sorted(MODELS))
    with tempfile.TemporaryDirectory(prefix="nntag-hostile-") as name:
        here, data = Path(name), data_of(run)
        shutil.copytree(FOLDERS / "runs" / run, here / "runs" / run)
        shutil.copytree(FOLDERS / data, here / data)
        files = sorted(path for path in here.rglob("*") if path.is_file() and path.name != "log.jsonl")
        file = rng.choice(files)
        what = f"{file.relative_to(here)} ({mutate_file(file, rng)})"
        way = rng.choice(WAYS)
        ended = _in_a_process(lambda: use(run, way), here)
    return f"seed {seed}: {what}: {ended}" if ended else ""


def _in_a_process(work: Callable[[], str], here: Path) -> str:
    """What `work` returns, with limits on its memory and time; how it ended where it did not."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.chdir(here)
        used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1))
        try:
            ended = work()
        except BaseException:
            ended = traceback.format_exc()[-600:]
        os.write(writer, ended.encode("utf-8", "backslashreplace")[:60_000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        started = time.monotonic()
        signal.signal(signal.SIGALRM, lambda number, frame: os.kill(child, signal.SIGKILL))
        signal.alarm(6 * SECONDS)  # asleep, as before a pipe that nobody writes to
        ended = pipe.read().decode()
        signal.alarm(0)
    _, status, usage = os.wait4(child, 0)
    if status:
        return (
            f"ended by signal or status {status} after {time.monotonic() - started:.0f} s, {usage.ru_maxrss >> 10} MB"
        )
    return ended


def warm_up() -> None:
    """Uses intact folders in every way: they must be taken, and what that imports no process of a mutation has to."""
    for run in MODELS:
        with tempfile.TemporaryDirectory(prefix="nntag-hostile-") as name, contextlib.chdir(name):
            shutil.copytree(FOLDERS, name, dirs_exist_ok=True)
            for way in WAYS:
                assert not use(run, way), (run, way)


def main() -> int:
    warm_up()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--first", type=int, default=1, help="seed of the first mutation")
    parser.add_argument("--count", type=int, default=10**9, help="at most so many")
    options = parser.parse_args()
    end, bad, tried = time.monotonic() + 60 * options.minutes, Counter[str](), 0
    for seed in range(options.first, options.first + options.count):
        if time.monotonic() > end:
            break
        tried += 1
        if ended := try_one(seed):
            bad["failed"] += 1
            print(ended, flush=True)
    print(f"{tried} hostile folders from seed {options.first}, {bad['failed']} ended badly")
    return min(1, bad["failed"])


if __name__ == "__main__":
    sys.exit(main())
