"""Sentence lengths -> batches of sentence numbers of about equal length, in random or in sorted order."""

from __future__ import annotations

import numpy as np
import torch

POOL = 50  # ours: batches whose sentences are sorted by length together; more: less padding, less random


def sorted_batches(lengths: np.ndarray, size: int, tokens: int = 0) -> list[np.ndarray]:
    """All items, longest first, in batches of at most `size` items and (if not 0) `tokens` padded tokens."""
    return _cut(np.argsort(-lengths, kind="stable"), lengths, size, tokens)


def shuffled_batches(lengths: np.ndarray, size: int, tokens: int, generator: torch.Generator) -> list[np.ndarray]:
    """All items once in random batches: random pools are sorted and cut, and the batches mixed."""
    order = torch.randperm(len(lengths), generator=generator).numpy()
    batches: list[np.ndarray] = []
    for start in range(0, len(order), POOL * size):
        pool = order[start : start + POOL * size]
        batches += _cut(pool[np.argsort(-lengths[pool], kind="stable")], lengths, size, tokens)
    return [batches[number] for number in torch.randperm(len(batches), generator=generator).tolist()]


def _cut(order: np.ndarray, lengths: np.ndarray, size: int, tokens: int) -> list[np.ndarray]:
    """Cuts items that are sorted, longest first; an item over the token limit gets a batch of its own."""
    batches, start = [], 0
    while start < len(order):
        longest = max(1, int(lengths[order[start]]))
        count = size if tokens == 0 else max(1, min(size, tokens // longest))
        batches.append(order[start : start + count])
        start += count
    return batches
