"""A comparison of two systems as text and JSON: each figure of both, its tests, and a verdict in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nntag.commands.comparison.significance import COVERAGE, Bootstrap, McNemar
from nntag.config.options.compare import CompareOptions
from nntag.training.paired_figures import PairedFigure

ALPHA = 0.05  # p below which a difference is called one


@dataclass(frozen=True)
class FigureComparison:
    """One figure of both systems, and the tests of their difference (second less first)."""

    figure: PairedFigure
    first: float
    second: float
    bootstrap: Bootstrap
    mcnemar: McNemar | None

    @property
    def difference(self) -> float:
        """In the figure's own unit."""
        return self.second - self.first

    @property
    def p(self) -> float:
        """McNemar's where single answers are right or wrong, else the bootstrap's."""
        return self.bootstrap.p if self.mcnemar is None else self.mcnemar.p

    @property
    def is_clear(self) -> bool:
        """Whether the difference is told from chance: p is small, and the interval leaves out no difference."""
        return self.p < ALPHA and not self.bootstrap.low <= 0 <= self.bootstrap.high

    @property
    def better(self) -> int | None:
        """0 where the first system is better, 1 where the second is, None where it cannot be told."""
        if not self.is_clear:
            return None
        return int((self.difference > 0) == self.figure.higher_is_better)

    def show(self, difference: float, sign: str = "") -> str:
        """`1.53`, or of shares `0.36 points`."""
        scale, unit = (100, " points") if self.figure.percent else (1, "")
        return f"{scale * difference:{sign}.2f}{unit}"

    def to_json(self, names: Sequence[str]) -> dict[str, Any]:
        """Shares between 0 and 1; `p` is that of the verdict."""
        found = self.bootstrap
        report: dict[str, Any] = {
            "figure": self.figure.name,
            "first": self.first,
            "second": self.second,
            "difference": self.difference,
            "interval": [found.low, found.high],
            "relative_difference": self.difference / self.first if self.first else None,
            "items": len(self.figure.sums[0]),
            "unit": self.figure.unit,
            "bootstrap_p": found.p,
        }
        if (test := self.mcnemar) is not None:
            report["mcnemar"] = {
                "answers": self.figure.answers,
                "both_right": test.both,
                "only_first_right": test.only_first,
                "only_second_right": test.only_second,
                "both_wrong": test.neither,
                "odds_ratio": test.odds_ratio,
                "test": test.test,
                "statistic": test.statistic,
                "p": test.p,
            }
        better = None if self.better is None else names[self.better]
        return report | {"p": self.p, "better": better, "verdict": self.verdict(names)}

    def verdict(self, names: Sequence[str]) -> str:
        """One or two sentences."""
        name = self.figure.name
        if self.difference == 0 and self.p == 1:
            return f"{name}: {names[0]} and {names[1]} are equally good."
        if self.better is not None:
            return (
                f"{name}: {names[self.better]} is better than {names[1 - self.better]}, by "
                f"{self.show(abs(self.difference))} ({_format_p(self.p)}); so large a difference would be rare if the "
                "two were equally good."
            )
        if self.p < ALPHA:
            return (
                f"{name}: it cannot be told which is better. Single {self.figure.answers} differ by more than chance "
                f"({_format_p(self.p)}), but whole {self.figure.unit} vary so much that the interval includes no "
                "difference."
            )
        return (
            f"{name}: it cannot be told which is better ({_format_p(self.p)}); so large a difference would not be rare "
            "if the two were equally good."
        )


@dataclass(frozen=True)
class Comparison:
    """Two systems and the figures in which they are compared."""

    names: tuple[str, str]
    data: str
    options: CompareOptions
    figures: list[FigureComparison]

    def to_json(self) -> dict[str, Any]:
        """What `nntag compare --json` prints."""
        return {
            "systems": list(self.names),
            "data": self.data,
            "resamples": self.options.resamples,
            "seed": self.options.seed,
            "coverage": COVERAGE,
            "figures": [figure.to_json(self.names) for figure in self.figures],
        }


def _format_p(p: float) -> str:
    return "p < 0.0001" if p < 0.0001 else f"p = {p:.2g}"


def format_comparison(comparison: Comparison) -> str:
    """The comparison as text: a table of each figure, then the verdict in words."""
    return "\n\n".join(_format_figure(figure, comparison) for figure in comparison.figures)


def _format_figure(found: FigureComparison, comparison: Comparison) -> str:
    figure, names = found.figure, comparison.names
    scale, unit = (100, " %") if figure.percent else (1, "")
    width = max(map(len, (*names, "difference")))
    values = zip(names, (found.first, found.second), strict=True)
    rows = [(name, f"{scale * value:.2f}{unit}") for name, value in values]
    low, high = (found.show(bound, "+") for bound in (found.bootstrap.low, found.bootstrap.high))
    change = f", {100 * found.difference / found.first:+.1f} %" if not figure.percent and found.first else ""
    rows.append(("difference", f"{found.show(found.difference, '+')}{change} (95 % interval {low} to {high})"))
    lines = [f"{figure.name} ({len(figure.sums[0]):,} {figure.unit})"]
    lines += [f"  {name.ljust(width)}  {text}" for name, text in rows]
    if (test := found.mcnemar) is not None:
        odds = "" if test.odds_ratio is None else f", odds ratio {test.odds_ratio:.2f}"
        lines.append(
            f"  McNemar's test, {test.test}: only the first right {test.only_first:,}, only the second "
            f"{test.only_second:,} of {test.both + test.discordant + test.neither:,} {figure.answers}{odds}, "
            f"{_format_p(test.p)}"
        )
    lines.append(
        f"  paired bootstrap over {figure.unit}, {comparison.options.resamples:,} resamples, seed "
        f"{comparison.options.seed}: {_format_p(found.bootstrap.p)}"
    )
    return "\n".join([*lines, found.verdict(names)])
