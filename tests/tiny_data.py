"""Data folders of generated sentences, for tests that need some data of a task and not a special one."""

from __future__ import annotations

from pathlib import Path

from nntag.commands.preprocess import preprocess
from nntag.config.options.preprocess import PreprocessOptions
from nntag.encoding.data_folder import DataFolder

CORPORA = {"tagging": "conllu", "lm": "text", "sentiment": "sst"}  # a new task names its corpus here


def make_tiny_data(task: str, folder: Path, size: int = 24) -> DataFolder:
    """A data folder of `task` from the sample generator: `size` training sentences, 50 of dev and 50 of test."""
    data = preprocess(PreprocessOptions(CORPORA[task], sample=True, sample_size=size, out=folder / task)).data
    assert data.task == task
    return data
