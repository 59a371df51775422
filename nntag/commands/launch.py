"""`nntag train --processes N`: the same command in N processes; their end in, one exit code out.

Each process gets the variables that `torchrun` would give it. The first one has the standard streams; of the others
only an error is shown. They end when this process does, however that ends.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType
from typing import IO

PARENT = "NNTAG_PARENT"  # set for processes whose standard input ends when their parent does
GRACE = 60.0  # seconds in which the others may end after one has
POLL = 0.05


def run_processes(arguments: Sequence[str], count: int) -> int:
    """Runs `nntag ARGUMENTS` in `count` processes of this machine; returns the exit code of the first to fail, or 0."""
    with tempfile.TemporaryFile() as others:
        port = free_port()
        processes = [_start(arguments, rank, count, port, others) for rank in range(count)]
        handlers = {number: signal.signal(number, _forward_to(processes[0])) for number in _SIGNALS}
        try:
            return _wait(processes, others)
        finally:
            for process in processes:
                process.kill()
            for number, handler in handlers.items():
                signal.signal(number, handler)


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


def end_with_parent() -> None:
    """In a process that `run_processes` has started: has it stop as by SIGTERM when its parent has gone."""
    if os.environ.get(PARENT):
        threading.Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    os.read(0, 1)  # nothing is ever written: this returns when the other end of the pipe has gone
    os.kill(os.getpid(), signal.SIGTERM)


def _start(arguments: Sequence[str], rank: int, count: int, port: int, others: IO[bytes]) -> subprocess.Popen[bytes]:
    own = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": count, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    environment = {**os.environ, **{name: str(value) for name, value in own.items()}, PARENT: "1"}
    if sys.platform == "linux":
        environment.setdefault("GLOO_SOCKET_IFNAME", "lo")
    return subprocess.Popen(
        [sys.executable, "-m", "nntag", *arguments],
        env=environment,
        stdin=subprocess.PIPE,
        stdout=None if rank == 0 else subprocess.DEVNULL,
        stderr=None if rank == 0 else others,
        start_new_session=True,  # Ctrl-C reaches this process alone, which passes it on once
    )


def _forward_to(first: subprocess.Popen[bytes]) -> Callable[[int, FrameType | None], None]:
    return lambda number, frame: first.send_signal(number)


def _wait(processes: list[subprocess.Popen[bytes]], others: IO[bytes]) -> int:
    """For all to end; once one has failed, the others are ended if they do not do so themselves."""
    failed, told, deadline = 0, False, 0.0
    while any(process.poll() is None for process in processes):
        codes = [process.returncode for process in processes]
        if deadline == 0 and any(codes):
            failed, deadline = next(code for code in codes if code), time.monotonic() + GRACE
            if told := not codes[0]:
                _tell(codes.index(failed), failed, others)
        if deadline and time.monotonic() > deadline:
            break
        time.sleep(POLL)
    codes = [process.poll() for process in processes]
    for rank, code in enumerate(codes):
        if rank and not told and code and (code < 0 or not codes[0]):  # the first one has told of itself
            _tell(rank, code, others)
            break
    failed = codes[0] or failed or next((code for code in codes if code), 0)
    return 128 - failed if failed < 0 else failed


def _tell(rank: int, code: int, others: IO[bytes]) -> None:
    """Which process has failed, and the last line that it said."""
    others.seek(0)
    lines = others.read().decode("utf-8", "replace").strip().splitlines()
    reason = f"ended by signal {-code}" if code < 0 else f"ended with exit code {code}"
    print(f"nntag: process {rank + 1} {reason}{': ' + lines[-1] if lines else ''}", file=sys.stderr)


def free_port() -> int:
    """A port of this machine that nothing listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
