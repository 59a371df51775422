"""The options of `nntag tag`, `score` and `parse` on an engine: who works on the parts, and where they go."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path

from nntag.config.fields import flag, flag_name, unknown_name
from nntag.errors import UsageError

ENGINES = ("ray",)


@dataclass(frozen=True)
class EngineOptions:
    """Whether large inputs are cut into parts that an engine's workers tag, score or parse."""

    engine: str | None = flag(
        None, "Engine that works on parts of large inputs: ray (pip install 'nntag[ray]'); needs --output."
    )
    output: Path | None = flag(
        None,
        "With --engine: folder for the parts and their manifest; the same command again does what is missing.",
        metavar="FOLDER",
    )
    workers: int = flag(1, "With --engine: processes that each load the model once.", low=1)
    address: str = flag("", "With --engine: address of a running Ray cluster [default: Ray on this machine alone].")
    part_mb: float = flag(8.0, "With --engine: megabytes of input in a part.", low=0.001)
    text_column: str = flag("text", "With --engine: the column of Parquet files that holds the text.")
    force: bool = flag(False, "With --engine: replace the parts of another command in --output.")

    def __post_init__(self) -> None:
        if self.engine is not None and self.engine not in ENGINES:
            raise UsageError(unknown_name("--engine", self.engine, ENGINES))
        if self.engine is not None and self.output is None:
            raise UsageError("--engine needs --output, a folder for the parts")
        given = [field for field in dataclasses.fields(self) if getattr(self, field.name) != field.default]
        if self.engine is None and given:
            raise UsageError(f"{flag_name(given[0])} has a meaning with --engine alone")

    @property
    def part_bytes(self) -> int:
        """Bytes of input in a part, at least one."""
        return max(1, int(self.part_mb * 1_000_000))
