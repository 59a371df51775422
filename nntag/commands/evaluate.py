"""`nntag eval`: a run and a split or a corpus file in, the report on it out."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.config.fields import takes_options
from nntag.config.options.use import EvaluateOptions, list_models
from nntag.config.tasks import find_task
from nntag.progress import ProgressCallback, ignore_progress
from nntag.tagging.parsing.evaluate import evaluate_parses
from nntag.training.device import choose_device
from nntag.training.ensemble import load_runs, members_of
from nntag.training.runs import newest_run
from nntag.training.task import HeldOut

logger = logging.getLogger("nntag")


@dataclass(frozen=True)
class Evaluation:
    """The report and what it is about: for the line that says what was measured."""

    run: Path | None  # None where derivations were scored without a tagger
    task: str
    source: str  # the data file, or the data folder and its split
    report: dict[str, Any]
    seconds: float
    runs: tuple[Path, ...] = ()  # all of them, where several are one ensemble

    @property
    def words_per_second(self) -> float:
        """Words scored per second of wall-clock time."""
        return self.report.get("tokens", 0) / max(self.seconds, 1e-9)


@takes_options(EvaluateOptions)
def evaluate(options: EvaluateOptions | None = None, progress: ProgressCallback = ignore_progress) -> Evaluation:
    """Evaluates a run (the newest by default) on a split of a data folder (its own by default) or on a corpus file.

    Raises `UsageError`, `RunError`, `DataError`.
    """
    options = options or EvaluateOptions()
    started = time.perf_counter()
    if options.parses is not None and not list_models(options.model):
        report = evaluate_parses(options)
        return Evaluation(None, "tagging", str(options.data), report, time.perf_counter() - started)
    models = list_models(options.model)
    task = "lm" if options.mix_with else None
    run = load_runs(models or (newest_run(),), options.weights, choose_device(options.device), task)
    if not models:
        logger.info("no --model: taking the newest run, %s (%s)", run.folder, find_task(run.task.name).models)
    held_out = HeldOut.choose(run, options)
    started = time.perf_counter()
    report = run.task.evaluate_run(run, held_out, progress)
    members = tuple(member.path for member in members_of(run))
    source, seconds = held_out.describe(), time.perf_counter() - started
    return Evaluation(run.path, run.task.name, source, report, seconds, members if len(members) > 1 else ())
