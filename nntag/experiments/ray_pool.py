"""Run folders with a `request.json` each in, workers on a Ray cluster on them; ends and failures reported.

The same as `pool.run_workers`: a task of Ray starts the worker where Ray places it, on the same files, so that a run
that was stopped goes on from its last epoch wherever it is taken up.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from nntag.experiments.pool import run_one
from nntag.integrations.cluster import start_ray

WAIT_SECONDS = 1.0
MOST_DEATHS = 3  # of the process or machine under one run, before the run counts as failed


def run_on_ray(
    runs: Iterable[Path],
    jobs: int,
    on_end: Callable[[Path, str | None], None],
    on_wait: Callable[[], None],
    address: str = "",
    needs_gpu: bool = False,
) -> None:
    """Runs a worker on each folder, `jobs` at a time, each with a processor core and, where needed, a GPU.

    `address`: of a running cluster, whose machines see the same files; else Ray runs on this machine. Raises
    `UsageError` where Ray is not installed or not reached.
    """
    waiting, running = deque(runs), dict[Any, Path]()
    with start_ray(jobs, address) as ray:
        task = ray.remote(num_cpus=1, num_gpus=int(needs_gpu), max_retries=MOST_DEATHS)(_run)
        while waiting or running:
            while waiting and len(running) < jobs:
                run = waiting.popleft()
                running[task.remote(os.getcwd(), str(run))] = run
            ended, _ = ray.wait(list(running), timeout=WAIT_SECONDS)
            for reference in ended:
                try:
                    reason = ray.get(reference)
                except ray.exceptions.RayError as error:
                    reason = str(error).strip().splitlines()[-1]
                on_end(running.pop(reference), reason)
            on_wait()


def _run(folder: str, run: str) -> str | None:
    """Below the driver's working directory, from which paths are given."""
    os.chdir(folder)
    return run_one(Path(run))
