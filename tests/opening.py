"""A corpus for the preprocessing of a task: files by split, format and options in, what the task is handed out."""

from __future__ import annotations

from typing import Any

from nntag.config.options.preprocess import PreprocessOptions
from nntag.encoding.preprocessing import Corpus, Sources


def open_corpus(format: str, sources: Sources, **options: Any) -> Corpus:
    """`options` as `nntag preprocess` takes them."""
    return Corpus.open(sources, PreprocessOptions(format, **options))
