"""What the result of a training says of itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nntag.commands.train import TrainResult


def test_an_epoch_of_unknown_time_counts_for_nothing() -> None:
    nothing: Any = None
    log = [{"seconds": 1.5}, {"seconds": None}, {}, {"seconds": 2.0}]
    assert TrainResult(Path("run"), Path("data"), nothing, nothing, 0.5, 1, 4, 10, log).seconds == 3.5
