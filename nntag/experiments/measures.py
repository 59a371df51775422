"""What a table measures on test: a measure's name and a run's `result.json` in, one number out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Measure:
    """A number in the report on test: its place there, and what a table says of it."""

    path: tuple[str, ...] = ()  # (): the score that dev is judged by
    label: str = ""
    higher_is_better: bool = True
    percent: bool = False
    questions: bool = False  # measured on the questions of the data folder, not on a test split


MEASURES = {
    "score": Measure(),
    "10-80": Measure(  # all that Tran 2016 trains and tests on
        ("by_length", "10-80", "perplexity"), "perplexity of the sentences of 10 to 80 predicted tokens", False
    ),
    "completion": Measure(("completion", "accuracy"), "questions answered right", True, True, True),
}


def read_test_score(result: Mapping[str, Any], measure: Measure) -> float | None:
    """The measure on test as `result.json` has it, a share as a share; None where it was not taken."""
    if not measure.path:
        return result.get("test")
    value: Any = result.get("test_report") or {}
    for key in measure.path:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def summarise_report(report: Mapping[str, Any]) -> dict[str, Any]:
    """What a run's `result.json` keeps of the report on test: single numbers, scores by length, answered questions."""
    numbers = {key: value for key, value in report.items() if isinstance(value, int | float)}
    return numbers | {key: report[key] for key in ("by_length", "completion") if key in report}
