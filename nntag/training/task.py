"""`Task`: the adapter between one kind of data and the workflows that train, evaluate and run models on it.

A task holds the vocabularies and the input settings; it knows how to encode a data folder, to cut it into batches, to
build a model of the right sizes and to score one. Train, eval and tag all go through the same object, so that they
cannot disagree. It is made from a data folder (`from_data`) or from the vocabularies that a run keeps (`from_json`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

import torch

from nntag.config.settings import Settings
from nntag.encoding.data_folder import DataFolder
from nntag.training.model import Model


class Task(Protocol):
    """What the workflows need to know of a task."""

    name: str  # "tagging", "lm", "sentiment": the task of registry rows and data folders
    score_name: str  # the dev score that picks the epoch: "accuracy", "perplexity"
    higher_is_better: bool
    unit: str  # what a batch's `Loss.count` counts, for progress reports: "tokens", "nodes"

    @classmethod
    def from_data(cls, data: DataFolder, settings: Settings) -> Task:
        """The task with vocabularies built from the data folder's training split."""

    @classmethod
    def from_json(cls, vocabularies: Mapping[str, Any], settings: Settings) -> Task:
        """The task as a run saved it; `to_json` gives the same back."""

    def to_json(self) -> dict[str, Any]:
        """All that a run must keep to be used without its data folder."""

    def complete_settings(self, settings: Settings) -> Settings:
        """The settings of a new run with what the user's files decide: word vectors, which are read now if they have
        not been yet, give the width of the words."""

    def build_model(self, settings: Settings, pretrained: bool = True) -> Model:
        """A new model, initialised from torch's global random state; with `pretrained`, words start from the vectors
        that the task has read (without it the weights come from a checkpoint)."""

    def train_batches(self, data: DataFolder, settings: Settings, generator: torch.Generator) -> Iterator[Any]:
        """One epoch of training batches in random order; every sentence exactly once."""

    def count_train(self, data: DataFolder) -> int:
        """What one epoch's `Loss.count` adds up to, for progress reports."""

    def evaluate(self, model: Model, data: DataFolder, split: str) -> dict[str, Any]:
        """The report on a split: `score_name` among its keys; numbers in natural units (0.93 accuracy, not 93)."""
