"""A worker of a job: the model is loaded once, then each part read, worked on and written, whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from nntag.corpora.parts import open_part
from nntag.errors import NntagError, RunError
from nntag.files import replace_file
from nntag.integrations.annotate import load_annotator
from nntag.integrations.job import Job
from nntag.integrations.parquet import COLUMNS, RowGroups, annotate_parquet
from nntag.manifest import describe_file
from nntag.training.device import use_threads

MOST_TRIES = 5  # of one part; a fault in its text is no try: it is told at once


@dataclass(frozen=True)
class PartDone:
    """What became of a part."""

    part: int
    sentences: int = 0  # or rows of a Parquet file
    bytes: int = 0  # of the file that was written
    sha256: str = ""
    error: str = ""  # why the part could not be done: nothing was written
    worker: int = 0  # process id


class PartWorker:
    """Works on the parts of one job."""

    def __init__(self, job: Job):
        """Loads the model; raises `UsageError`, `RunError`."""
        use_threads(1)
        self._job = job
        self._annotator = load_annotator(job.options)

    def do(self, number: int) -> PartDone:
        """Writes the file of a part. An error that the user can fix is handed back, not raised."""
        target = self._job.folder / self._job.targets[number]
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            with _counted(target), replace_file(target, shared=True) as partial:
                sentences = self._write(number, partial)
            described = describe_file(target)
            return PartDone(number, sentences, described["bytes"], described["sha256"], "", os.getpid())
        except NntagError as error:
            return PartDone(number, error=str(error), worker=os.getpid())
        except OSError as error:
            reason = f"{error.filename or target}: cannot be written: {error.strerror or error}"
            return PartDone(number, error=reason, worker=os.getpid())

    def _write(self, number: int, partial: Path) -> int:
        part = self._job.parts[number]
        annotator = self._annotator
        if isinstance(part, RowGroups):
            into = COLUMNS[annotator.command]
            return annotate_parquet(part, partial, self._job.text_column, into, annotator.annotate_texts)
        with partial.open("wb") as file:

            def write(data: bytes) -> None:
                file.write(data)

            return annotator.annotate(open_part(part), write, part.first_line)


@contextlib.contextmanager
def _counted(target: Path) -> Iterator[None]:
    """Counts the beginnings of a part in a file beside it, so that one that kills its workers is given up."""
    tries = target.with_name(f".{target.name}.tries")
    with tries.open("ab") as file:
        file.write(b".")
    if tries.stat().st_size > MOST_TRIES:
        raise RunError(f"{target}: given up; {MOST_TRIES} workers died at this part (is memory short?)")
    yield
    tries.unlink(missing_ok=True)


def to_row(done: PartDone) -> dict[str, Any]:
    """As a row of an engine's data set."""
    return asdict(done)
