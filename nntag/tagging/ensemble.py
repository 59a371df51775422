"""Several taggers as one: sentences in, the log of the mean of their probabilities of each tag out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from nntag.tagging.features import TaggerVocabularies
from nntag.training.ensemble import Ensemble, check_same_names, mean_log_probabilities
from nntag.training.task import Run


def check_same_tags(run: Run, other: Run) -> None:
    """Raises `UsageError` where two runs do not give the same tags; their order may differ."""
    tags, other_tags = (found.task.vocabularies.answers for found in (run, other))
    check_same_names("tags", (run, tags), (other, other_tags))


def average_tables(
    vocabularies: TaggerVocabularies, ensemble: Ensemble, sentences: Sequence[Sequence[str]], batch_size: int
) -> Iterator[np.ndarray]:
    """float32[T, V] for each sentence, the tags in the order of `vocabularies`, the rare tag with minus infinity."""
    each = [run.task.log_probabilities(run.model, sentences, batch_size) for run in ensemble.members]
    wanted = [number for number, tag in enumerate(vocabularies.tags) if tag != vocabularies.rare_tag]
    orders = []
    for run in ensemble.members:
        places = {tag: number for number, tag in enumerate(run.task.vocabularies.tags)}
        orders.append([places[vocabularies.tags[number]] for number in wanted])
    for tables in zip(*each, strict=True):
        table = np.full((len(tables[0]), len(vocabularies.tags)), -np.inf, np.float32)
        ordered = (own[:, order] for own, order in zip(tables, orders, strict=True))
        table[:, wanted] = mean_log_probabilities(ordered, ensemble.weights)
        yield table
