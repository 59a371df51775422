"""`nntag train --runs N`: the same training with N seeds; mean and standard deviation of its scores out."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.encoding.store import newest_data_folder, open_data_folder
from nntag.errors import UsageError
from nntag.models.settings import resolve_settings
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.checkpoint import WEIGHTS
from nntag.workflows.evaluate import evaluate
from nntag.workflows.runs import new_run_folder
from nntag.workflows.train import DEFAULT_RECIPE, TrainResult, train


@dataclass(frozen=True)
class RunsResult:
    """The runs in the order of their seeds, and their scores."""

    runs: list[TrainResult]
    seeds: list[int]
    dev: list[float]
    test: list[float]  # empty where the data has no test split

    def summary(self) -> dict[str, Any]:
        """Mean, sample standard deviation (None for one run) and scores of each split."""
        splits = {"dev": self.dev, "test": self.test}
        return {split: summarise(scores) for split, scores in splits.items() if scores}


def summarise(scores: Sequence[float]) -> dict[str, Any]:
    deviation = statistics.stdev(scores) if len(scores) > 1 else None
    return {"mean": statistics.fmean(scores), "standard_deviation": deviation, "scores": list(scores)}


def train_runs(
    count: int,
    model: str,
    data: str | Path | None = None,
    out: str | Path | None = None,
    recipe: str | None = None,
    layers: tuple[Mapping[str, Any], ...] = (),
    device: str = "cpu",
    resume: bool = False,
    progress: ProgressCallback = ignore_progress,
) -> RunsResult:
    """Trains with `count` seeds from the configured one on, into OUT-s1, OUT-s2, ..., and scores each on test.

    With `resume`, finished runs are kept and broken ones go on. Otherwise as `train`.
    """
    if count < 1:
        raise UsageError(f"--runs must be at least 1, found {count}")
    settings = resolve_settings(model, recipe or DEFAULT_RECIPE, *layers)
    folder = open_data_folder(data, settings.row.task) if data else newest_data_folder(settings.row.task)
    base = Path(out) if out else new_run_folder(model, folder)
    seeds = [settings.train.seed + number for number in range(count)]
    runs: list[TrainResult] = []
    test: list[float] = []
    for seed in seeds:
        run = base.parent / f"{base.name}-s{seed}"
        going_on = resume and (run / "last" / WEIGHTS).exists()
        own = () if going_on else (*layers, {"train.seed": seed})
        runs.append(train(model, folder.path, run, recipe, own, device, going_on, progress))
        if folder.has_split("test"):
            report = evaluate(run, folder.path, "test", device=device, progress=progress).report
            test.append(float(report[runs[-1].score_name]))
    return RunsResult(runs, seeds, [result.best_score for result in runs], test)
