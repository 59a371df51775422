"""What the benchmarks share: samples as data folders, models ready to train, and tasks that are timed in turn."""

from __future__ import annotations

import platform
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch

from nntag.commands.preprocess import preprocess
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.registry import find_model
from nntag.config.settings import Settings, resolve_settings
from nntag.encoding.data_folder import DataFolder
from nntag.training.optimisers import build_optimiser, clip_gradients, takes_sparse_gradients
from nntag.training.tasks import task_class

CORPORA = {"tagging": ("conllu", None), "lm": ("text", None), "sentiment": ("sst", "fine")}


def make_sample(task: str, folder: Path, sentences: int) -> DataFolder:
    """The data folder of a generated sample for a task."""
    corpus, labels = CORPORA[task]
    options = PreprocessOptions(corpus, task=labels, sample=True, sample_size=sentences, out=folder / task)
    return preprocess(options).data


@dataclass(frozen=True)
class Trainee:
    """A model with random weights, the batches of an epoch, and a training step."""

    name: str
    task: Any
    model: Any
    settings: Settings
    batches: list[Any]
    device: torch.device

    def step(self, number: int = 0) -> tuple[float, int]:
        """Loss, gradients and update of one batch: the summed loss in nats and the items that it is of."""
        batch = self.batches[number % len(self.batches)].to(self.device)
        loss = self.model.loss(batch)
        self._optimiser.zero_grad()
        (loss.nats / loss.count).backward()
        if self.settings.train.clip_norm:
            clip_gradients(self.model.parameters(), self.settings.train.clip_norm)
        self._optimiser.step()
        self.model.step_tables()
        return float(loss.nats.detach()), loss.count

    def __post_init__(self) -> None:
        object.__setattr__(self, "_optimiser", build_optimiser(self.model.parameters(), self.settings.train))


def prepare_model(
    name: str, data: DataFolder, values: Mapping[str, Any] | None = None, device: str = "cpu", recipe: str = "default"
) -> Trainee:
    """A registered model, made from seed 1, on a device; `values` are settings as of `--set`."""
    settings = resolve_settings(name, recipe, values or {})
    task = task_class(find_model(name).task).from_data(data, settings)
    settings = task.complete_settings(settings)
    settings = replace(settings, train=replace(settings.train, epochs=1))
    torch.manual_seed(1)
    model = task.build_model(settings).to(device).train()
    if takes_sparse_gradients(settings.train):
        model.use_sparse_gradients()
    batches = task.train_batches(data, settings, torch.Generator().manual_seed(1))
    return Trainee(name, task, model, settings, [batches[n] for n in range(len(batches))], torch.device(device))


def time_in_turn(tasks: Mapping[str, Callable[[], Any]], rounds: int, warm: int = 2) -> dict[str, float]:
    """Median CPU seconds of each task; every round runs each of them once, so that a busy machine slows all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for number in range(rounds + warm):
        for name, run in tasks.items():
            start = time.process_time()
            run()
            if number >= warm:
                seconds[name].append(time.process_time() - start)
    return {name: statistics.median(values) for name, values in seconds.items()}


def make_product(rows: int, inner: int, columns: int) -> tuple[Callable[[], Any], float]:
    """A float32 matrix product, and the operations in it: the machine's rate, which other rates are shares of."""
    left, right, out = torch.randn(rows, inner), torch.randn(inner, columns), torch.empty(rows, columns)
    return lambda: torch.mm(left, right, out=out), 2.0 * rows * inner * columns


def describe_machine() -> str:
    """Processor, threads and torch, in a line."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        processor = next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        processor = platform.processor() or platform.machine()
    return f"{processor}, {torch.get_num_threads()} thread, torch {torch.__version__}"
