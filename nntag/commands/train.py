"""`nntag train`: a data folder and settings in, a run folder with the trained model out."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import logging
import os
import shlex
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from nntag.commands.resume import ResumedRun
from nntag.config.fields import check_flags, flag_name, refuse_flags, takes_options
from nntag.config.options.train import GRADIENT_FLAGS, TrainOptions
from nntag.config.registry import find_model
from nntag.config.settings import Settings, resolve_settings
from nntag.config.tasks import find_task
from nntag.encoding.contextual.run_folder import keep_encoder, use_own_encoder
from nntag.encoding.contextual.source import ENCODER
from nntag.encoding.data_folder import DataFolder, newest_data_folder, open_data_folder
from nntag.errors import RunError, UsageError
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.checkpoint import CONFIG, PARTS, WEIGHTS, write_identity
from nntag.training.device import choose_device, keep_freed_memory
from nntag.training.log import LOG, write_log
from nntag.training.metric import Metric, find_metric
from nntag.training.model_card import CARD, describe_score, is_card, write_card
from nntag.training.precision import choose_precision
from nntag.training.processes import Processes, count_processes, join_processes
from nntag.training.provenance import describe_run
from nntag.training.runs import lock_run, new_run_folder
from nntag.training.state import TrainState
from nntag.training.task import Task
from nntag.training.tasks import task_class
from nntag.training.trainer import Trainer


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

    @property
    def seconds(self) -> float:
        """What the epochs took together; one whose time is not known counts for nothing."""
        return sum(entry.get("seconds") or 0.0 for entry in self.log)

    def to_json(self) -> dict[str, Any]:
        """What `nntag train --json` prints."""
        values = {field.name: getattr(self, field.name) for field in dataclasses.fields(self) if field.name != "metric"}
        own = {"run": str(self.run), "data": str(self.data), "settings": self.settings.to_json()}
        return values | own | {"score_name": self.metric.name}


DEFAULT_MODEL, DEFAULT_RECIPE = "skip-gated", "default"

logger = logging.getLogger("nntag")


@takes_options(TrainOptions)
def train(options: TrainOptions | None = None, progress: ProgressCallback = ignore_progress) -> TrainResult:
    """Trains a model on a data folder (the newest of its task by default) into a run folder.

    With `resume`, the run at `out` goes on with its own model, recipe, data folder and settings, and the options'
    settings over those. Raises `UsageError`, `RunError`.
    """
    options = options or TrainOptions()
    device = choose_device(options.device, int(os.environ.get("LOCAL_RANK", "0")) if count_processes() > 1 else None)
    if options.processes > 1 and count_processes() == 1:
        raise UsageError("--processes is a flag of the command line; from Python, start your script with torchrun")
    processes = join_processes(device)
    result = _train(options, device, processes, progress if processes.rank == 0 else ignore_progress)
    processes.wait()  # for what the first one writes at the end
    return result


def _train(
    options: TrainOptions, torch_device: torch.device, processes: Processes, progress: ProgressCallback
) -> TrainResult:
    """As `train`, in one of the processes that train together; the first one alone writes."""
    is_first = processes.rank == 0
    if options.resume and options.force:
        raise UsageError("--resume goes on with a run, and --force replaces it: give one of them")
    resumed = ResumedRun.open(options.out) if options.resume else None
    settings = resumed.merge_settings(options) if resumed else _new_settings(options)
    data = options.data or (resumed.data if resumed else None)
    folder = open_data_folder(data, settings.row.task) if data else newest_data_folder(settings.row.task)
    run = resumed.run if resumed else _run_to_write(options, settings, folder) if is_first else Path(options.out or ".")
    logger.info("training %s on %s; run folder: %s", settings.name, folder.path, run)
    task = task_class(settings.row.task).from_data(folder, use_own_encoder(settings, run) if resumed else settings)
    if not resumed:
        settings = task.complete_settings(settings)
    settings = _choose_precision(settings, torch_device)
    if not task.count_train(folder):
        raise RunError(f"{folder.path}: nothing to train on")
    with lock_run(run) if is_first else contextlib.nullcontext():
        if resumed:
            resumed.check_data(task, folder)
            resumed.check_settings(task, settings)
        elif options.force and is_first:
            _remove_run(run)
        config = describe_run(settings, task.name, folder, resumed.config if resumed else {})
        if settings.row.counted and processes.count > 1:
            raise UsageError(f"--processes: {settings.name} is counted in one pass, by one process")
        if settings.row.counted:
            return _finish(_count(settings, task, folder, run, config, progress), config, folder)
        keep_freed_memory(few_shapes=settings.train.precision == "float32")
        task.use_device(torch_device)
        processes.in_turn(functools.partial(task.prepare, folder, progress))
        torch.manual_seed(settings.train.seed)
        model_built = task.build_model(settings, pretrained=not resumed)
        minutes = options.checkpoint_minutes
        trainer = Trainer(model_built, task, folder, settings, run, torch_device, minutes, processes)
        if resumed:
            trainer.resume()
        processes.wait()  # the first one may write where the others have read
        if is_first:
            for part in PARTS:
                _write_identity(run / part, config, task, folder)
            keep_encoder(settings.input, run)
        try:
            state = trainer.fit(progress)
        except KeyboardInterrupt:
            if (run / "last" / WEIGHTS).exists():
                logger.info("%s; continue with: %s", trainer.describe_stop(), describe_resumption(options, run))
            raise
        result = _result(trainer, state, folder)
        return _finish(result, config, folder) if is_first else result


def _finish(result: TrainResult, config: Mapping[str, Any], data: DataFolder) -> TrainResult:
    """Writes the model's card, with the score on dev."""
    dev = describe_score(f"{data.path.name} dev", {result.metric.name: result.best_score}, (result.metric,))
    write_card(result.run, result.settings, config, data, dev)
    return result


def describe_resumption(options: TrainOptions, out: Path) -> str:
    """The command that goes on with a training that was stopped; the run folder has its settings."""
    words = ["nntag", "train", "--resume", "--out", str(out)]
    usual = {field.name: field for field in dataclasses.fields(options)}
    for name in ("runs", "device", "checkpoint_minutes", "processes"):
        value = getattr(options, name)
        if value != usual[name].default:
            words += [flag_name(usual[name]), f"{value:g}" if isinstance(value, float) else str(value)]
    return shlex.join(words)


def _new_settings(options: TrainOptions) -> Settings:
    """The settings of a new run, as far as they do not depend on its data."""
    model, recipe = options.model or DEFAULT_MODEL, options.recipe or DEFAULT_RECIPE
    check_flags(options, find_model(model).task, functools.partial(_say_for_which, model))
    settings = resolve_settings(model, recipe, *options.overrides())
    if not getattr(settings.input, "word_vectors", None):
        refuse_flags(options, ("tune_word_vectors",), "is about the vectors of --word-vectors; give them too")
    if settings.row.counted:
        refuse_flags(options, GRADIENT_FLAGS, f"is about training by gradients, and {model} is estimated from counts")
    if settings.train.epochs == 0:
        raise UsageError("--epochs 0: nothing would be trained")
    return settings


def _say_for_which(model: str, flag: str, tasks: Sequence[str]) -> str:
    owners = [find_task(task).models for task in tasks]
    return f"{flag} is for {' and '.join(owners)}, and {model} is {'neither' if len(owners) == 2 else 'not one'}"


def _choose_precision(settings: Settings, device: torch.device) -> Settings:
    """The settings with a precision that a run can be resumed in: what `auto` stands for is written down."""
    if settings.row.counted:
        return settings
    task = find_task(settings.row.task)
    precision = choose_precision(settings.train.precision, device, task.precisions, task.models)
    return dataclasses.replace(settings, train=dataclasses.replace(settings.train, precision=precision))


def _run_to_write(options: TrainOptions, settings: Settings, data: DataFolder) -> Path:
    run = Path(options.out) if options.out else new_run_folder(settings.name, data)
    if not options.force and any((run / part / WEIGHTS).exists() for part in PARTS):
        raise UsageError(
            f"{run} already holds a trained run; continue it with --resume, or give another --out, or replace it with "
            "--force"
        )
    return run


def _remove_run(run: Path) -> None:
    """What `--force` replaces; whatever else lies in the folder stays."""
    if any((run / part / CONFIG).exists() for part in PARTS):
        for part in (*PARTS, ENCODER):
            shutil.rmtree(run / part, ignore_errors=True)
        (run / LOG).unlink(missing_ok=True)
        if is_card(run / CARD):
            (run / CARD).unlink()


def _count(
    settings: Settings, task: Task, data: DataFolder, run: Path, config: Mapping[str, Any], progress: ProgressCallback
) -> TrainResult:
    """Estimates a model from counts in one pass; one that was estimated before a kill is only scored."""
    started = time.perf_counter()
    folder = run / "best"
    if (folder / WEIGHTS).exists():
        model = task.open_counted(folder)
    else:
        model = task.count_model(settings, data, run, progress)
        _write_identity(folder, config, task, data)
        model.save(folder)
    seconds = time.perf_counter() - started
    metric = find_metric(task.metrics, settings.train.metric)
    score = task.evaluate(model, data, "dev")[metric.name]
    entry = {"epoch": 1, f"dev_{metric.name}": score, "best_epoch": 1, "seconds": round(seconds, 2)}
    write_log(run, [entry])
    return TrainResult(run, data.path, settings, metric, score, 1, 1, sum(model.counts), [entry])


def _write_identity(folder: Path, config: Mapping[str, Any], task: Task, data: DataFolder) -> None:
    files = [data.path / name for name in task.kept_files if (data.path / name).exists()]
    write_identity(folder, config, task.to_json(), files)


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
