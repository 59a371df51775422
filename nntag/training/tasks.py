"""Task names -> task classes, imported when asked for."""

from __future__ import annotations

import importlib

from nntag.errors import RunError
from nntag.training.task import Task

TASKS = {
    "tagging": "nntag.tagging.task:TaggingTask",
    "lm": "nntag.language_models.task:LanguageModelTask",
    "sentiment": "nntag.trees.task:SentimentTask",
}


def task_class(name: str) -> type[Task]:
    """The class for a task's name, as data folders and registry rows have it; raises `RunError` for others."""
    if name not in TASKS:
        raise RunError(f"no task called {name!r} in this version of nntag")
    module, attribute = TASKS[name].split(":")
    return getattr(importlib.import_module(module), attribute)
