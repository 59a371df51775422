"""`nntag complete`: completion questions and language-model runs in, the chosen candidates and a report on them out."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nntag.config.options.use import CompleteOptions
from nntag.corpora.faults import OnBad, SkippedItems, raise_bad
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Question
from nntag.corpora.sherlock import read_sherlock
from nntag.errors import DataError, UsageError
from nntag.files import replace_output
from nntag.language_models.completion.questions import (
    LETTERS,
    ClozeQuestion,
    choose_options,
    find_known,
    report_completion,
    tokenize_questions,
)
from nntag.language_models.completion.together import choose_combination, score_together
from nntag.language_models.items import make_question_items
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.device import choose_device
from nntag.training.ensemble import check_weights
from nntag.training.item_files import write_item_file
from nntag.training.runs import load_run, newest_run
from nntag.training.task import Run


@dataclass(frozen=True)
class Completion:
    """What was chosen for each question, and the report on all."""

    runs: list[Path]
    questions: list[Question]
    choices: list[int]  # index of the option
    margins: list[float]  # nats between the chosen option and the second best
    nats: np.ndarray  # float64[Q, 5]: of the whole sentences, by all runs together
    report: dict[str, Any]

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary per question, for tables and JSON."""
        return [
            {
                "number": question.number,
                "choice": LETTERS[choice],
                "word": question.options[choice],
                "margin": margin,
                "right": None if question.answer is None else choice == question.answer,
                "nats": nats.tolist(),
            }
            for question, choice, margin, nats in zip(
                self.questions, self.choices, self.margins, self.nats, strict=True
            )
        ]


def complete(
    options: CompleteOptions, on_bad: OnBad | None = None, progress: ProgressCallback = ignore_progress
) -> Completion:
    """Answers the questions of a file with some runs (the newest language model by default).

    Several runs answer together, with `weights`: by the mean of their probabilities of each word where they have one
    vocabulary and direction, else by the sum of their log-probabilities of whole sentences. `output` gets the choices
    in the format of the official answers, as `id,answer` where its name ends in .csv, or as items where it ends in
    .jsonl. Raises `DataError`, `UsageError`, `RunError`.
    """
    check_weights(options.weights, max(1, len(options.models)))
    runs, read, cloze = open_completion(options, on_bad)
    nats, report = answer_questions(runs, cloze, options.weights, options.combine, progress)
    choices, margins = choose_options(nats)
    completion = Completion([run.path for run in runs], read, choices.tolist(), margins.tolist(), nats, report)
    if options.output is not None and Path(options.output).suffix == ".jsonl":
        write_item_file(options.output, "lm", make_question_items(cloze, nats))
    elif options.output is not None:
        _write_answers(Path(options.output), completion)
    return completion


def open_completion(
    options: CompleteOptions, on_bad: OnBad | None = None
) -> tuple[list[Run], list[Question], list[ClozeQuestion]]:
    """The runs, and the questions as they were read and in the tokens of the novels; raises `DataError`, `RunError`."""
    on_bad = on_bad or (SkippedItems() if options.skip_bad else raise_bad)
    right = None if options.answers is None else open_lines(options.answers)
    pairs = list(tokenize_questions(read_sherlock(open_lines(options.questions), right, on_bad), on_bad))
    if not pairs:
        raise DataError(str(options.questions), None, "no questions to answer")
    device = choose_device(options.device)
    runs = [load_run(model, device, "lm") for model in options.models or [newest_run("lm")]]
    return runs, [question for question, _ in pairs], [cloze for _, cloze in pairs]


def answer_questions(
    runs: Sequence[Run],
    questions: Sequence[ClozeQuestion],
    weights: Sequence[float] = (),
    combine: str | None = None,
    progress: ProgressCallback = ignore_progress,
) -> tuple[np.ndarray, dict[str, Any]]:
    """The candidates' scores, float64[Q, 5] nats, and the report; with several runs also the accuracy of each."""
    combination = choose_combination(runs, combine)
    each, nats = score_together(runs, questions, weights, combination, progress)
    known = [find_known(run.task.vocabulary, questions) for run in runs]
    report = report_completion(questions, nats, np.all(known, axis=0))
    if len(runs) > 1:
        parts = [report_completion(questions, scores, own) for scores, own in zip(each, known, strict=True)]
        report["combined"] = combination
        report["runs"] = [
            {"run": str(run.path), "backward": run.task.backward, "accuracy": part.get("accuracy")}
            for run, part in zip(runs, parts, strict=True)
        ]
    return nats, report


def _write_answers(path: Path, completion: Completion) -> None:
    chosen = list(zip(completion.questions, completion.choices, strict=True))
    if path.suffix.lower() == ".csv":
        text = io.StringIO()
        rows = [("id", "answer"), *((question.number, LETTERS[choice]) for question, choice in chosen)]
        csv.writer(text, lineterminator="\n").writerows(rows)
        content = text.getvalue()
    else:
        content = "".join(_format_answer(question, choice) for question, choice in chosen)
    try:
        with replace_output(path) as partial:
            partial.write_text(content, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{path}: cannot write --output: {error.strerror}") from None


def _format_answer(question: Question, choice: int) -> str:
    """A line of the official answers: `12b) text [candidate] text`."""
    words = [*question.left, f"[{question.options[choice]}]", *question.right]
    return f"{question.number}{LETTERS[choice]}) {' '.join(words)}\n"
