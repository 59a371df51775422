"""Ray: parts of a job on its workers, and a callable class for `map_batches` that adds a column to batches of text.

ray.data.read_parquet("crawl").map_batches(
    AddColumn, fn_constructor_args=(TagOptions(model="runs/x", format="json"),), concurrency=2, batch_format="pandas"
).write_parquet("tagged")
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from nntag.errors import RunError
from nntag.integrations.cluster import start_ray
from nntag.integrations.columns import AddColumn
from nntag.integrations.job import Job
from nntag.integrations.worker import PartDone, PartWorker, to_row

__all__ = ["AddColumn", "RayEngine"]


class RayEngine:
    """Does parts in `workers` actors of Ray Data; to be called with a job and the numbers of its parts."""

    def __init__(self, workers: int = 1, address: str = ""):
        self._workers, self._address = workers, address

    def __call__(self, job: Job, numbers: Sequence[int]) -> Iterator[PartDone]:
        """Yields each part when done. A worker that dies is replaced, and its part done again, as is Ray Data's way.

        Raises `UsageError` where Ray is not installed or not reached, `RunError` where a part is given up.
        """
        with start_ray(self._workers, self._address) as ray:
            context = ray.data.DataContext.get_current()
            context.enable_progress_bars = False
            workers = min(self._workers, len(numbers))
            parts = ray.data.from_items([{"part": number} for number in numbers], override_num_blocks=len(numbers))
            done = parts.map_batches(
                _PartTask,
                fn_constructor_args=(job,),
                batch_size=None,
                compute=ray.data.ActorPoolStrategy(size=workers, max_tasks_in_flight_per_actor=1),
                num_cpus=1,
                num_gpus=1 if job.needs_gpu else None,
            )
            try:
                for row in done.iter_rows():
                    yield PartDone(**row)
            except ray.exceptions.RayError as error:
                reason = str(error).strip().splitlines()[-1]
                raise RunError(f"Ray gave up; the parts that are done are kept. Its last words: {reason}") from None


class _PartTask:
    """What an actor runs."""

    def __init__(self, job: Job):
        self._worker = PartWorker(job)

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        rows = [to_row(self._worker.do(int(number))) for number in batch["part"]]
        return {name: [row[name] for row in rows] for name in rows[0]}
