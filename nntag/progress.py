"""How long-running work reports its progress: a callback that takes a `Progress`; the default one ignores it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """One report of work going on; `total` is None where the end is not known."""

    stage: str  # "reading train", "epoch 3", ...
    done: int
    total: int | None = None
    unit: str = ""  # what `done` counts: "tokens", "sentences", "trees", "MB"
    values: Mapping[str, float] = field(default_factory=dict)  # for example {"loss": 1.23}
    finished: bool = False  # this is the last report of its stage
    shares: frozenset[str] = frozenset()  # the values between 0 and 1 that are printed as percentages
    rounds: tuple[int, int] | None = None  # (3, 60): the stage is the third of at most sixty that take about as long


ProgressCallback = Callable[[Progress], None]


def ignore_progress(progress: Progress) -> None:
    """The default callback."""
