"""The training loop: a model, its task and a data folder in; `RUN/best`, `RUN/last` and `RUN/log.jsonl` out.

Everything random in epoch e is drawn from a state seeded by (seed, e), and the learning rate depends on epoch and step
alone. Within an epoch `last` is written every few minutes, and when the run is interrupted, with the batches done so
far and the random state; so a run that was stopped anywhere continues bit for bit.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from nntag.config.settings import Settings
from nntag.config.training import CHECKPOINT_MINUTES, TrainConfig
from nntag.encoding.data_folder import DataFolder
from nntag.errors import RunError
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.training.batches import Batches
from nntag.training.checkpoint import (
    WEIGHTS,
    Checkpoint,
    flatten_optimiser,
    read_checkpoint,
    restore_optimiser,
    write_checkpoint,
)
from nntag.training.device import hand_back_free_memory
from nntag.training.interrupts import Interrupts
from nntag.training.log import describe_epoch, write_log
from nntag.training.metric import find_metric
from nntag.training.model import Loss, Model
from nntag.training.optimisers import (
    WeightAverage,
    build_optimiser,
    clip_gradients,
    learning_rate,
    takes_sparse_gradients,
)
from nntag.training.precision import products_in
from nntag.training.pretrained import PretrainedTuner
from nntag.training.processes import ALONE, Processes
from nntag.training.random_state import read_random_state, restore_random_state
from nntag.training.sizes import check_tensors, find_not_finite
from nntag.training.state import EpochPart, TrainState
from nntag.training.task import Task
from nntag.training.tensors import exchanged

SEED_STRIDE = 1_000_003  # seeds of neighbouring runs and epochs never meet


class Trainer:
    """One run: `fit` goes on from where the run folder stands.

    `checkpoint_minutes`: how often `last` is written within an epoch; 0 for its end alone.
    """

    def __init__(
        self,
        model: Model,
        task: Task,
        data: DataFolder,
        settings: Settings,
        run: Path,
        device: torch.device,
        checkpoint_minutes: float = CHECKPOINT_MINUTES,
        processes: Processes = ALONE,
    ):
        self.model, self.task, self.data, self.settings, self.run = model.to(device), task, data, settings, run
        self.device, self.processes = device, processes
        self.checkpoint_seconds = 60 * checkpoint_minutes or math.inf
        self.interrupts = Interrupts()
        self.config: TrainConfig = settings.train
        if takes_sparse_gradients(self.config):
            model.use_sparse_gradients()
        part = model.pretrained_part()
        self.tuner = PretrainedTuner(part, self.config) if part else None
        apart = set(part.parameters) if part else set()
        self.optimiser = build_optimiser((p for p in model.parameters() if p not in apart), self.config)
        average, every = self.config.average, self.config.average_every
        self.average = WeightAverage(model, average, every) if average else None
        self.metric = find_metric(task.metrics, self.config.metric)
        self.state = TrainState()
        self._random: Mapping[str, Tensor] = {}  # the state from which a part of an epoch goes on
        self._saved_at = time.monotonic()
        self._unsaved = False  # whether there have been updates since

    def resume(self) -> None:
        """Takes up the state of `RUN/last`; raises `RunError` where it does not fit the model."""
        checkpoint = read_checkpoint(self.run / "last" / WEIGHTS)
        prefix = "training/" if self.average else ""
        try:
            self.state = TrainState.from_json(checkpoint.state)
            trained = {
                name: (checkpoint.extra if prefix else checkpoint.weights)[prefix + name] for name in checkpoint.weights
            }
            check_tensors(checkpoint.weights, self.model)
            check_tensors(trained, self.model)
            self.model.load_state_dict(trained)
            if self.average:
                self.average.values = {name: value.to(self.device) for name, value in checkpoint.weights.items()}
            restore_optimiser(self.optimiser, checkpoint.extra)
            if self.tuner:
                restore_optimiser(self.tuner.optimiser, checkpoint.extra, "pretrained")
            if self.state.part:
                self._random = restore_random_state(checkpoint.extra, self.device)
        except (KeyError, IndexError, RuntimeError, TypeError, ValueError) as error:
            raise RunError(
                f"{self.run}/last: made with other settings of model or optimiser; resume with the same ({error})"
            ) from None
        self._repair_best(checkpoint)

    def _repair_best(self, last: Checkpoint) -> None:
        """Mends a run killed between writing `last` and `best`, whose `best` is older: `last` holds the best."""
        best = self.run / "best" / WEIGHTS
        if self.processes.rank or self.state.best_epoch != self.state.epoch or self.state.part:
            return
        if not best.exists() or read_checkpoint(best).state.get("epoch") != self.state.epoch:
            write_checkpoint(best.parent, last.weights, self._best_state())

    def is_done(self) -> bool:
        """True after the last epoch, or when patience has run out."""
        waited = self.state.epoch - self.state.best_epoch
        return self.state.epoch >= self.config.epochs or (0 < self.config.patience <= waited)

    def describe_stop(self) -> str:
        """Where the run stands in `last`, for whoever has stopped it."""
        return "stopped" if self._unsaved else self.state.describe(self.task.unit)

    def fit(self, progress: ProgressCallback = ignore_progress) -> TrainState:
        """Trains to the end; raises `RunError` at the first loss or weight that is not finite, checkpoints intact.

        `KeyboardInterrupt` (Ctrl-C; the command line makes one of SIGTERM too) goes on its way when `last` holds all
        updates so far.
        """
        if self.processes.rank == 0:
            self._write_log()
        with self.interrupts:
            try:
                while not self.is_done():
                    self._fit_epoch(progress)
            except KeyboardInterrupt:
                if self._unsaved and self.interrupts.whole and self.processes.rank == 0:
                    self._save_part()
                raise
        return self.state

    def _fit_epoch(self, progress: ProgressCallback) -> None:
        """One epoch, its scores and its checkpoint."""
        epoch = self.state.epoch + 1
        part = self._train_epoch(epoch, progress)
        weights = self.average.values if self.average else self.model.state_dict()
        self._check_finite(weights, f"after epoch {epoch}")
        splits = ("dev", "train") if self.config.score_train else ("dev",)
        scores = {split: self.processes.first(partial(self._evaluate, weights, split)) for split in splits}
        with self.interrupts.held():
            self._record(epoch, part, scores)
            if self.processes.rank == 0:
                self._save(weights)
        shares = {f"dev_{self.metric.name}", f"train_{self.metric.name}"} if self.metric.percent else ()
        values, done = self.state.log[-1], part.count
        progress(self._report(epoch, done, done, values, finished=True, shares=frozenset(shares)))

    def _train_epoch(self, epoch: int, progress: ProgressCallback) -> EpochPart:
        """One pass over the training data, or what is left of it."""
        seed = self.config.seed * SEED_STRIDE + epoch
        torch.manual_seed(seed)
        total = self.task.count_train(self.data)
        batches = self.task.train_batches(self.data, self.settings, torch.Generator().manual_seed(seed))
        part = self._open_part(batches)
        started = time.perf_counter() - part.seconds
        self.model.train()
        for number in range(part.batches, len(batches)):
            self.processes.seed(seed, number)
            own = self.processes.share(batches.items[number])
            batch = batches.make(own).to(self.device) if len(own) else None
            with self.interrupts.held():
                nats, count = self._update(batch, epoch)
                part.batches, part.nats, part.count = number + 1, part.nats + nats, part.count + count
                part.seconds = time.perf_counter() - started
                self._unsaved = True
                due = time.monotonic() - self._saved_at >= self.checkpoint_seconds
                if due and self.processes.rank == 0:
                    self._save_part()
            hand_back_free_memory(number + 1, any(map(batches.is_large, (number, number + 1))))
            progress(self._report(epoch, part.count, total, {"loss": part.nats / max(1, part.count)}))
        if part.count == 0:
            raise RunError(f"{self.data.path}: nothing to train on")
        return part

    def _open_part(self, batches: Batches) -> EpochPart:
        """How far the epoch of these batches is; raises `RunError` where it was begun with others."""
        order, part = batches.digest(), self.state.part
        if part is None:
            part = self.state.part = EpochPart(order)
        elif part.order != order or part.batches > len(batches):
            raise RunError(
                f"{self.run}: stopped within epoch {self.state.epoch + 1}, whose batches are others with the settings "
                "given now; resume with those that it had (batch size, seed, limits on lengths) until it is over"
            )
        else:
            restore_random_state(self._random, self.device)
        return part

    def _report(self, epoch: int, done: int, total: int, values: Mapping[str, Any], **details: Any) -> Progress:
        rounds = (epoch, self.config.epochs)
        return Progress(f"epoch {epoch}", done, total, self.task.unit, values, rounds=rounds, **details)

    def _update(self, batch: Any, epoch: int) -> tuple[float, int]:
        """One step of the optimiser; returns the loss and count of all processes, of which some may have no `batch`."""
        self.model.zero_grad(set_to_none=True)  # first, so that old and new gradients never coexist
        with products_in(self.config.precision, self.device):
            loss = Loss(torch.zeros(()), 0, 0) if batch is None else self.model.loss(batch)
        nats, count, items = self.processes.sum_loss(loss)
        if count == 0:
            return 0.0, 0
        self.state.step += 1
        rate = learning_rate(self.config, epoch, self.state.step)
        if not math.isfinite(nats):
            raise RunError(
                f"{self.run}: the loss is not finite ({nats}) in epoch {epoch}, update {self.state.step}, at learning "
                f"rate {rate:g}; try a lower --lr or --set clip_norm=5; earlier checkpoints are intact"
            )
        divisors = {"token": count, "sentence": items, "batch": self.config.batch_size}
        if batch is not None:
            (loss.nats / divisors[self.config.loss_per]).backward()
        self.processes.sum_gradients(self.model)
        if self.config.clip_norm:
            clip_gradients(self.model.parameters(), self.config.clip_norm)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        if self.tuner:
            self.tuner.step(epoch, self.state.step)
        self.model.step_tables(self.processes.gather_rows)
        if self.average:
            self.average.update(self.model, self.state.step)
        return nats, count

    def _check_finite(self, weights: dict[str, Tensor], when: str) -> None:
        """Of the model and of its mean; raises `RunError`."""
        for held in (self.model.state_dict(), weights):
            if name := find_not_finite(held):
                raise RunError(
                    f"{self.run}: weights are not finite ({name}) {when}, update {self.state.step}; "
                    "try a lower --lr or --set clip_norm=5; earlier checkpoints are intact"
                )

    def _evaluate(self, weights: dict[str, Tensor], split: str) -> float:
        """The score on a split with `weights` in the model; the trained weights are put back."""
        held = self.interrupts.held
        with exchanged(self.model.state_dict(), weights, held) if self.average else contextlib.nullcontext():
            self.model.eval()
            return float(self.task.evaluate(self.model, self.data, split)[self.metric.name])

    def _record(self, epoch: int, part: EpochPart, scores: Mapping[str, float]) -> None:
        """Moves the state to the end of `epoch`."""
        self.state.end_epoch(scores["dev"], self.metric.higher_is_better)
        named = {f"{split}_{self.metric.name}": score for split, score in scores.items()}
        rate = learning_rate(self.config, epoch, self.state.step)
        self.state.log.append(describe_epoch(self.state, part, named, rate, self.task.unit))

    def _best_state(self) -> dict[str, Any]:
        return {"epoch": self.state.best_epoch, f"dev_{self.metric.name}": self.state.best_score}

    def _save(self, weights: dict[str, Tensor]) -> None:
        """`last` first, then `best` where this epoch is the best; `resume` mends a kill between the two."""
        self._write_last(weights)
        if self.state.best_epoch == self.state.epoch:
            write_checkpoint(self.run / "best", weights, self._best_state())
        self._write_log()

    def _save_part(self) -> None:
        """`last`, within an epoch."""
        weights = self.average.values if self.average else self.model.state_dict()
        self._check_finite(weights, f"in epoch {self.state.epoch + 1}")
        self._write_last(weights, read_random_state(self.device))

    def _write_last(self, weights: dict[str, Tensor], random: Mapping[str, Tensor] | None = None) -> None:
        extra = {**flatten_optimiser(self.optimiser), **(random or {})}
        if self.tuner:
            extra |= flatten_optimiser(self.tuner.optimiser, "pretrained")
        if self.average:
            extra |= {f"training/{name}": value for name, value in self.model.state_dict().items()}
        write_checkpoint(self.run / "last", weights, self.state.to_json(), extra)
        self._saved_at, self._unsaved = time.monotonic(), False

    def _write_log(self) -> None:
        """Written anew from the state, so that it always agrees with `last`."""
        write_log(self.run, self.state.log)
