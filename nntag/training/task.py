"""`Task`: all that belongs to one kind of data; the commands know tasks by this protocol alone.

A task's class says what a data folder is made of, how a run is evaluated, reported, loaded and tags. Its objects hold
the vocabularies and the input settings of one run: they encode a data folder, cut it into batches, build a model of the
right sizes and score one. Train, eval and tag go through the same object, so that they cannot disagree. An object is
made from a data folder (`from_data`) or from the vocabularies that a run keeps (`from_json`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

from nntag.config.columns import list_columns
from nntag.config.fields import check_flags, refuse_flags
from nntag.config.options.use import EvaluateOptions, TagOptions
from nntag.config.settings import Settings
from nntag.corpora.lines import Lines
from nntag.encoding.data_folder import DataFolder, choose_split, find_column, is_corpus_file, open_data_folder
from nntag.encoding.preprocessing import Corpus, Preprocessed
from nntag.errors import RunError, UsageError
from nntag.progress import ProgressCallback
from nntag.schema import Schema
from nntag.training.batches import Batches
from nntag.training.item_files import Item
from nntag.training.metric import Metric
from nntag.training.model import Model
from nntag.training.paired_figures import PairedFigure
from nntag.training.provenance import find_data_changes, join_changes


class Task(Protocol):
    """What the commands and the trainer need to know of a task."""

    name: str  # "tagging", "lm", "sentiment": as registry rows and data folders have it
    metrics: tuple[Metric, ...]  # what dev can be judged by; the first unless `train.metric` names another
    saved: Schema  # what `to_json` gives, for a run's `vocab.json` to be checked by
    tag_format: str  # what `tag` writes where no format is named; "" where the models give no tags
    kept_files: tuple[str, ...]  # of a data folder, where it has them: copied beside the weights of its runs
    item: Schema  # a line of `eval --output`: what was made of one sentence or tree
    item_identity: tuple[str, ...]  # its keys by which the items of two systems are known to be of the same one
    unit: str  # what a batch's `Loss.count` counts, for progress reports: "tokens", "nodes"

    @classmethod
    def preprocess(cls, corpus: Corpus, out: Path, progress: ProgressCallback) -> Preprocessed:
        """Writes the data folder `out`; raises `DataError`, `UsageError`, `RunError`."""

    @classmethod
    def from_data(cls, data: DataFolder, settings: Settings) -> Task:
        """The task with vocabularies built from the data folder's training split."""

    @classmethod
    def from_json(cls, vocabularies: Mapping[str, Any], settings: Settings) -> Task:
        """The task as a run saved it; `to_json` gives the same back."""

    def to_json(self) -> dict[str, Any]:
        """All that a run must keep to be used without its data folder."""

    def complete_settings(self, settings: Settings) -> Settings:
        """The settings of a new run with what the user's files decide: word vectors, which are read now if they have
        not been yet, give the width of the words."""

    def build_model(self, settings: Settings, pretrained: bool = True) -> Model:
        """A new model, initialised from torch's global random state; with `pretrained`, words start from the vectors
        that the task has read (without it the weights come from a checkpoint)."""

    def count_model(self, settings: Settings, data: DataFolder, folder: Path, progress: ProgressCallback) -> Any:
        """The model of a registry row that is `counted`, estimated in one pass over the training split; what does not
        fit into memory lies in `folder` meanwhile."""

    def open_counted(self, folder: Path, thorough: bool = False) -> Any:
        """The model of `count_model` as a checkpoint folder keeps it; raises `RunError`."""

    def use_device(self, device: torch.device) -> None:
        """Where the task does work of its own on tensors: the device of its model."""

    def prepare(self, data: DataFolder, progress: ProgressCallback) -> None:
        """What takes long before the first epoch and is done once, such as contextual vectors."""

    def train_batches(self, data: DataFolder, settings: Settings, generator: torch.Generator) -> Batches:
        """One epoch of training batches in random order; every sentence exactly once."""

    def count_train(self, data: DataFolder) -> int:
        """What one epoch's `Loss.count` adds up to, for progress reports."""

    def evaluate(self, model: Any, data: DataFolder, split: str) -> dict[str, Any]:
        """The report on a split, each metric among its keys; numbers in natural units (0.93 accuracy, not 93)."""

    @classmethod
    def evaluate_run(cls, run: Run, held_out: HeldOut, progress: ProgressCallback) -> dict[str, Any]:
        """What `nntag eval` reports: as `evaluate`, on a split or a corpus file, with what the options ask for."""

    @classmethod
    def compare_items(cls, first: Sequence[Item], second: Sequence[Item]) -> list[PairedFigure]:
        """The figures of two systems, from what each made of the same items."""

    @classmethod
    def format_report(cls, report: Mapping[str, Any]) -> str:
        """A report as text for the terminal, the headline last."""

    @classmethod
    def check_member(cls, run: Run, other: Run) -> None:
        """Raises `UsageError`, which names the difference, where two runs cannot be in one ensemble."""

    @classmethod
    def load(cls, run: Run) -> Any:
        """What `nntag.load` gives: a trained model for use from Python."""

    @classmethod
    def tag(cls, run: Run, lines: Lines, write: Callable[[bytes], None], options: TagOptions) -> int:
        """Writes what `lines` holds with predictions, as it arrives; returns how many items. Raises `UsageError`
        where the task's models give no tags."""


@dataclass(frozen=True)
class Run:
    """A trained model with its task, ready for use."""

    path: Path  # of the weights file
    settings: Settings
    task: Any  # a `Task`; code of its own room uses what else that has
    model: Any  # a `Model`, what a row that is `counted` names, or an `Ensemble`
    config: Mapping[str, Any]  # the whole config.json: the settings, the data folder and the options of training
    state: Mapping[str, Any]  # epoch and dev score of these weights

    @property
    def folder(self) -> Path:
        """The run folder."""
        return self.path.parent.parent

    def trained_column(self, corpus: str) -> str | list[str] | None:
        """Which column, or columns, of files in the format `corpus` held the tags that the run was trained on, if
        named."""
        return self.config.get("column") if self.config.get("corpus") == corpus else None

    def open_data(self) -> DataFolder:
        """The data folder that the run was trained on; raises `RunError` where it has gone."""
        if self.config.get("data") is None:
            raise RunError(
                f"{self.path.parent}: made from an ARPA file, so it has no data folder; name one with --data"
            )
        path = data_path(self.config)
        if not path.exists():
            raise RunError(f"{path}: the data folder of this run is no longer there; name one with --data")
        folder = open_data_folder(path, self.task.name)
        if changes := find_data_changes(self.config, folder):
            raise RunError(
                f"{path}: not as it was when {self.folder} was trained: {join_changes(changes)}; put it back "
                "as it was, or name it with --data to use it all the same"
            )
        return folder


def data_path(config: Mapping[str, Any]) -> Path:
    """The data folder of a run's `config.json`: saved whole, shown as seen from here where it lies below."""
    path, here = Path(str(config.get("data"))), Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


@dataclass(frozen=True)
class HeldOut:
    """The data that a run is judged on, and the options of `nntag eval`."""

    run: Run
    options: EvaluateOptions

    @classmethod
    def choose(cls, run: Run, options: EvaluateOptions) -> HeldOut:
        """Raises `UsageError` for a flag that the run's task, or a corpus file, has no use for."""
        task = run.task.name
        check_flags(
            options,
            task,
            lambda flag, tasks: f"{flag} is for runs of {' and '.join(tasks)}, and this one is for {task}",
        )
        found = cls(run, options)
        if options.split and found.file is not None:
            raise UsageError(f"--split {options.split}: {found.file} is a corpus file, which has no splits")
        if found.file is None:
            refuse_flags(options, ("format", "column"), "is for a corpus file (--data FILE); a data folder has its own")
        return found

    @property
    def file(self) -> str | None:
        """The corpus file, where `data` names one."""
        data = self.options.data
        return str(data) if is_corpus_file(data) and not Path(str(data)).is_dir() else None

    def open_folder(self) -> DataFolder:
        """The data folder asked for, or that of the run; raises `RunError`."""
        if not self.options.data:
            return self.run.open_data()
        folder, config = open_data_folder(self.options.data, self.run.task.name), self.run.config
        trained, found = find_column(config), find_column(folder.meta)
        counts = [len(list_columns(described.get("column"))) for described in (config, folder.meta)]
        if counts[0] != counts[1] or (config.get("corpus") == folder.meta.get("corpus") and trained != found):
            raise RunError(
                f"{folder.path}: its tags are those of the column {found}, and {self.run.folder} gives those "
                f"of {trained}; name data of the same column"
            )
        return folder

    def open_split(self) -> tuple[DataFolder, str]:
        """The data folder and the split in it; raises `RunError`, `UsageError`."""
        folder = self.open_folder()
        return folder, choose_split(folder, self.options.split)

    def describe(self) -> str:
        """What is evaluated on, for the line that says so."""
        if self.file is not None:
            return "standard input" if self.file == "-" else self.file
        folder, split = self.open_split()
        return f"{folder.path} {split}"
