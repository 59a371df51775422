"""`nntag eval`: a run and a split or a corpus file in, the report on it out."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.encoding.columns_store import TaggedText, read_columns_file, write_columns_file
from nntag.encoding.store import META, DataFolder, open_data_folder
from nntag.errors import DataError, UsageError
from nntag.evaluation.completion import QUESTIONS, open_questions
from nntag.evaluation.tagging import MultitagScore
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.tasks.tagging import TaggingTask
from nntag.training.device import choose_device
from nntag.workflows.complete import answer_questions
from nntag.workflows.language_models import LoadedLanguageModel, read_stream, report_language_model
from nntag.workflows.runs import Run, load_run, newest_run
from nntag.workflows.tagged_text import guess_tagging_format, read_tagged_text
from nntag.workflows.trees import report_on_file

BLOCK = 2_000  # sentences predicted together, so that memory does not grow with the file


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
    run = load_run(model or newest_run(), choose_device(device))
    if mix_with or run.task.name == "lm":
        models = [run, *(load_run(other, choose_device(device), "lm") for other in mix_with)]
        return _evaluate_language_models(models, data, split, format, progress)
    if run.task.name == "sentiment" and is_corpus_file(data):
        started = time.perf_counter()
        return Evaluation(run.path, str(data), report_on_file(run, str(data)), time.perf_counter() - started)
    if is_corpus_file(data) and not Path(str(data)).is_dir():
        format = format or guess_tagging_format(str(data))
        text = read_tagged_text(str(data), format, column or run.trained_column(format))
        source = str(data)
        if not text.tokens:
            raise DataError(str(data), None, "no sentences to evaluate on")
        return _evaluate_text(run, text, source, betas, output, progress)
    folder = open_data_folder(data, run.task.name) if data else run.open_data()
    split = choose_split(folder, split)
    if run.task.name != "tagging":
        started = time.perf_counter()
        report = run.task.evaluate(run.model, folder, split)
        return Evaluation(run.path, f"{folder.path} {split}", report, time.perf_counter() - started)
    text = read_columns_file(folder.file(f"{split}.tsv"))
    return _evaluate_text(run, text, f"{folder.path} {split}", betas, output, progress)


def _evaluate_language_models(
    runs: Sequence[Run], data: str | Path | None, split: str | None, format: str | None, progress: ProgressCallback
) -> Evaluation:
    model = LoadedLanguageModel(runs)
    started = time.perf_counter()
    folder = open_data_folder(data, "lm") if data and not is_corpus_file(data) else None
    dev = model.open_split(folder or runs[0].open_data(), "dev") if len(runs) > 1 else None
    if is_corpus_file(data):
        stream, source = read_stream(model, str(data), format), str(data)
        if not len(stream):
            raise DataError(source, None, "no sentences to evaluate on")
    else:
        folder = folder or runs[0].open_data()
        split = choose_split(folder, split)
        stream, source = model.open_split(folder, split), f"{folder.path} {split}"
    report = report_language_model(model, stream, dev, progress)
    if folder is not None and (questions := open_questions(folder.path / QUESTIONS)):
        report["completion"] = answer_questions(runs, questions, model.weights, progress)[1]
    return Evaluation(runs[0].path, source, report, time.perf_counter() - started)


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


def _evaluate_text(
    run: Run,
    text: TaggedText,
    source: str,
    betas: Sequence[float],
    output: str | Path | None,
    progress: ProgressCallback,
) -> Evaluation:
    """The tagging report, from predictions made block by block."""
    task, started = run.task, time.perf_counter()
    assert isinstance(task, TaggingTask)
    multitag = [MultitagScore(beta) for beta in sorted(betas, reverse=True)]
    predicted: list[list[str]] = []
    for start in range(0, len(text.tokens), BLOCK):
        sentences, gold = text.tokens[start : start + BLOCK], text.tags[start : start + BLOCK]
        if multitag:
            tables = task.log_probabilities(run.model, sentences)
            predicted += [task.best_tags(table) for table in tables]
            for score in multitag:
                for tags, table in zip(gold, tables, strict=True):
                    score.add(tags, ([tag for tag, _ in word] for word in task.likely_tags(table, score.beta)))
        else:
            predicted += task.predict(run.model, sentences)
        progress(Progress("tagging", len(predicted), len(text.tokens), "sentences"))
    seconds = time.perf_counter() - started
    report = task.score(text, predicted)
    if multitag:
        report["multitagging"] = [score.report() for score in multitag]
    if output:
        _write_predictions(Path(output), text, predicted)
    return Evaluation(run.path, source, report, seconds)


def _write_predictions(path: Path, text: TaggedText, predicted: list[list[str]]) -> None:
    """WORD, gold tag (empty where missing) and predicted tag between tabs; a blank line after each sentence."""
    rows = (
        (
            [f"{token}\t{gold or ''}" for token, gold in zip(tokens, golds, strict=True)],
            tags,
        )
        for tokens, golds, tags in zip(text.tokens, text.tags, predicted, strict=True)
    )
    try:
        write_columns_file(path, rows)
    except OSError as error:
        raise UsageError(f"{path}: cannot write --output: {error.strerror}") from None
