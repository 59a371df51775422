"""Which batches are so large that memory is handed back before them; and how large a tagger's batches are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import torch

from nntag.config.settings import resolve_settings
from nntag.training.batches import Batches
from nntag.training.tasks import task_class
from tests.tiny_data import make_tiny_data


def test_a_batch_is_large_beside_the_mean() -> None:
    items = [np.array([number]) for number in range(6)]
    batches = Batches(items, list, np.array([10, 10, 10, 50, 100, 60]))  # 40 on average
    assert [batches.is_large(number) for number in range(7)] == [False] * 4 + [True, False, False]
    assert not any(Batches(items, list).is_large(number) for number in range(7))


def test_the_size_of_a_taggers_batch_counts_its_padding(tmp_path: Path) -> None:
    data = make_tiny_data("tagging", tmp_path, 40)
    settings = resolve_settings("skip-none", "default", {"batch_size": 3})
    batches = task_class("tagging").from_data(data, settings).train_batches(data, settings, torch.Generator())
    assert batches.sizes.tolist() == [batch.forms.numel() for batch in batches]
