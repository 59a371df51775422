"""The figures that a run is judged by: their names, directions and how they are printed."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nntag.config.fields import unknown_name
from nntag.errors import UsageError


@dataclass(frozen=True, slots=True)
class Metric:
    """One figure of a task's reports: its key there, and how it is read and printed."""

    name: str  # "accuracy", "perplexity": the key in the report
    higher_is_better: bool = True
    percent: bool = False  # a share between 0 and 1, printed as a percentage

    @property
    def scale(self) -> float:
        """What a value is multiplied with to be printed."""
        return 100.0 if self.percent else 1.0

    @property
    def unit(self) -> str:
        """What is printed after a value: `%`, or nothing."""
        return "%" if self.percent else ""

    def format(self, value: float) -> str:
        """`93.22 %`, `112.71`."""
        return f"{self.scale * value:.2f} {self.unit}".rstrip()


def find_metric(metrics: tuple[Metric, ...], name: str) -> Metric:
    """The metric called `name`, the first for ""; raises `UsageError` with the choices."""
    found = {metric.name: metric for metric in metrics}
    if name and name not in found:
        raise UsageError(unknown_name("metric", name, found))
    return found[name] if name else metrics[0]


def list_further(metrics: Sequence[Metric], report: Mapping[str, Any], shown: Collection[str]) -> list[tuple[str, str]]:
    """Name and value of the metrics of a report that its text does not show by itself."""
    return [
        (metric.name.replace("_", " "), metric.format(report[metric.name]))
        for metric in metrics
        if metric.name not in shown and report.get(metric.name) is not None
    ]
