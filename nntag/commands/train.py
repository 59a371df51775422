"""`nntag train`: a data folder and settings in, a run folder with the trained model out."""

from __future__ import annotations

import dataclasses
import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from nntag.config.fields import check_flags
from nntag.config.options.train import TrainOptions
from nntag.config.registry import find_model
from nntag.config.settings import Settings, resolve_settings, settings_from_json
from nntag.encoding.contextual.run_folder import keep_encoder, use_own_encoder
from nntag.encoding.contextual.source import ENCODER
from nntag.encoding.data_folder import DataFolder, newest_data_folder, open_data_folder
from nntag.errors import RunError, UsageError
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.checkpoint import WEIGHTS, read_identity, write_identity
from nntag.training.device import choose_device, keep_freed_memory
from nntag.training.metric import Metric, find_metric
from nntag.training.runs import lock_run, new_run_folder
from nntag.training.task import Task, data_path
from nntag.training.tasks import task_class
from nntag.training.trainer import Trainer, TrainState, write_log


@dataclass(frozen=True)
class TrainResult:
    """How a training run ended."""

    run: Path
    data: Path
    settings: Settings
    metric: Metric  # what dev was judged by
    best_score: float
    best_epoch: int
    epochs: int
    parameters: int
    log: list[dict[str, Any]]

    def to_json(self) -> dict[str, Any]:
        """What `nntag train --json` prints."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "metric"}
        own = {"run": str(self.run), "data": str(self.data), "settings": self.settings.to_json()}
        return values | own | {"score_name": self.metric.name}


DEFAULT_MODEL, DEFAULT_RECIPE = "skip-gated", "default"

logger = logging.getLogger("nntag")


def train(options: TrainOptions | None = None, progress: ProgressCallback = ignore_progress) -> TrainResult:
    """Trains a model on a data folder (the newest of its task by default) into a run folder.

    With `resume`, the run at `out` goes on with its own model, recipe, data folder and settings, and the options'
    settings over those. Raises `UsageError`, `RunError`.
    """
    options = options or TrainOptions()
    torch_device = choose_device(options.device)
    keep_freed_memory()
    data = options.data
    if options.resume:
        run = _run_to_resume(options.out)
        settings, own_data = _settings_to_resume(run, options)
        data = data or own_data
    else:
        settings = _new_settings(options)
    folder = open_data_folder(data, settings.row.task) if data else newest_data_folder(settings.row.task)
    if not options.resume:
        run = _run_to_write(options.out, settings, folder)
    logger.info("training %s on %s; run folder: %s", settings.name, folder.path, run)
    task_settings = use_own_encoder(settings, run) if options.resume else settings
    task = task_class(settings.row.task).from_data(folder, task_settings)
    if not options.resume:
        settings = task.complete_settings(settings)
    if not task.count_train(folder):
        raise RunError(f"{folder.path}: nothing to train on")
    with lock_run(run):
        if settings.row.counted:
            return _count(settings, task, folder, run, progress)
        task.use_device(torch_device)
        task.prepare(folder, progress)
        torch.manual_seed(settings.train.seed)
        model_built = task.build_model(settings, pretrained=not options.resume)
        trainer = Trainer(model_built, task, folder, settings, run, torch_device)
        if options.resume:
            _check_vocabularies(run, task, folder)
            trainer.resume()
        _write_identities(run, settings, task, folder)
        keep_encoder(settings.input, run)
        state = trainer.fit(progress)
        return _result(trainer, state, folder)


def _new_settings(options: TrainOptions) -> Settings:
    """The settings of a new run, as far as they do not depend on its data."""
    model, recipe = options.model or DEFAULT_MODEL, options.recipe or DEFAULT_RECIPE
    check_flags(
        options,
        find_model(model).task,
        lambda flag, _: f"{flag} is for taggers and tree models, and {model} is neither",
    )
    settings = resolve_settings(model, recipe, *options.overrides())
    if settings.train.epochs == 0:
        raise UsageError("--epochs 0: nothing would be trained")
    return settings


def _run_to_write(out: str | Path | None, settings: Settings, data: DataFolder) -> Path:
    run = Path(out) if out else new_run_folder(settings.name, data)
    if any((run / kind / WEIGHTS).exists() for kind in ("last", "best")):
        raise UsageError(f"{run} already holds a trained run; continue it with --resume, or give another --out")
    return run


def _run_to_resume(out: str | Path | None) -> Path:
    if out is None:
        raise UsageError("--resume needs the run that it should continue: name it with --out")
    if not (Path(out) / "last" / WEIGHTS).exists():
        raise RunError(f"{out}: nothing to resume (no last/{WEIGHTS} in it)")
    return Path(out)


def _count(settings: Settings, task: Task, data: DataFolder, run: Path, progress: ProgressCallback) -> TrainResult:
    """Estimates a model from counts: one pass, no epochs to resume."""
    started = time.perf_counter()
    model = task.count_model(settings, data, progress)
    seconds = time.perf_counter() - started
    _write_identity(run / "best", settings, task, data)
    model.save(run / "best")
    metric = find_metric(task.metrics, settings.train.metric)
    score = task.evaluate(model, data, "dev")[metric.name]
    entry = {"epoch": 1, f"dev_{metric.name}": score, "best_epoch": 1, "seconds": round(seconds, 2)}
    write_log(run, [entry])
    return TrainResult(run, data.path, settings, metric, score, 1, 1, sum(model.counts), [entry])


def _settings_to_resume(run: Path, options: TrainOptions) -> tuple[Settings, Path]:
    """The saved settings of the run with those of the options over them, and the data folder it was trained on."""
    config = read_identity(run / "last")[0]
    saved = settings_from_json(config["settings"])
    settings = settings_from_json(config["settings"], *options.overrides())
    for flag, given, own in (("--model", options.model, saved.name), ("--recipe", options.recipe, saved.recipe)):
        if given not in (None, own):
            raise UsageError(f"{run} was trained with {flag} {own}, not {given}; resume with the same")
    old, new = saved.train, settings.train
    if old.optimiser != new.optimiser or bool(old.average) != bool(new.average):
        raise UsageError(
            f"{run} was trained with optimiser={old.optimiser} and average={old.average:g}; its state does not fit "
            "another optimiser, and a running mean cannot be started or dropped half way"
        )
    metrics = task_class(saved.row.task).metrics
    judged_by, wanted = (find_metric(metrics, own.metric).name for own in (old, new))
    if judged_by != wanted:
        raise UsageError(
            f"{run} was trained with metric={judged_by}, which its best epoch was chosen by, not {wanted}; "
            "resume with the same"
        )
    return settings, data_path(config)


def _check_vocabularies(run: Path, task: Task, data: DataFolder) -> None:
    """Weights belong to the vocabularies they were trained with."""
    saved, current = read_identity(run / "last")[1], task.to_json()
    different = [name for name in current if saved.get(name) != current[name]]
    if different == [ENCODER]:
        raise RunError(f"{run} was trained with another encoder than lies there now; resume with the same")
    if different:
        raise RunError(
            f"{run} was trained on other data than {data.path}: the vocabularies differ ({', '.join(different)}); "
            "resume with the data folder it was trained on"
        )


def _write_identities(run: Path, settings: Settings, task: Task, data: DataFolder) -> None:
    for kind in ("last", "best"):
        _write_identity(run / kind, settings, task, data)


def _write_identity(folder: Path, settings: Settings, task: Task, data: DataFolder) -> None:
    files = [data.path / name for name in task.kept_files if (data.path / name).exists()]
    write_identity(folder, _describe_run(settings, task, data), task.to_json(), files)


def _describe_run(settings: Settings, task: Task, data: DataFolder) -> dict[str, Any]:
    """The run's `config.json`: what it was trained for, on which corpus and column, and how."""
    origin = {"data": str(data.path.resolve()), "corpus": data.meta.get("corpus"), "column": data.meta.get("column")}
    return {"task": task.name, **origin, "settings": settings.to_json()}


def _result(trainer: Trainer, state: TrainState, data: DataFolder) -> TrainResult:
    if state.best_score is None:
        name = trainer.metric.name
        raise RunError(
            f"{trainer.run}: dev {name} was not a finite number in any epoch, so that no epoch is the best; try a "
            "lower --lr (last holds the last epoch)"
        )
    return TrainResult(
        trainer.run,
        data.path,
        trainer.settings,
        trainer.metric,
        state.best_score,
        state.best_epoch,
        state.epoch,
        sum(parameter.numel() for parameter in trainer.model.parameters()),
        state.log,
    )
