"""All columns of a text, gold and predicted in, the report out: that of the only column, or of each with their mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from nntag.tagging.features import TaggerVocabularies
from nntag.tagging.parts import KINDS, find_part_kind
from nntag.tagging.score import TaggingScore
from nntag.tagging.tag_columns import TagColumn
from nntag.tagging.text_files import TaggedText
from nntag.training.metric import Metric

PART_METRICS = tuple(Metric(figure, percent=True) for kind in KINDS for figure in kind.figures)
MEAN, JOINT = "mean_accuracy", "joint_accuracy"  # of the columns; of words whose tags are right in all of them


def score_columns(
    vocabularies: TaggerVocabularies, text: TaggedText, predicted: Iterable[Sequence[Sequence[str]]]
) -> dict[str, Any]:
    """`predicted` has for each sentence of `text` its tags, column by column.

    With several columns the figures of each are named after it (`XPOS_accuracy`), and `columns` holds their reports.
    Raises `DataError` where a column has no gold tag.
    """
    columns = vocabularies.columns
    scores = [TaggingScore(dict(zip(c.tags, c.counts, strict=True)), vocabularies.forms, c.rare_tag) for c in columns]
    whole: Counter[bool] = Counter()  # words that have a gold tag in every column: are all predictions right?
    for tokens, tags, *gold in zip(text.tokens, predicted, *text.columns, strict=True):
        for score, right, found in zip(scores, gold, tags, strict=True):
            score.add(tokens, right, found)
        words = zip(zip(*gold, strict=True), zip(*tags, strict=True), strict=True)
        whole.update(right == found for right, found in words if None not in right)
    reports = {column.name: score.report() for column, score in zip(columns, scores, strict=True)}
    if len(reports) == 1:
        return next(iter(reports.values()))
    return _join_reports(reports, whole[True] / whole.total() if whole else 0.0)


def _join_reports(reports: dict[str, dict[str, Any]], joint: float) -> dict[str, Any]:
    named = {
        f"{name}_{figure}": value
        for name, report in reports.items()
        for figure, value in report.items()
        if isinstance(value, float)
    }
    mean = sum(report["accuracy"] for report in reports.values()) / len(reports)
    tokens = max(report["tokens"] for report in reports.values())
    return {MEAN: mean, JOINT: joint, **named, "tokens": tokens, "columns": reports}


def list_metrics(columns: Sequence[TagColumn], metrics: Sequence[Metric]) -> tuple[Metric, ...]:
    """Those of `metrics` that the columns have: of the only one, or the mean accuracy and those of each by its name."""
    found = []
    for column in columns:
        parts = find_part_kind(column.answers)
        absent = [figure for kind in KINDS if kind is not parts for figure in kind.figures]
        found += [(column, metric) for metric in metrics if metric.name not in absent]
    if len(columns) == 1:
        return tuple(metric for _, metric in found)
    named = (replace(metric, name=f"{column.name}_{metric.name}") for column, metric in found)
    return (Metric(MEAN, percent=True), Metric(JOINT, percent=True), *named)
