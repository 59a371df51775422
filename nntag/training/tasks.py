"""Task names -> task classes, imported when asked for; the list itself is `nntag.config.tasks.TASKS`."""

from __future__ import annotations

import importlib

from nntag.config.tasks import find_task
from nntag.errors import RunError, UsageError
from nntag.training.task import Task


def task_class(name: str) -> type[Task]:
    """The class for a task's name, as data folders and registry rows have it; raises `RunError` for others."""
    try:
        module, attribute = find_task(name).module.split(":")
    except UsageError:
        raise RunError(f"no task called {name!r} in this version of nntag") from None
    return getattr(importlib.import_module(module), attribute)
