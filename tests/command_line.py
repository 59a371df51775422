"""Runs `nntag` commands inside the test process: arguments and stdin in, exit code, stdout and stderr out."""

from __future__ import annotations

import io
import logging
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

from nntag.cli import main


@dataclass(frozen=True)
class Finished:
    """What a command came to; a traceback (exit code 1) is raised as the exception that it is."""

    code: int
    out: str
    err: str

    @property
    def errors(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("nntag: error: ")]


def run_nntag(*arguments: object, stdin: bytes = b"") -> Finished:
    """Runs `nntag ARGUMENTS` with real descriptors 0, 1 and 2, so that nothing can print past the capture."""
    logger = logging.getLogger("nntag")
    terminate, level, propagate = signal.getsignal(signal.SIGTERM), logger.level, logger.propagate
    with _descriptors(stdin) as (out, err):
        old_arguments, sys.argv = sys.argv, ["nntag", *map(str, arguments)]
        try:
            main()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        finally:
            sys.argv = old_arguments
            signal.signal(signal.SIGTERM, terminate)
            logger.handlers.clear()
            logger.setLevel(level)
            logger.propagate = propagate
            sys.stdout.flush()
            sys.stderr.flush()
        return Finished(code, _read(out), _read(err))


def fails(*arguments: object, stdin: bytes = b"") -> str:
    """The one error line of a command that must fail as convention 1 says: exit 2, one line, nothing on stdout."""
    finished = run_nntag(*arguments, stdin=stdin)
    assert finished.code == 2, finished
    assert len(finished.errors) == 1 and finished.err.splitlines()[-1] == finished.errors[0], finished.err
    assert "Traceback" not in finished.err
    return finished.errors[0].removeprefix("nntag: error: ")


def _read(file: io.BufferedRandom) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "surrogateescape")


@contextmanager
def _descriptors(stdin: bytes) -> Iterator[tuple[io.BufferedRandom, io.BufferedRandom]]:
    """Descriptors 0-2 and `sys.stdin`, `sys.stdout`, `sys.stderr` on temporary files."""
    streams = sys.stdin, sys.stdout, sys.stderr
    saved = [os.dup(descriptor) for descriptor in (0, 1, 2)]
    with ExitStack() as stack:
        files = [stack.enter_context(tempfile.TemporaryFile()) for _ in range(3)]
        files[0].write(stdin)
        files[0].seek(0)
        try:
            for descriptor, file in enumerate(files):
                os.dup2(file.fileno(), descriptor)
            modes = ("r", "w", "w")
            sys.stdin, sys.stdout, sys.stderr = (
                stack.enter_context(open(descriptor, mode, encoding="utf-8", closefd=False))
                for descriptor, mode in enumerate(modes)
            )
            yield files[1], files[2]
        finally:
            for descriptor, copy in enumerate(saved):
                os.dup2(copy, descriptor)
                os.close(copy)
            sys.stdin, sys.stdout, sys.stderr = streams
