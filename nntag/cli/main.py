"""The `nntag` script: exit codes, one-line errors, quiet ends of pipes and interrupts."""

from __future__ import annotations

import errno
import logging
import os
import signal
import sys
from typing import Any, NoReturn

import typer

from nntag.errors import NntagError, cut

USERS_ERRORS = {  # of the file system, which the user can fix; any other is our bug
    getattr(errno, name)
    for name in ("ENOSPC", "EFBIG", "EDQUOT", "EACCES", "EPERM", "EROFS", "ENAMETOOLONG", "ELOOP", "ENOTDIR", "EISDIR")
}
INTERRUPTED, TERMINATED = 130, 143  # exit codes after Ctrl-C and SIGTERM: 128 + the signal's number
OUT_OF_MEMORY = "not enough memory; try a smaller model, smaller batches (--batch-size) or shorter input"


def main() -> NoReturn:
    """The `nntag` script. Exit codes: 0 done, 1 our bug (traceback), 2 what the user can fix, 128 + signal stopped."""
    _set_up_streams()
    stop = INTERRUPTED

    def terminate(number: int, frame: object) -> NoReturn:
        nonlocal stop
        stop = TERMINATED
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, terminate)
    try:
        code = _run()
    except KeyboardInterrupt:
        code = INTERRUPTED
    if code == INTERRUPTED:
        code = stop
        print(f"nntag: {'interrupted' if stop == INTERRUPTED else 'terminated'}", file=sys.stderr)
    _leave(code)


def _run() -> int:
    from nntag.cli.app import build_app

    try:
        result = build_app()(standalone_mode=False)
        return result if isinstance(result, int) else 0
    except NntagError as error:
        return _fail(str(error), error.exit_code)
    except BrokenPipeError:
        return 0
    except SystemExit as exit_:  # Typer turns a closed pipe into exit 1
        if isinstance(exit_.__context__, BrokenPipeError):
            return 0
        raise
    except MemoryError:
        return _fail(OUT_OF_MEMORY, 2)
    except OSError as error:
        if error.errno in USERS_ERRORS:
            return _fail(f"{cut(str(error.filename or 'output'), 400)}: {error.strerror}", 2)
        raise
    except Exception as error:
        if type(error).__name__ == "NoArgsIsHelpError":
            typer.echo(str(error))
            return 2
        if type(error).__name__ == "OutOfMemoryError" or "can't allocate memory" in str(error):  # torch, CUDA and CPU
            return _fail(OUT_OF_MEMORY, 2)
        format_message = getattr(error, "format_message", None)  # Typer's own usage errors
        if format_message is None:
            raise
        context: Any = getattr(error, "ctx", None)
        hint = f" (see `{context.command_path} --help`)" if context is not None else ""
        return _fail(f"{format_message()}{hint}", 2)


def _fail(message: str, code: int) -> int:
    print(f"nntag: error: {' '.join(message.splitlines())}", file=sys.stderr)
    return code


def _set_up_streams() -> None:
    """UTF-8 whatever the locale says; remarks and warnings of the package go to stderr.

    A standard stream that is closed (`<&-`) becomes the null device, so that no file of ours takes its place.
    """
    from nntag.cli.printing import WarningHandler

    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode))  # noqa: SIM115 (open as long as the process runs)
    for stream, errors in ((sys.stdout, "surrogateescape"), (sys.stderr, "backslashreplace")):
        stream.reconfigure(encoding="utf-8", errors=errors)  # type: ignore[union-attr]
    logger = logging.getLogger("nntag")
    logger.addHandler(WarningHandler())
    logger.setLevel(logging.INFO)
    logger.propagate = False


def _leave(code: int) -> NoReturn:
    """Exits; where the reader of stdout has gone, what is still buffered has nowhere to go."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        code = _fail(f"stdout: {error.strerror}", 2)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
