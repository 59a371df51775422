"""`nntag eval`: a run and a split or a corpus file in, the report on it out."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.commands.evaluation_source import EvaluationSource, check_flags
from nntag.errors import DataError, UsageError
from nntag.language_models.completion.complete import answer_questions
from nntag.language_models.completion.questions import QUESTIONS, open_questions
from nntag.language_models.mixture import LoadedLanguageModel, read_stream, report_language_model
from nntag.progress import ProgressCallback, ignore_progress
from nntag.tagging.evaluate import evaluate_tagger
from nntag.training.device import choose_device
from nntag.training.runs import Run, load_run, newest_run
from nntag.trees.tag import report_on_file


@dataclass(frozen=True)
class Evaluation:
    """The report and what it is about: for the line that says what was measured."""

    run: Path
    source: str  # the data file, or the data folder and its split
    report: dict[str, Any]
    seconds: float

    @property
    def words_per_second(self) -> float:
        return self.report.get("tokens", 0) / max(self.seconds, 1e-9)


def parse_betas(text: str | None) -> tuple[float, ...]:
    """`0.1,0.01` as numbers; raises `UsageError`."""
    try:
        return tuple(float(part) for part in text.split(",")) if text else ()
    except ValueError:
        raise UsageError(f"--beta must be numbers between commas, found {text!r}") from None


def evaluate(
    model: str | Path | None = None,
    data: str | Path | None = None,
    split: str | None = None,
    format: str | None = None,
    column: str | None = None,
    betas: Sequence[float] = (),
    output: str | Path | None = None,
    device: str = "cpu",
    progress: ProgressCallback = ignore_progress,
    mix_with: Sequence[str | Path] = (),
) -> Evaluation:
    """Evaluates a run (the newest by default) on a split of a data folder (its own by default) or on a corpus file.

    `betas`: also score the tags with p >= beta * p_best. `output`: write WORD, gold and predicted tag to a file.
    `mix_with`: runs of language models, mixed with the first one by weights that are fitted on dev.
    Raises `UsageError`, `RunError`, `DataError`.
    """
    for beta in betas:
        if not 0 < beta <= 1:
            raise UsageError(f"--beta must lie above 0 and not above 1, found {beta}")
    run = load_run(model or newest_run(), choose_device(device), "lm" if mix_with else None)
    source = EvaluationSource(data, split, format, column, betas, output, mix_with, progress)
    check_flags(source, run.task.name)
    started = time.perf_counter()
    report = EVALUATORS[run.task.name](run, source)
    return Evaluation(run.path, source.name(run), report, time.perf_counter() - started)


def _evaluate_language_model(run: Run, source: EvaluationSource) -> dict[str, Any]:
    """Perplexity of a model or a mixture; on a data folder with questions also how many of them it answers."""
    device = next(run.model.parameters()).device if hasattr(run.model, "parameters") else None
    runs = [run, *(load_run(other, device, "lm") for other in source.mix_with)]
    model = LoadedLanguageModel(runs)
    folder = None if source.file else source.open_folder(run)
    dev = model.open_split(folder or run.open_data(), "dev") if len(runs) > 1 else None
    if folder is None:
        stream = read_stream(model, str(source.file), source.format)
        if not len(stream):
            raise DataError(str(source.file), None, "no sentences to evaluate on")
    else:
        stream = model.open_split(*source.open_split(run))
    report = report_language_model(model, stream, dev, source.progress)
    if folder is not None and (questions := open_questions(folder.path / QUESTIONS)):
        report["completion"] = answer_questions(runs, questions, list(model.weights), source.progress)[1]
    return report


def _evaluate_tree_model(run: Run, source: EvaluationSource) -> dict[str, Any]:
    """The sentiment report on a file of labelled trees or on a split."""
    if source.file is not None:
        return report_on_file(run, source.file)
    return run.task.evaluate(run.model, *source.open_split(run))


EVALUATORS: dict[str, Callable[[Run, EvaluationSource], dict[str, Any]]] = {
    "tagging": evaluate_tagger,
    "lm": _evaluate_language_model,
    "sentiment": _evaluate_tree_model,
}
