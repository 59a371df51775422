"""`nntag tag`: lines in, the same lines with predictions out, as they arrive, by a run of any task that tags."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

from nntag.config.fields import check_flags
from nntag.config.options.use import TagOptions, list_models
from nntag.config.tasks import find_task
from nntag.corpora.lines import Lines, open_lines
from nntag.corpora.packing import unpacked_name
from nntag.errors import RunError, UsageError
from nntag.files import replace_file
from nntag.training.device import choose_device
from nntag.training.ensemble import load_runs
from nntag.training.runs import newest_run
from nntag.training.task import Run

SUFFIXES = {"columns": ".tsv", "trees": ".txt", "table": ".txt", "picture": ".txt"}  # else the format's name


def load_to_tag(options: TagOptions) -> Run:
    """The run that the options name, or the newest tagger; raises `UsageError` for flags that it has no use for."""
    named = list_models(options.model)
    run = load_runs(named or (_newest_that_tags(),), options.weights, choose_device(options.device))
    models = find_task(run.task.name).models
    check_flags(
        options, run.task.name, lambda flag, tasks: f"{flag} is for taggers, and {run.folder} is one of the {models}"
    )
    return run


def _newest_that_tags() -> Path:
    """The newest tagger, or the newest tree model where there is no tagger; raises `RunError`."""
    try:
        return newest_run("tagging")
    except RunError:
        with contextlib.suppress(RunError):
            return newest_run("sentiment")
        raise


def tag(run: Run, lines: Lines, write: Callable[[bytes], None], options: TagOptions) -> int:
    """Writes what `lines` holds with predictions; returns how many items. Raises `DataError`, `UsageError`."""
    return run.task.tag(run, lines, write, options)


def tag_files(
    run: Run, options: TagOptions, done: Callable[[Path, int], None] = lambda path, count: None
) -> list[Path]:
    """Tags each file that the options name into a file of `output_dir`, complete or absent, and returns those.

    A folder's files keep their places below it. `done` hears of each finished file and how many items it has. Raises
    `UsageError` where two files would have one name or one would replace its own input, `DataError`.
    """
    written = []
    for source, target in _plan_files(run, options).items():
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with replace_file(target) as partial, partial.open("wb") as file:
                count = tag(run, open_lines(source), _writer(file), options)
        except OSError as error:
            raise UsageError(f"{error.filename or target}: cannot write --output-dir: {error.strerror}") from None
        written.append(target)
        done(target, count)
    return written


def _writer(file: BinaryIO) -> Callable[[bytes], None]:
    def write(data: bytes) -> None:
        file.write(data)

    return write


def _plan_files(run: Run, options: TagOptions) -> dict[Path, Path]:
    """Input file -> output file."""
    assert options.output_dir is not None
    format = options.format or run.task.tag_format
    suffix = SUFFIXES.get(format, f".{format}")
    plan: dict[Path, Path] = {}
    taken: dict[Path, Path] = {}
    for name in options.files or ("-",):
        if name == "-":
            raise UsageError("--output-dir takes files and folders, not standard input")
        given = Path(name)
        files = sorted(path for path in given.rglob("*") if path.is_file()) if given.is_dir() else [given]
        files = [file for file in files if not any(part.startswith(".") for part in file.relative_to(given).parts)]
        if not files:
            raise UsageError(f"{given}: no files in this folder")
        for file in files:
            place = file.relative_to(given) if given.is_dir() else Path(file.name)
            target = options.output_dir / unpacked_name(place).with_suffix(suffix)
            if taken.setdefault(target, file) != file:
                raise UsageError(f"{file} and {taken[target]} would both become {target}; tag them apart")
            if target.resolve() == file.resolve():
                raise UsageError(f"{target} would replace the file that is tagged; give another --output-dir")
            plan[file] = target
    return plan
