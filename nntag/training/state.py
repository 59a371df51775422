"""Where a run stands, as JSON in the header of `last`: epochs, updates, scores, and how far it is within an epoch."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from nntag.schema import Maybe, Real, Record, Rows, Table, Text, Whole


@dataclass
class EpochPart:
    """How far a run is within an epoch."""

    order: str  # `Batches.digest` of that epoch
    batches: int = 0  # trained on so far
    nats: float = 0.0  # their summed loss
    count: int = 0  # what that was summed over
    seconds: float = 0.0


@dataclass
class TrainState:
    """Where a run stands; goes into the header of `last`."""

    epoch: int = 0  # epochs that are over
    step: int = 0
    best_epoch: int = 0
    best_score: float | None = None
    log: list[dict[str, Any]] = field(default_factory=list)
    part: EpochPart | None = None  # of the epoch after those

    def to_json(self) -> dict[str, Any]:
        """What the header of `last` keeps."""
        saved = {name: value for name, value in vars(self).items() if name != "part"}
        return saved if self.part is None else saved | {"part": asdict(self.part)}

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> TrainState:
        """Raises `ValueError`, `TypeError` for what `to_json` does not give."""
        state = cls(**saved)
        _STATE.check(dict(saved), "state")
        if not state.best_epoch <= state.epoch == len(state.log):
            raise ValueError(f"state: {len(state.log)} lines of log after epoch {state.epoch}")
        if "part" in saved:
            state.part = EpochPart(**saved["part"])
        return state

    def end_epoch(self, score: float, higher_is_better: bool) -> None:
        """Moves to the end of the epoch that was begun; a score that is not finite is never the best."""
        best = self.best_score
        self.epoch, self.part = self.epoch + 1, None
        better = (
            best is None
            or not math.isfinite(best)  # nothing compares with it
            or (score > best if higher_is_better else score < best)
        )
        if better and math.isfinite(score):
            self.best_epoch, self.best_score = self.epoch, score

    def describe(self, unit: str) -> str:
        """Where the run stands; `unit`: what `part.count` counts."""
        if self.part is None or not self.part.batches:
            return f"stopped after epoch {self.epoch}"
        return f"stopped within epoch {self.epoch + 1}, after {self.part.count:,} {unit}"


_STATE = Record(
    {
        "epoch": Whole(),
        "step": Whole(),
        "best_epoch": Whole(),
        "best_score": Maybe(Real(any_size=True)),
        "log": Rows(Table(Maybe(Real(any_size=True)))),
    },
    {
        "part": Record(
            {
                "order": Text(),
                "batches": Whole(),
                "nats": Real(),
                "count": Whole(),
                "seconds": Real(),
            }
        )
    },
)
