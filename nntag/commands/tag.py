"""`nntag tag`: lines in, the same lines with predictions out, as they arrive, by a run of any task that tags."""

from __future__ import annotations

from collections.abc import Callable

from nntag.config.fields import check_flags
from nntag.config.options.use import TagOptions
from nntag.config.tasks import find_task
from nntag.corpora.lines import Lines
from nntag.training.device import choose_device
from nntag.training.runs import load_run, newest_run
from nntag.training.task import Run


def load_to_tag(options: TagOptions) -> Run:
    """The run that the options name, or the newest tagger; raises `UsageError` for flags that it has no use for."""
    run = load_run(options.model or newest_run("tagging"), choose_device(options.device))
    models = find_task(run.task.name).models
    check_flags(
        options, run.task.name, lambda flag, tasks: f"{flag} is for taggers, and {options.model} is of {models}"
    )
    return run


def tag(run: Run, lines: Lines, write: Callable[[bytes], None], options: TagOptions) -> int:
    """Writes what `lines` holds with predictions; returns how many items. Raises `DataError`, `UsageError`."""
    return run.task.tag(run, lines, write, options)
