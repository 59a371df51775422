"""`RUN/log.jsonl`: what is known of each epoch, one line of JSON for each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.errors import RunError
from nntag.files import replace_file
from nntag.json_files import without_infinity
from nntag.training.state import EpochPart, TrainState

LOG = "log.jsonl"


def describe_epoch(
    state: TrainState, part: EpochPart, scores: Mapping[str, float], rate: float, unit: str
) -> dict[str, Any]:
    """The entry of an epoch that has just ended: its mean loss, its scores by name, its time."""
    return without_infinity(
        {
            "epoch": state.epoch,
            "loss_nats": part.nats / part.count,
            **scores,
            "best_epoch": state.best_epoch,
            "lr": rate,
            "seconds": round(part.seconds, 2),
            f"{unit}_per_second": round(part.count / max(part.seconds, 1e-9)),
        }
    )


def write_log(run: Path, log: Sequence[Mapping[str, Any]]) -> None:
    """Replaces `RUN/log.jsonl`: one line of JSON per epoch; raises `RunError` where that fails."""
    try:
        run.mkdir(parents=True, exist_ok=True)
        with replace_file(run / LOG) as partial:
            lines = [json.dumps(without_infinity(entry)) + "\n" for entry in log]
            partial.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise RunError(f"{run / LOG}: cannot write the log: {error.strerror}") from None
