"""`nntag train --runs N`: the same training with N seeds; mean and standard deviation of its scores out."""

from __future__ import annotations

import glob
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.commands.evaluate import evaluate
from nntag.commands.train import DEFAULT_MODEL, DEFAULT_RECIPE, TrainResult, train
from nntag.config.settings import SECTIONS, Settings, resolve_settings, settings_from_json
from nntag.encoding.data_folder import newest_data_folder, open_data_folder
from nntag.errors import RunError, UsageError
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.checkpoint import WEIGHTS, read_identity
from nntag.training.runs import data_path, new_run_folder


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
    model: str | None = None,
    data: str | Path | None = None,
    out: str | Path | None = None,
    recipe: str | None = None,
    layers: tuple[Mapping[str, Any], ...] = (),
    device: str = "cpu",
    resume: bool = False,
    progress: ProgressCallback = ignore_progress,
) -> RunsResult:
    """Trains with `count` seeds from the configured one on, into OUT-s1, OUT-s2, ..., and scores each on test.

    With `resume`, finished runs are kept, broken ones go on and missing ones are trained as the first one was, with
    `layers` over its settings. Otherwise as `train`.
    """
    if count < 1:
        raise UsageError(f"--runs must be at least 1, found {count}")
    if resume:
        settings, own_data = _settings_of_first_run(out, layers)
        data, model, recipe = data or own_data, model or settings.name, recipe or settings.recipe
        saved = settings.to_json()
        layers = ({f"{section}.{name}": value for section in SECTIONS for name, value in saved[section].items()},)
    else:
        model = model or DEFAULT_MODEL
        settings = resolve_settings(model, recipe or DEFAULT_RECIPE, *layers)
    folder = open_data_folder(data, settings.row.task) if data else newest_data_folder(settings.row.task)
    seeds = [settings.train.seed + number for number in range(count)]
    base = Path(out) if out else new_run_folder(model, folder, ending=f"-s{seeds[0]}")
    runs: list[TrainResult] = []
    test: list[float] = []
    for seed in seeds:
        run = base.parent / f"{base.name}-s{seed}"
        going_on = resume and (run / "last" / WEIGHTS).exists()
        own = (*layers, {"train.seed": seed})
        runs.append(train(model, folder.path, run, recipe, own, device, going_on, progress))
        if folder.has_split("test"):
            report = evaluate(run, folder.path, "test", device=device, progress=progress).report
            test.append(float(report[runs[-1].score_name]))
    return RunsResult(runs, seeds, [result.best_score for result in runs], test)


def _settings_of_first_run(out: str | Path | None, layers: tuple[Mapping[str, Any], ...]) -> tuple[Settings, Path]:
    """The settings of the run OUT-sN of the lowest N, with `layers` over them, and its data folder."""
    if out is None:
        raise UsageError("--resume needs the runs to go on with: give what their names begin with, as --out was")
    start = f"{Path(out).name}-s"
    found = {path.name.removeprefix(start): path for path in Path(out).parent.glob(f"{glob.escape(start)}*")}
    seeds = [int(seed) for seed, run in found.items() if seed.isdecimal() and (run / "last" / WEIGHTS).exists()]
    if not seeds:
        raise RunError(f"{out}: nothing to resume (no {start}1 or the like with an epoch in it)")
    config = read_identity(found[str(min(seeds))] / "last")[0]
    return settings_from_json(config["settings"], *layers), data_path(config)
