"""Batches of rows with a column of text -> the same rows with a column of what nntag prints for each text.

A class for engines that call one object for many batches: `map_batches` of Ray Data, `mapInPandas` of Spark, `apply` of
pandas. The model is loaded once, where the object is made.
"""

from __future__ import annotations

from typing import Any

from nntag.errors import UsageError
from nntag.integrations.annotate import Options, load_annotator
from nntag.integrations.parquet import COLUMNS
from nntag.training.device import use_threads


class AddColumn:
    """Called with a pandas DataFrame or a dict of arrays; gives a new one, as long and in the same order."""

    def __init__(self, options: Options, text: str = "text", into: str = ""):
        """`options`: of `nntag tag`, `score` or `parse`; `into`: tagged, scored or parsed unless given.

        Raises `UsageError` for formats without one line for each sentence, `RunError`.
        """
        use_threads(1)
        self._annotator = load_annotator(options)
        self._annotator.annotate_texts([])
        self._text, self.into = text, into or COLUMNS[self._annotator.command]

    def __call__(self, batch: Any) -> Any:
        """Raises `UsageError` where the column of text is missing, `DataError`."""
        if self._text not in batch:
            raise UsageError(f"no column {self._text!r} among {list(batch)}")
        texts = [None if text is None or text != text else str(text) for text in batch[self._text]]
        found = self._annotator.annotate_texts(texts)
        if isinstance(batch, dict):
            import numpy as np

            return {**batch, self.into: np.array(found, dtype=object)}
        return batch.assign(**{self.into: found})
