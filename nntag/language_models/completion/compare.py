"""`nntag complete --compare`: completion questions and several runs in, each run's choices side by side out.

Figure 7 of Tran, Bisazza & Monz (2016): examples where one model is right and another is not, or both are wrong.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.config.options.use import CompleteOptions
from nntag.corpora.faults import OnBad
from nntag.corpora.records import Question
from nntag.errors import UsageError
from nntag.language_models.completion.complete import answer_questions, open_completion
from nntag.language_models.completion.questions import LETTERS, choose_options
from nntag.progress import ProgressCallback, ignore_progress
from nntag.tables import format_table, percent

GAP = "____"
NEITHER = "none"


@dataclass(frozen=True)
class Comparison:
    """What each of several runs has chosen."""

    runs: list[Path]
    questions: list[Question]
    choices: list[list[int]]  # a list for each run: the index of the option for each question
    accuracies: list[float | None]  # None without answers

    @property
    def names(self) -> list[str]:
        """The runs' folder names, or their whole paths where two folders have the same name."""
        names = [run.parent.parent.name for run in self.runs]  # run is RUN/best/WEIGHTS
        return names if len(set(names)) == len(names) else [str(run.parent.parent) for run in self.runs]

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary a question: its text with the gap, its options, the answer and each run's choice (letters)."""
        return [
            {
                "number": question.number,
                "text": " ".join([*question.left, GAP, *question.right]),
                "options": dict(zip(LETTERS, question.options, strict=False)),
                "answer": None if question.answer is None else LETTERS[question.answer],
                "choices": {
                    name: LETTERS[chosen[place]] for name, chosen in zip(self.names, self.choices, strict=True)
                },
            }
            for place, question in enumerate(self.questions)
        ]

    def count_right(self) -> dict[str, int]:
        """How many questions are answered right by exactly these runs: names joined by `+`, or `none`."""
        counts: Counter[str] = Counter()
        for row in self.rows():
            if row["answer"] is not None:
                right = [name for name, letter in row["choices"].items() if letter == row["answer"]]
                counts["+".join(right) or NEITHER] += 1
        return dict(counts.most_common())


def compare_runs(
    options: CompleteOptions, on_bad: OnBad | None = None, progress: ProgressCallback = ignore_progress
) -> Comparison:
    """Answers the questions with each run by itself. Raises `DataError`, `UsageError`, `RunError`."""
    if len(options.models) < 2:
        raise UsageError("--compare needs --model twice or more often: the runs to compare")
    if options.weights or options.output is not None:
        raise UsageError("--weight and --output are for one set of choices, and --compare has one for each run")
    runs, read, cloze = open_completion(options, on_bad)
    choices, accuracies = [], []
    for run in runs:
        nats, report = answer_questions([run], cloze, progress=progress)
        choices.append(choose_options(nats)[0].tolist())
        accuracies.append(report.get("accuracy"))
    return Comparison([run.path for run in runs], read, choices, accuracies)


def format_comparison(comparison: Comparison) -> str:
    """Each question with its options, the right one in brackets, and the choices; then how often the runs are right."""
    parts = []
    for row in comparison.rows():
        options = "  ".join(
            f"{letter}) [{word}]" if letter == row["answer"] else f"{letter}) {word}"
            for letter, word in row["options"].items()
        )
        chosen = "  ".join(f"{name}: {letter}" for name, letter in row["choices"].items())
        parts.append(f"{row['number']}  {row['text']}\n    {options}\n    {chosen}")
    if counts := comparison.count_right():
        rows: list[list[object]] = [[name, count] for name, count in counts.items()]
        parts.append("Answered right by exactly\n" + format_table(rows, indent="  "))
        accuracies = [[name, percent(a)] for name, a in zip(comparison.names, comparison.accuracies, strict=True)]
        parts.append(format_table(accuracies, ["run", "accuracy %"]))
    return "\n\n".join(parts)
