"""`--engine` of `nntag tag`, `score` and `parse`: the same options, but parts of files on an engine's workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nntag.config.options.engine import EngineOptions

if TYPE_CHECKING:
    from nntag.integrations.annotate import Options


def run_on_engine(options: Options, inputs: Sequence[str], engine: EngineOptions) -> None:
    """Does the parts that are missing in `engine.output` and says on stderr how it goes."""
    from nntag.cli.printing import note
    from nntag.integrations.job import plan_job
    from nntag.integrations.output import run_job
    from nntag.integrations.ray import RayEngine

    job = plan_job(options, inputs, engine)
    counts = run_job(job, RayEngine(engine.workers, engine.address), engine.force, note)
    note(
        f"wrote {engine.output}: {counts.parts} parts, {counts.parts - counts.done_before} of them now, "
        f"{counts.sentences:,} sentences in {counts.seconds:.1f} s"
    )
