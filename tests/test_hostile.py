"""A small sample of the hostile folders of `make hostile`."""

from __future__ import annotations

import sys

import pytest

from tests.hostile import try_one

SEEDS = (9, 10, 11, 12, 13, 22, 24, 175)


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory by Linux means")
def test_hostile_folders_are_refused_in_one_line() -> None:
    assert [ended for seed in SEEDS if (ended := try_one(seed))] == []
