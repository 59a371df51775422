"""Run folders with a `request.json` each in, worker processes on them, N at a time; ends and failures reported."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path

LOG = "worker.log"  # what a run printed on stderr
POLL_SECONDS = 0.2
GRACE_SECONDS = 10.0  # between asking a worker to stop and killing it


def run_workers(
    runs: Iterable[Path], jobs: int, on_end: Callable[[Path, str | None], None], on_wait: Callable[[], None]
) -> None:
    """Runs a worker on each folder, `jobs` at a time.

    `on_end` gets the folder and, where the run failed, the reason. `on_wait` is called while workers run. Whatever is
    raised meanwhile (an interrupt) stops the workers that are running; each can be resumed.
    """
    waiting, running = deque(runs), dict[Path, subprocess.Popen[bytes]]()
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                run = waiting.popleft()
                running[run] = _start(run)
            time.sleep(POLL_SECONDS)
            for run in [run for run, process in running.items() if process.poll() is not None]:
                code = running.pop(run).returncode
                on_end(run, None if code == 0 else _reason(run, code))
            on_wait()
    finally:
        _stop(list(running.values()))


def run_one(run: Path) -> str | None:
    """Runs a worker on one folder; gives the reason where it failed."""
    process = _start(run)
    try:
        code = process.wait()
    finally:
        _stop([process])
    return None if code == 0 else _reason(run, code)


def _start(run: Path) -> subprocess.Popen[bytes]:
    """A session of its own keeps Ctrl-C on the terminal from the worker; its parent stops it."""
    threads = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "nntag.experiments.worker", str(run)]
    package = Path(__file__).parents[2]
    paths = os.pathsep.join(path for path in (str(package), os.environ.get("PYTHONPATH", "")) if path)
    with open(run / LOG, "wb") as log:
        return subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env={**os.environ, **threads, "PYTHONPATH": paths},
            start_new_session=True,
        )


def _stop(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        process.terminate()
    deadline = time.monotonic() + GRACE_SECONDS
    for process in processes:
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _reason(run: Path, code: int) -> str:
    """The last line that the worker printed, which is its error."""
    lines = [line for line in (run / LOG).read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    last = lines[-1].removeprefix("nntag: error: ") if lines else "it printed nothing"
    return last if code > 0 else f"ended by signal {-code}; last line: {last}"
