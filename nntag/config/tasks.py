"""The tasks by name: one torch-free row each, from which data folders, settings and commands find the task's room."""

from __future__ import annotations

from dataclasses import dataclass

from nntag.config.fields import unknown_name
from nntag.config.language_models import LMInput
from nntag.config.tagging import TaggerInput
from nntag.config.trees import TreeInput
from nntag.errors import UsageError


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task: what it is called in data folders, run folders and messages, and where its code is."""

    name: str
    models: str  # what its models are called, in the plural
    module: str  # "package.module:Class" of its `nntag.training.task.Task`
    input: type  # the config dataclass of the input below its models
    choices: tuple[str, ...]  # the words after `preprocess --task` that mean it
    precisions: tuple[str, ...] = ("float32",)  # that its models can be trained in
    labelled_phrases: bool = False  # whether its corpora must have labels on phrases: what a generated sample is told


TASKS = (
    TaskRow("tagging", "taggers", "nntag.tagging.task:TaggingTask", TaggerInput, ("tagging",), ("float32", "bf16")),
    TaskRow(
        "lm", "language models", "nntag.language_models.task:LanguageModelTask", LMInput, ("lm",), ("float32", "bf16")
    ),
    # "sentiment" is what data and run folders have called it since version 0.1.0; in the code it is trees.
    TaskRow(
        "sentiment",
        "tree models",
        "nntag.trees.task:TreeTask",
        TreeInput,
        ("fine", "binary"),
        labelled_phrases=True,
    ),
)


def find_task(name: str) -> TaskRow:
    """The row called `name`; raises `UsageError` with the choices."""
    rows = {row.name: row for row in TASKS}
    if name not in rows:
        raise UsageError(unknown_name("task", name, rows))
    return rows[name]


def task_of_choice(choice: str) -> TaskRow:
    """The task that a word after `preprocess --task` means."""
    return next(row for row in TASKS if choice in row.choices)
