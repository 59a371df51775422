"""What `nntag eval` evaluates on: a corpus file, or a split of a data folder; the same rules for every task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nntag.encoding.data_folder import META, DataFolder, open_data_folder
from nntag.errors import UsageError
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.runs import Run


@dataclass(frozen=True)
class EvaluationSource:
    """The flags of `nntag eval` beside the run; each task reads those that concern it."""

    data: str | Path | None = None  # a data folder or a corpus file; None: the data folder of the run
    split: str | None = None
    format: str | None = None
    column: str | None = None
    betas: Sequence[float] = ()
    output: str | Path | None = None
    mix_with: Sequence[str | Path] = ()
    progress: ProgressCallback = ignore_progress

    @property
    def file(self) -> str | None:
        """The corpus file, where `data` names one."""
        return str(self.data) if is_corpus_file(self.data) and not Path(str(self.data)).is_dir() else None

    def open_folder(self, run: Run) -> DataFolder:
        """The data folder asked for, or that of the run; raises `RunError`."""
        return open_data_folder(self.data, run.task.name) if self.data else run.open_data()

    def open_split(self, run: Run) -> tuple[DataFolder, str]:
        """The data folder and the split in it; raises `RunError`, `UsageError`."""
        folder = self.open_folder(run)
        return folder, choose_split(folder, self.split)

    def name(self, run: Run) -> str:
        """What was evaluated on, for the line that says so."""
        if self.file is not None:
            return self.file
        folder, split = self.open_split(run)
        return f"{folder.path} {split}"


FLAGS = {  # the flags that not every task reads, and the tasks that do
    "--format": ("format", ("tagging", "lm")),
    "--column": ("column", ("tagging",)),
    "--beta": ("betas", ("tagging",)),
    "--output": ("output", ("tagging",)),
    "--interpolate": ("mix_with", ("lm",)),
}


def check_flags(source: EvaluationSource, task: str) -> None:
    """Raises `UsageError` for a flag that `task`, or a corpus file, has no use for."""
    for flag, (field, tasks) in FLAGS.items():
        if getattr(source, field) and task not in tasks:
            raise UsageError(f"{flag} is for runs of {' and '.join(tasks)}, and this one is for {task}")
    if source.split and source.file is not None:
        raise UsageError(f"--split {source.split}: {source.file} is a corpus file, which has no splits")


def is_corpus_file(data: str | Path | None) -> bool:
    """Whether --data names a corpus file (or a folder of files) rather than a data folder of `preprocess`."""
    return data is not None and Path(data).exists() and not (Path(data) / META).is_file()


def choose_split(folder: DataFolder, split: str | None) -> str:
    """The split asked for, or test, or dev where there is no test; raises `UsageError`."""
    if split is None:
        return "test" if folder.has_split("test") else "dev"
    if not folder.has_split(split):
        raise UsageError(f"{folder.path} has no split {split!r} (it has: {', '.join(folder.meta['splits'])})")
    return split
