"""`nntag compare`: two runs, or two files of what runs made of the same data, in; the figures of both, tested, out."""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.commands.comparison.report import Comparison, FigureComparison
from nntag.commands.comparison.significance import bootstrap, count_agreement
from nntag.commands.evaluate import evaluate
from nntag.config.options.compare import CompareOptions
from nntag.config.options.use import EvaluateOptions
from nntag.errors import RunError, UsageError, cut
from nntag.progress import ProgressCallback, ignore_progress
from nntag.schema import Misfit, Schema
from nntag.training.item_files import Item, read_item_file
from nntag.training.paired_figures import PairedFigure
from nntag.training.tasks import task_class

logger = logging.getLogger("nntag")


def compare(options: CompareOptions, progress: ProgressCallback = ignore_progress) -> Comparison:
    """Compares two runs or two item files, or one of each. Raises `DataError`, `RunError`, `UsageError`."""
    if len(options.systems) != 2:
        raise UsageError(f"compare takes two runs, or two files of `nntag eval --output`; found {len(options.systems)}")
    first, second = (_find_items(system, options, progress) for system in options.systems)
    names = (str(options.systems[0]), str(options.systems[1]))
    if first.task != second.task:
        raise UsageError(f"{names[0]} is for {first.task} and {names[1]} for {second.task}: they cannot be compared")
    task = task_class(first.task)
    _check_same(first.items, second.items, names, task.item_identity)
    figures = [figure for figure in task.compare_items(first.items, second.items) if len(figure.sums[0])]
    if not figures:
        raise UsageError(f"{names[0]} and {names[1]} hold no gold answers, so that neither can be judged")
    compared = [compare_figure(figure, options) for figure in figures]
    return Comparison(names, first.data, options, compared)


@dataclass(frozen=True)
class _System:
    task: str
    items: list[Item]
    data: str


def _find_items(system: Path | str, options: CompareOptions, progress: ProgressCallback) -> _System:
    """What a run makes of the data that the options name, or what an item file has."""
    path = Path(system)
    if path.is_file() and path.suffix != ".safetensors":
        return _System(*read_item_file(path, _schema_of), str(path))
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "items.jsonl"
        asked = EvaluateOptions(
            path, options.data, options.split, options.format, options.column, output=output, device=options.device
        )
        found = evaluate(asked, progress)
        logger.info("evaluated %s on %s", path, found.source)
        return _System(*read_item_file(output, _schema_of), found.source)


def _schema_of(task: str) -> Schema:
    try:
        return task_class(task).item
    except RunError as error:
        raise Misfit(str(error)) from None


def _check_same(first: Sequence[Item], second: Sequence[Item], names: tuple[str, str], keys: Sequence[str]) -> None:
    """Raises `UsageError` where the items of two systems are not of the same data."""
    advice = "give both the same --data (and language models the same vocabulary)"
    if len(first) != len(second):
        raise UsageError(
            f"{names[0]} has {len(first):,} items and {names[1]} {len(second):,}, so they are not of the same data; "
            f"{advice}"
        )
    for number, (one, other) in enumerate(zip(first, second, strict=True), 1):
        for key in keys:
            if one.get(key) != other.get(key):
                shown = " and ".join(cut(_show(item.get(key)), 100) for item in (one, other))
                raise UsageError(f"{names[0]} and {names[1]} differ in item {number} ({key}: {shown}); {advice}")


def _show(value: Any) -> str:
    text = " ".join("-" if part is None else str(part) for part in value) if isinstance(value, list) else value
    return repr(text)


def compare_figure(figure: PairedFigure, options: CompareOptions) -> FigureComparison:
    """Tests one figure of both systems."""
    first, second = (float(figure.compute(sums.sum(axis=0))) for sums in figure.sums)
    tested = None if figure.right is None else count_agreement(*figure.right)
    return FigureComparison(figure, first, second, bootstrap(figure, options.resamples, options.seed), tested)
