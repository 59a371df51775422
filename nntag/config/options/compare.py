"""The options of `nntag compare`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nntag.config.fields import flag
from nntag.config.options.use import DEVICE, EvaluateOptions


def _as_in_eval(name: str) -> str:
    """The help of the flag of `nntag eval` that means the same."""
    return str(EvaluateOptions.__dataclass_fields__[name].metadata["help"])


@dataclass(frozen=True)
class CompareOptions:
    """Which two systems are compared, on what, and how the bootstrap draws."""

    systems: tuple[Path, ...] = flag(
        (), "Two runs, or two files that `nntag eval --output FILE.jsonl` wrote, or one of each.", argument=True
    )
    data: Path | str | None = flag(
        None, "Data folder or corpus file to judge runs on [default: the data each run was trained on]."
    )
    split: str | None = flag(None, _as_in_eval("split"))
    format: str | None = flag(None, _as_in_eval("format"))
    column: tuple[str, ...] | str | None = flag(None, _as_in_eval("column"), tasks=("tagging",))
    resamples: int = flag(10_000, "Draws of the paired bootstrap.", low=1)
    seed: int = flag(1, "Seed of the draws.", low=0)
    device: str = flag("cpu", DEVICE)
