"""Completion questions and the score of every candidate in, choices and the report on them out.

A score is the negative log-probability (nats) of the whole sentence with the candidate in its gap; the lowest one
wins. The accuracy's 95 % interval is Wilson's. The halves are the first and the last questions of the file: of the
1,040 of the challenge, the official script calls the first 520 development and the last 520 test.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nntag.corpora.faults import OnBad
from nntag.corpora.novels_text import tokenize
from nntag.corpora.records import Question
from nntag.encoding.data_folder import AGAIN
from nntag.errors import DataError, UsageError
from nntag.json_files import read_json
from nntag.language_models.streams import UNKNOWN, StreamVocabulary
from nntag.schema import Columns, Maybe, Record, Rows, Text, Whole

QUESTIONS = "questions.json"  # in a data folder
LETTERS = "abcde"
TIE = 1e-5  # nats: scores that differ by less are equal, the rest is rounding
_TOKENS = Rows(Text())
_OPTIONS = Columns((Rows(Text(), 1),) * len(LETTERS))
_ANSWER = Maybe(Whole(0, len(LETTERS) - 1))
_SCHEMA = Record({"number": Whole(), "left": _TOKENS, "options": _OPTIONS, "right": _TOKENS, "answer": _ANSWER})
_Z = 1.959964  # the 97.5 % point of the normal distribution

Tokens = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ClozeQuestion:
    """A question in the tokens of the training text; a candidate may be several tokens."""

    number: int
    left: Tokens
    options: tuple[Tokens, ...]
    right: Tokens
    answer: int | None = None

    def sentence(self, option: int) -> Tokens:
        """The whole sentence with the candidate `option` in the gap."""
        return self.left + self.options[option] + self.right

    def to_json(self) -> dict[str, Any]:
        """What the file of a data folder keeps of it."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ClozeQuestion:
        """The question that `to_json` wrote."""
        options = tuple(tuple(option) for option in value["options"])
        return cls(value["number"], tuple(value["left"]), options, tuple(value["right"]), value["answer"])


def tokenize_question(question: Question) -> ClozeQuestion:
    """The question in the tokens of the novels; raises `DataError` for a candidate of which no token is left."""
    left, right = tokenize(" ".join(question.left)), tokenize(" ".join(question.right))
    options = [tuple(tokenize(option)) for option in question.options]
    for option, text in zip(options, question.options, strict=True):
        if not option:
            path, line = (question.place.path, question.place.line) if question.place else ("questions", None)
            raise DataError(path, line, f"the candidate {text!r} of question {question.number} is not a word")
    return ClozeQuestion(question.number, tuple(left), tuple(options), tuple(right), question.answer)


def tokenize_questions(questions: Iterable[Question], on_bad: OnBad) -> Iterator[tuple[Question, ClozeQuestion]]:
    """Each question as it was read and as `tokenize_question` gives it; `on_bad` gets what that raises."""
    for question in questions:
        try:
            tokenized = tokenize_question(question)
        except DataError as error:
            on_bad(error)
            continue
        yield question, tokenized


def open_questions(path: Path) -> list[ClozeQuestion]:
    """The questions of a data folder's file, none where there is no file; raises `RunError` where it is damaged."""
    if not path.is_file():
        return []
    saved = read_json(path, Rows(_SCHEMA), f"the questions of a data folder, or damaged; {AGAIN}")
    return [ClozeQuestion.from_json(value) for value in saved]


def choose_options(nats: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """From `nats: float64[Q, 5]` each question's best option, int64[Q], and its lead over the second best, nats."""
    ordered = np.sort(nats, axis=1)
    return nats.argmin(axis=1), ordered[:, 1] - ordered[:, 0]


def find_known(vocabulary: StreamVocabulary, questions: Sequence[ClozeQuestion]) -> np.ndarray:
    """bool[Q, 5]: whether all tokens of a candidate are in the vocabulary."""
    return np.array(
        [[bool((vocabulary.encode(option) != UNKNOWN).all()) for option in question.options] for question in questions]
    )


def find_tied(nats: np.ndarray) -> np.ndarray:
    """bool[Q, 5]: the options of each question that have its best score; more than one where the model cannot tell."""
    return nats <= nats.min(axis=1, keepdims=True) + TIE


def report_completion(questions: Sequence[ClozeQuestion], nats: np.ndarray, known: np.ndarray) -> dict[str, Any]:
    """The report on `nats: float64[Q, 5]`, accuracies where the questions have answers; `known: bool[Q, 5]` tells which
    candidates are in the vocabulary. Raises `UsageError` where there are no questions."""
    if not questions:
        raise UsageError("no questions to answer")
    choices, margins = choose_options(nats)
    answers = np.array([-1 if question.answer is None else question.answer for question in questions])
    all_known = known.all(axis=1)
    report: dict[str, Any] = {
        "questions": len(questions),
        "mean_margin": float(margins.mean()),
        "unknown_candidates": int((~known).sum()),
        "ties": int((find_tied(nats).sum(axis=1) > 1).sum()),
    }
    if (answers < 0).any():
        return report
    best = find_tied(nats)
    right = best[np.arange(len(questions)), answers] / best.sum(axis=1)  # a tie of k options counts 1/k
    half = (len(questions) + 1) // 2
    answer_known = known[np.arange(len(questions)), answers]
    return report | {
        **_accuracy(right),
        "first_half": _accuracy(right[:half]),
        "last_half": _accuracy(right[half:]),
        "all_candidates_known": _accuracy(right[all_known]),
        "some_candidate_unknown": _accuracy(right[~all_known]),
        "answer_unknown": _accuracy(right[~answer_known]),
    }


def _accuracy(right: np.ndarray) -> dict[str, Any]:
    """Accuracy with its interval; None without questions."""
    count = len(right)
    if not count:
        return {"questions": 0, "accuracy": None, "interval": None}
    return {"questions": count, "accuracy": float(right.mean()), "interval": wilson_interval(float(right.sum()), count)}


def wilson_interval(successes: float, trials: int) -> tuple[float, float]:
    """The 95 % interval of a share (Wilson 1927), never outside 0 and 1."""
    share, spread = successes / trials, _Z * _Z / trials
    centre = (share + spread / 2) / (1 + spread)
    width = _Z * math.sqrt((share * (1 - share) + spread / 4) / trials) / (1 + spread)
    return max(0.0, centre - width), min(1.0, centre + width)
