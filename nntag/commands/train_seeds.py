"""`nntag train --runs N`: the same training with N seeds; mean and standard deviation of its scores out."""

from __future__ import annotations

import glob
import logging
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.commands.evaluate import evaluate
from nntag.commands.train import DEFAULT_MODEL, DEFAULT_RECIPE, TrainResult, describe_resumption, train
from nntag.config.fields import takes_options
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import EvaluateOptions
from nntag.config.settings import Settings, resolve_settings, settings_from_json
from nntag.encoding.data_folder import newest_data_folder, open_data_folder
from nntag.errors import RunError, UsageError
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.checkpoint import WEIGHTS, read_identity
from nntag.training.runs import new_run_folder
from nntag.training.task import data_path

logger = logging.getLogger("nntag")


@dataclass(frozen=True)
class SeedsResult:
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
    """Mean, sample standard deviation (None for one run) and the scores themselves."""
    deviation = statistics.stdev(scores) if len(scores) > 1 else None
    return {"mean": statistics.fmean(scores), "standard_deviation": deviation, "scores": list(scores)}


@takes_options(TrainOptions)
def train_seeds(options: TrainOptions, progress: ProgressCallback = ignore_progress) -> SeedsResult:
    """Trains with `options.runs` seeds, from the configured one on, into OUT-s1, OUT-s2, ..., and scores each on test.

    With `resume`, finished runs are kept, broken ones go on and missing ones are trained as the first one was, with
    the options' settings over its own. Otherwise as `train`.
    """
    count, out = options.runs, options.out
    if count < 1:
        raise UsageError(f"--runs must be at least 1, found {count}")
    data = options.data
    if options.resume:
        settings, own_data = _settings_of_first_run(options)
        data = data or own_data
    else:
        settings = resolve_settings(
            options.model or DEFAULT_MODEL, options.recipe or DEFAULT_RECIPE, *options.overrides()
        )
    folder = open_data_folder(data, settings.row.task) if data else newest_data_folder(settings.row.task)
    seeds = [settings.train.seed + number for number in range(count)]
    base = Path(out) if out else new_run_folder(settings.name, folder, ending=f"-s{seeds[0]}")
    runs: list[TrainResult] = []
    test: list[float] = []
    for seed in seeds:
        run = base.parent / f"{base.name}-s{seed}"
        going_on = options.resume and (run / "last" / WEIGHTS).exists()
        own = TrainOptions(
            model=options.model or settings.name,
            recipe=options.recipe or settings.recipe,
            data=folder.path,
            out=run,
            resume=going_on,
            force=options.force,
            device=options.device,
            checkpoint_minutes=options.checkpoint_minutes,
            settings=settings.values() | {"train.seed": seed},
        )
        try:
            runs.append(train(own, progress))
        except KeyboardInterrupt:
            logger.info("continue with all %d seeds: %s", count, describe_resumption(options, base))
            raise
        if folder.has_split("test"):
            tested = EvaluateOptions(run, folder.path, "test", device=options.device)
            test.append(float(evaluate(tested, progress).report[runs[-1].metric.name]))
    return SeedsResult(runs, seeds, [result.best_score for result in runs], test)


def _settings_of_first_run(options: TrainOptions) -> tuple[Settings, Path]:
    """The settings of the run OUT-sN of the lowest N, with those of the options over them, and its data folder."""
    out = options.out
    if out is None:
        raise UsageError(
            "--resume needs the runs that it should continue: give --out as before, which their names begin with"
        )
    start = f"{Path(out).name}-s"
    found = {path.name.removeprefix(start): path for path in Path(out).parent.glob(f"{glob.escape(start)}*")}
    seeds = [int(seed) for seed, run in found.items() if seed.isdecimal() and (run / "last" / WEIGHTS).exists()]
    if not seeds:
        raise RunError(f"{out}: nothing to resume (no {start}1 or the like with an epoch in it)")
    config = read_identity(found[str(min(seeds))] / "last")[0]
    return settings_from_json(config["settings"], *options.overrides()), data_path(config)
