"""`nntag train`: a data folder and settings in, a run folder with the trained model out."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from nntag.encoding.store import DataFolder, newest_data_folder, open_data_folder
from nntag.encoding.word_vectors import vector_size
from nntag.errors import RunError, UsageError
from nntag.models.registry import find_model
from nntag.models.settings import Settings, resolve_settings, settings_from_json
from nntag.progress import ProgressCallback, ignore_progress
from nntag.tasks.find import task_class
from nntag.tasks.language_model import LanguageModelTask
from nntag.training.checkpoint import WEIGHTS, read_identity, write_identity
from nntag.training.device import choose_device
from nntag.training.loop import LOG, Trainer, TrainState
from nntag.training.task import Task
from nntag.workflows.runs import new_run_folder


@dataclass(frozen=True)
class TrainResult:
    """What a training run came to."""

    run: Path
    data: Path
    settings: Settings
    score_name: str  # "accuracy", ...: what dev was judged by
    best_score: float
    best_epoch: int
    epochs: int
    parameters: int
    log: list[dict[str, Any]]


def train(
    model: str,
    data: str | Path | None = None,
    out: str | Path | None = None,
    recipe: str = "default",
    layers: tuple[Mapping[str, Any], ...] = (),
    device: str = "cpu",
    resume: bool = False,
    progress: ProgressCallback = ignore_progress,
) -> TrainResult:
    """Trains `model` on the data folder `data` (the newest of its task by default) into the run folder `out`.

    `layers` are values over the recipe, weakest first (see `resolve_settings`). With `resume`, the run at `out` goes on
    with its own settings and `layers` over them. Raises `UsageError`, `RunError`.
    """
    torch_device = choose_device(device)
    row = find_model(model)
    settings = resolve_settings(model, recipe, *layers)
    if getattr(settings.input, "word_vectors", None):
        size = {"input.word_size": vector_size(settings.input.word_vectors)}
        layers = (*layers, size)
        settings = resolve_settings(model, recipe, *layers)
    folder = open_data_folder(data, row.task) if data else newest_data_folder(row.task)
    run = Path(out) if out else new_run_folder(model, folder)
    if resume:
        settings = _settings_to_resume(run, model, layers)
    elif any((run / kind / WEIGHTS).exists() for kind in ("last", "best")):
        raise UsageError(f"{run} holds a trained run already; go on with it by --resume, or give another --out")
    task = task_class(row.task).from_data(folder, settings)
    if resume:
        _check_vocabularies(run, task, folder)
    if row.counted:
        return _count(settings, task, folder, run, progress)
    torch.manual_seed(settings.train.seed)
    trainer = Trainer(task.build_model(settings), task, folder, settings, run, torch_device)
    if resume:
        trainer.resume()
    _write_identities(run, settings, task, folder)
    state = trainer.fit(progress)
    return _result(trainer, state, folder)


def _count(settings: Settings, task: Task, data: DataFolder, run: Path, progress: ProgressCallback) -> TrainResult:
    """Estimates a model from counts: one pass, no epochs to resume."""
    assert isinstance(task, LanguageModelTask)
    started = time.perf_counter()
    model = task.count_model(settings, data, progress)
    seconds = time.perf_counter() - started
    config = {"task": task.name, "data": str(data.path), "settings": settings.to_json()}
    write_identity(run / "best", config, task.to_json())
    model.save(run / "best")
    score = task.evaluate(model, data, "dev")[task.score_name]
    entry = {"epoch": 1, f"dev_{task.score_name}": score, "best_epoch": 1, "seconds": round(seconds, 2)}
    (run / LOG).write_text(json.dumps(entry) + "\n", encoding="utf-8")
    return TrainResult(run, data.path, settings, task.score_name, score, 1, 1, sum(model.counts), [entry])


def _settings_to_resume(run: Path, model: str, layers: tuple[Mapping[str, Any], ...]) -> Settings:
    """The saved settings of the run with `layers` over them."""
    last = run / "last"
    if not (last / WEIGHTS).exists():
        raise RunError(f"{run}: nothing to resume (no last/{WEIGHTS} in it)")
    saved = read_identity(last)[0]["settings"]
    if saved["name"] != model:
        raise UsageError(f"{run} was trained with --model {saved['name']}, not {model}; resume with the same")
    return settings_from_json(saved, *layers)


def _check_vocabularies(run: Path, task: Task, data: DataFolder) -> None:
    """Weights belong to the vocabularies they were trained with."""
    saved, current = read_identity(run / "last")[1], task.to_json()
    different = [name for name in current if saved.get(name) != current[name]]
    if different:
        raise RunError(
            f"{run} was trained on other data than {data.path}: the vocabularies differ ({', '.join(different)}); "
            "resume with the data folder it was trained on"
        )


def _write_identities(run: Path, settings: Settings, task: Task, data: DataFolder) -> None:
    config = {"task": task.name, "data": str(data.path), "settings": settings.to_json()}
    for kind in ("last", "best"):
        write_identity(run / kind, config, task.to_json())


def _result(trainer: Trainer, state: TrainState, data: DataFolder) -> TrainResult:
    if state.best_score is None:
        raise UsageError("--epochs 0: nothing was trained")
    return TrainResult(
        trainer.run,
        data.path,
        trainer.settings,
        trainer.task.score_name,
        state.best_score,
        state.best_epoch,
        state.epoch,
        sum(parameter.numel() for parameter in trainer.model.parameters()),
        state.log,
    )
