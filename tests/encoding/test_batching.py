"""Sentence lengths to batches: every item once, within the limits, about equal lengths together."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from nntag.encoding.batching import POOL, shuffled_batches, sorted_batches

LENGTHS = np.array([3, 1, 4, 1, 5, 9, 2, 6])


def test_sorted_batches_by_hand() -> None:
    assert [batch.tolist() for batch in sorted_batches(LENGTHS, 3)] == [[5, 7, 4], [2, 0, 6], [1, 3]]
    # 9 fits alone; 6 and 5 make 2 * 6 = 12; 4, 3 and 2 make 3 * 4 = 12; the ones together
    assert [batch.tolist() for batch in sorted_batches(LENGTHS, 8, 12)] == [[5], [7, 4], [2, 0, 6], [1, 3]]


@given(
    st.lists(st.integers(0, 30), max_size=80), st.integers(1, 10), st.sampled_from([0, 1, 20, 100]), st.integers(0, 9)
)
def test_every_item_is_in_one_batch_and_limits_hold(lengths: list[int], size: int, tokens: int, seed: int) -> None:
    array = np.array(lengths, dtype=np.int64)
    generator = torch.Generator().manual_seed(seed)
    for batches in (sorted_batches(array, size, tokens), shuffled_batches(array, size, tokens, generator)):
        assert sorted(number for batch in batches for number in batch.tolist()) == list(range(len(lengths)))
        for batch in batches:
            assert 1 <= len(batch) <= size
            assert tokens == 0 or len(batch) == 1 or len(batch) * array[batch].max() <= tokens
            assert (np.diff(array[batch]) <= 0).all()


def test_shuffled_batches_follow_their_generator() -> None:
    lengths = np.arange(1000) % 17
    drawn = [
        [batch.tolist() for batch in shuffled_batches(lengths, 8, 0, torch.Generator().manual_seed(seed))]
        for seed in (1, 1, 2)
    ]
    assert drawn[0] == drawn[1] != drawn[2]


def test_pools_keep_padding_low_and_the_order_random() -> None:
    lengths = np.random.default_rng(1).integers(1, 100, 4 * POOL * 8)
    batches = shuffled_batches(lengths, 8, 0, torch.Generator().manual_seed(1))
    padded = sum(len(batch) * lengths[batch].max() for batch in batches)
    assert padded < 1.1 * lengths.sum()
    longest = [lengths[batch].max() for batch in batches]
    assert abs(np.corrcoef(longest, np.arange(len(longest)))[0, 1]) < 0.3  # not sorted by length


@pytest.mark.parametrize("size", [1, 5])
def test_nothing_gives_no_batches(size: int) -> None:
    nothing = np.array([], dtype=np.int64)
    assert sorted_batches(nothing, size) == shuffled_batches(nothing, size, 0, torch.Generator()) == []
