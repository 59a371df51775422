"""Fixtures that all tests share."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import torch

SHARED_DATA = Path(os.environ.get("NNTAG_SHARED_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> None:
    """Small products are slowed by a second thread."""
    torch.set_num_threads(1)


@pytest.fixture(scope="session", autouse=True)
def heed_ctrl_c() -> None:
    """A suite started in the background inherits an ignored Ctrl-C, and so would the commands under test."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora; tests that use it are marked `corpus` and skip where it is absent."""
    if not SHARED_DATA.is_dir():
        pytest.skip("no folder of real corpora (NNTAG_SHARED_DATA)")
    return SHARED_DATA


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests marked `slow` skip unless the command line names the mark, those marked `gpu` where there is no GPU."""
    if "slow" not in str(config.getoption("-m")):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: pytest -m slow"))
    if torch.cuda.is_available():
        return
    for item in items:
        if item.get_closest_marker("gpu"):
            item.add_marker(pytest.mark.skip(reason="no CUDA GPU"))
