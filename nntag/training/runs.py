"""Run folders: finding one, naming a new one, and loading the model that one holds."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch

from nntag.config.registry import find_model
from nntag.config.settings import Settings, settings_from_json
from nntag.encoding.contextual.run_folder import use_own_encoder
from nntag.encoding.data_folder import DataFolder
from nntag.errors import NntagError, RunError, UsageError
from nntag.files import LOCK, hold_lock
from nntag.json_files import check_json
from nntag.training.checkpoint import (
    CONFIG,
    VOCABULARIES,
    WEIGHTS,
    checkpoint_path,
    read_checkpoint,
    read_identity,
)
from nntag.training.sizes import check_sizes
from nntag.training.task import Run, Task
from nntag.training.tasks import task_class
from nntag.training.tensor_files import read_header

RUNS = Path("runs")


def load_run(
    path: str | os.PathLike[str], device: torch.device | None = None, task: str | None = None, thorough: bool = False
) -> Run:
    """Loads a run folder (its `best`), a checkpoint folder or a weights file; raises `RunError`.

    Of large files the content is compared with its sums only if `thorough`.
    """
    weights_path = checkpoint_path(path)
    config, vocabularies = read_identity(weights_path.parent, thorough)
    try:
        settings = settings_from_json(config["settings"])
    except NntagError as error:
        raise RunError(f"{weights_path.parent / CONFIG}: {error}") from None
    if task is not None and settings.row.task != task:
        raise RunError(f"{path}: a run for {settings.row.task}, but this command needs one for {task}")
    if settings.row.counted:
        task_of_counts = _open_task(weights_path, vocabularies, settings)
        counted = task_of_counts.open_counted(weights_path.parent, thorough)
        return Run(weights_path, settings, task_of_counts, counted, config, {})
    settings = use_own_encoder(settings, weights_path.parent.parent)
    device = device or torch.device("cpu")
    loaded = _open_task(weights_path, vocabularies, settings)
    check_model(weights_path, loaded, settings)
    checkpoint = read_checkpoint(weights_path, thorough)
    try:
        model = loaded.build_model(settings, pretrained=False)
        loaded.use_device(device)
        model.load_state_dict(dict(checkpoint.weights))
    except (KeyError, RuntimeError, TypeError, AttributeError, ValueError) as error:
        reason = " ".join(line.strip() for line in str(error).splitlines()[:2])
        raise RunError(f"{weights_path}: the weights do not fit the settings beside them: {reason}") from None
    model = model.to(device).eval()
    return Run(weights_path, settings, loaded, model, config, checkpoint.state)


def _open_task(weights: Path, vocabularies: Mapping[str, Any], settings: Settings) -> Task:
    """The task with the vocabularies of a run, of which it checks every entry; raises `RunError`."""
    kind = task_class(settings.row.task)
    check_json(vocabularies, weights.parent / VOCABULARIES, kind.saved, f"the vocabularies of {settings.name}")
    return kind.from_json(vocabularies, settings)


def check_model(weights: Path, task: Task, settings: Settings) -> None:
    """Raises `RunError` where the settings ask for other tensors than a weights file has, before any is made or read.

    A tuned encoder is no part of the comparison: it is built of files of its own.
    """
    header = read_header(weights)
    if not getattr(settings.input, "contextual_tune", False):
        check_sizes(weights, header, lambda: task.build_model(settings, pretrained=False))


def task_of_run(path: str | os.PathLike[str]) -> str:
    """The task that a run was trained for; raises `RunError`."""
    return _task_of(read_identity(checkpoint_path(path).parent)[0])


def _task_of(config: Mapping[str, Any]) -> str:
    """By the model's name, which every config has."""
    return find_model(str(config["settings"].get("name"))).task


def newest_run(task: str | None = None, root: Path = RUNS) -> Path:
    """The run folder (of `task`) whose weights were written last; raises `RunError` where there is none."""
    found = sorted(root.glob(f"*/best/{WEIGHTS}"), key=lambda path: (path.stat().st_mtime_ns, str(path)), reverse=True)
    for weights in found:
        if task is None or _task_of(read_identity(weights.parent)[0]) == task:
            return weights.parent.parent
    wanted = f" for {task}" if task else ""
    raise RunError(f"{root}: no run{wanted}; train one with `nntag train` or name one with --model")


def list_runs_on(data: Path, root: Path = RUNS) -> list[Path]:
    """The runs under `root` that were trained on the data folder at `data`."""
    found = []
    for weights in sorted(root.glob(f"*/best/{WEIGHTS}")):
        try:
            config = read_identity(weights.parent)[0]
        except RunError:
            continue
        if config.get("data") and Path(config["data"]).resolve() == data.resolve():
            found.append(weights.parent.parent)
    return found


def new_run_folder(model: str, data: DataFolder, root: Path = RUNS, ending: str = "") -> Path:
    """A fresh `runs/MODEL-DATA`, with a number after it where that name (and `ending`) is taken."""
    base = f"{model}-{data.path.name}"
    names = [base] + [f"{base}-{number}" for number in range(2, 10_000)]
    return next(root / name for name in names if not (root / (name + ending)).exists())


@contextlib.contextmanager
def lock_run(run: Path) -> Iterator[None]:
    """Keeps other processes from training into the same run folder; raises `UsageError` where one does already."""
    is_new = not run.exists()
    taken = UsageError(f"{run}: another process is training into this run folder; give another --out")
    try:
        with contextlib.ExitStack() as stack:
            try:
                run.mkdir(parents=True, exist_ok=True)
                stack.enter_context(hold_lock(run / LOCK, taken))
            except OSError as error:
                raise RunError(f"{error.filename or run}: cannot write the run folder: {error.strerror}") from None
            yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):
                run.rmdir()  # where nothing came of it
