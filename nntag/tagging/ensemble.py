"""Several taggers as one: sentences in, the log of the mean of their probabilities of each tag out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nntag.tagging.features import TaggerVocabularies
from nntag.training.ensemble import Ensemble, check_same_names, mean_log_probabilities
from nntag.training.task import Run


def check_same_tags(run: Run, other: Run) -> None:
    """Raises `UsageError` where two runs do not give the same tags in the same columns; their order may differ."""
    names = []
    for found in (run, other):
        columns = found.task.vocabularies.columns
        names.append([f"{c.name}={tag}" if len(columns) > 1 else tag for c in columns for tag in c.answers])
    check_same_names("tags", (run, names[0]), (other, names[1]))


def average_tables(
    vocabularies: TaggerVocabularies, ensemble: Ensemble, sentences: Sequence[Sequence[str]], batch_size: int
) -> Iterator[np.ndarray]:
    """float32[T, V] for each sentence, the tags in the order of `vocabularies`, rare tags with minus infinity."""
    each = [run.task.predictor.log_probabilities(run.model, sentences, batch_size) for run in ensemble.members]
    labels = _list_labels(vocabularies)
    wanted = [number for number in range(len(labels)) if number not in vocabularies.no_answers]
    orders = []
    for run in ensemble.members:
        places = {label: number for number, label in enumerate(_list_labels(run.task.vocabularies))}
        orders.append([places[labels[number]] for number in wanted])
    for tables in zip(*each, strict=True):
        table = np.full((len(tables[0]), len(labels)), -np.inf, np.float32)
        ordered = (own[:, order] for own, order in zip(tables, orders, strict=True))
        table[:, wanted] = mean_log_probabilities(ordered, ensemble.weights)
        yield table


def _list_labels(vocabularies: TaggerVocabularies) -> list[tuple[str, str]]:
    """The column and the tag of each score; the only column has no name, or another in each run."""
    columns = vocabularies.columns
    return [(column.name if len(columns) > 1 else "", tag) for column in columns for tag in column.tags]
