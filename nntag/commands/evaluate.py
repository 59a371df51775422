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
from nntag.training.model_card import add_score, describe_score
from nntag.training.runs import newest_run
from nntag.training.task import HeldOut, Run

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
    if run.path.parent.name == "best" and len(members) == 1 and not (options.mix_with or options.parses):
        _note_score(run, held_out, report)
    return Evaluation(run.path, run.task.name, source, report, seconds, members if len(members) > 1 else ())


def _note_score(run: Run, held_out: HeldOut, report: dict[str, Any]) -> None:
    """Adds the score to the model's card, unless the data has no name."""
    if held_out.file is None:
        folder, split = held_out.open_split()
        name = f"{folder.path.name} {split}"
    elif held_out.file == "-":
        return
    else:
        name = Path(held_out.file).name
    add_score(run.folder, describe_score(name, report, run.task.metrics))
