"""The training loop: a model, its task and a data folder in; `RUN/best`, `RUN/last` and `RUN/log.jsonl` out.

Everything random in epoch e is drawn from a state seeded by (seed, e), and the learning rate depends on epoch and step
alone, so that a run that was stopped after any epoch continues bit for bit.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from nntag.config.settings import Settings
from nntag.config.training import TrainConfig
from nntag.encoding.data_folder import DataFolder
from nntag.errors import RunError
from nntag.files import replace_file
from nntag.json_files import without_infinity
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.schema import Maybe, Real, Record, Rows, Table, Whole
from nntag.training.checkpoint import (
    WEIGHTS,
    Checkpoint,
    flatten_optimiser,
    read_checkpoint,
    restore_optimiser,
    write_checkpoint,
)
from nntag.training.metric import find_metric
from nntag.training.model import Model
from nntag.training.optimisers import (
    WeightAverage,
    build_optimiser,
    clip_gradients,
    learning_rate,
    takes_sparse_gradients,
)
from nntag.training.pretrained import PretrainedTuner
from nntag.training.sizes import describe_tensor, find_difference
from nntag.training.task import Task

LOG = "log.jsonl"
SEED_STRIDE = 1_000_003  # seeds of neighbouring runs and epochs never meet


@dataclass
class TrainState:
    """Where a run stands; goes into the header of `last`."""

    epoch: int = 0
    step: int = 0
    best_epoch: int = 0
    best_score: float | None = None
    log: list[dict[str, Any]] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        """What the header of `last` keeps."""
        return dict(vars(self))

    @classmethod
    def from_json(cls, saved: Mapping[str, Any]) -> TrainState:
        """Raises `ValueError`, `TypeError` for what `to_json` does not give."""
        state = cls(**saved)
        _STATE.check(vars(state), "state")
        if not state.best_epoch <= state.epoch == len(state.log):
            raise ValueError(f"state: {len(state.log)} lines of log after epoch {state.epoch}")
        return state


_STATE = Record(
    {
        "epoch": Whole(),
        "step": Whole(),
        "best_epoch": Whole(),
        "best_score": Maybe(Real(any_size=True)),
        "log": Rows(Table(Maybe(Real(any_size=True)))),
    }
)


class Trainer:
    """One run: `fit` goes on from where the run folder stands."""

    def __init__(self, model: Model, task: Task, data: DataFolder, settings: Settings, run: Path, device: torch.device):
        self.model, self.task, self.data, self.settings, self.run = model.to(device), task, data, settings, run
        self.device = device
        self.config: TrainConfig = settings.train
        if takes_sparse_gradients(self.config):
            model.use_sparse_gradients()
        part = model.pretrained_part()
        self.tuner = PretrainedTuner(part, self.config) if part else None
        apart = set(part.parameters) if part else set()
        self.optimiser = build_optimiser((p for p in model.parameters() if p not in apart), self.config)
        self.average = WeightAverage(model, self.config.average) if self.config.average else None
        self.metric = find_metric(task.metrics, self.config.metric)
        self.state = TrainState()

    def resume(self) -> None:
        """Takes up the state of `RUN/last`; raises `RunError` where it does not fit the model."""
        checkpoint = read_checkpoint(self.run / "last" / WEIGHTS)
        prefix = "training/" if self.average else ""
        try:
            self.state = TrainState.from_json(checkpoint.state)
            trained = {
                name: (checkpoint.extra if prefix else checkpoint.weights)[prefix + name] for name in checkpoint.weights
            }
            _check_tensors(checkpoint.weights, self.model)
            _check_tensors(trained, self.model)
            self.model.load_state_dict(trained)
            if self.average:
                self.average.values = {name: value.to(self.device) for name, value in checkpoint.weights.items()}
            restore_optimiser(self.optimiser, checkpoint.extra)
            if self.tuner:
                restore_optimiser(self.tuner.optimiser, checkpoint.extra, "pretrained")
        except (KeyError, IndexError, RuntimeError, TypeError, ValueError) as error:
            raise RunError(
                f"{self.run}/last: made with other settings of model or optimiser; resume with the same ({error})"
            ) from None
        self._repair_best(checkpoint)

    def _repair_best(self, last: Checkpoint) -> None:
        """Mends a run killed between writing `last` and `best`, whose `best` is older: `last` holds the best."""
        best = self.run / "best" / WEIGHTS
        if self.state.best_epoch != self.state.epoch:
            return
        if not best.exists() or read_checkpoint(best).state.get("epoch") != self.state.epoch:
            write_checkpoint(best.parent, last.weights, self._best_state())

    def is_done(self) -> bool:
        """True after the last epoch, or when patience has run out."""
        waited = self.state.epoch - self.state.best_epoch
        return self.state.epoch >= self.config.epochs or (0 < self.config.patience <= waited)

    def fit(self, progress: ProgressCallback = ignore_progress) -> TrainState:
        """Trains to the end; raises `RunError` at the first loss or weight that is not finite, checkpoints intact."""
        self._write_log()
        while not self.is_done():
            epoch = self.state.epoch + 1
            started = time.perf_counter()
            nats, count = self._train_epoch(epoch, progress)
            seconds = time.perf_counter() - started
            weights = self.average.values if self.average else self.model.state_dict()
            self._check_finite(weights, epoch)
            scores = self._evaluate(weights, "dev")
            train_scores = self._evaluate(weights, "train") if self.config.score_train else None
            self._record(epoch, nats, count, seconds, scores, train_scores)
            shares = {f"dev_{self.metric.name}", f"train_{self.metric.name}"} if self.metric.percent else ()
            values = self.state.log[-1]
            progress(self._report(epoch, count, count, values, finished=True, shares=frozenset(shares)))
            self._save(weights)
        return self.state

    def _train_epoch(self, epoch: int, progress: ProgressCallback) -> tuple[float, int]:
        """One pass over the training data; returns the summed loss in nats and what it was summed over."""
        seed = self.config.seed * SEED_STRIDE + epoch
        torch.manual_seed(seed)
        generator = torch.Generator().manual_seed(seed)
        total = self.task.count_train(self.data)
        nats, count = 0.0, 0
        self.model.train()
        for batch in self.task.train_batches(self.data, self.settings, generator):
            loss_nats, loss_count = self._update(batch.to(self.device), epoch)
            nats, count = nats + loss_nats, count + loss_count
            progress(self._report(epoch, count, total, {"loss": nats / max(1, count)}))
        if count == 0:
            raise RunError(f"{self.data.path}: nothing to train on")
        return nats, count

    def _report(self, epoch: int, done: int, total: int, values: Mapping[str, Any], **details: Any) -> Progress:
        rounds = (epoch, self.config.epochs)
        return Progress(f"epoch {epoch}", done, total, self.task.unit, values, rounds=rounds, **details)

    def _update(self, batch: Any, epoch: int) -> tuple[float, int]:
        """One step of the optimiser; returns the batch's summed loss and count."""
        self.model.zero_grad(set_to_none=True)  # first, so that old and new gradients never coexist
        loss = self.model.loss(batch)
        if loss.count == 0:
            return 0.0, 0
        self.state.step += 1
        rate = learning_rate(self.config, epoch, self.state.step)
        nats = float(loss.nats.detach())
        if not math.isfinite(nats):
            raise RunError(
                f"{self.run}: the loss is not finite ({nats}) in epoch {epoch}, update {self.state.step}, at learning "
                f"rate {rate:g}; try a lower --lr or --set clip_norm=5; earlier checkpoints are intact"
            )
        divisors = {"token": loss.count, "sentence": loss.items, "batch": self.config.batch_size}
        (loss.nats / divisors[self.config.loss_per]).backward()
        if self.config.clip_norm:
            clip_gradients(self.model.parameters(), self.config.clip_norm)
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        self.optimiser.step()
        if self.tuner:
            self.tuner.step(epoch, self.state.step)
        self.model.step_tables()
        if self.average:
            self.average.update(self.model, self.state.step)
        return nats, loss.count

    def _check_finite(self, weights: dict[str, Tensor], epoch: int) -> None:
        for name, value in [*self.model.state_dict().items(), *weights.items()]:
            if value.is_floating_point() and not torch.isfinite(value).all():
                raise RunError(
                    f"{self.run}: weights are not finite ({name}) after epoch {epoch}, update {self.state.step}; "
                    "try a lower --lr or --set clip_norm=5; earlier checkpoints are intact"
                )

    def _evaluate(self, weights: dict[str, Tensor], split: str) -> dict[str, Any]:
        """The report on a split with `weights` in the model; the trained weights are put back."""
        trained = {name: value.clone() for name, value in self.model.state_dict().items()} if self.average else None
        if trained:
            self.model.load_state_dict(weights)
        self.model.eval()
        scores = self.task.evaluate(self.model, self.data, split)
        if trained:
            self.model.load_state_dict(trained)
        return scores

    def _record(
        self,
        epoch: int,
        nats: float,
        count: int,
        seconds: float,
        scores: dict[str, Any],
        train_scores: dict[str, Any] | None,
    ) -> None:
        """Moves the state to the end of `epoch`."""
        state, name = self.state, self.metric.name
        score = float(scores[name])
        best = state.best_score
        state.epoch = epoch
        if best is None or not math.isfinite(best):  # nothing compares with a score that is not a number
            better = True
        else:
            better = score > best if self.metric.higher_is_better else score < best
        if better and math.isfinite(score):
            state.best_epoch, state.best_score = epoch, score
        entry = {
            "epoch": epoch,
            "loss_nats": nats / count,
            f"dev_{name}": score,
            **({f"train_{name}": float(train_scores[name])} if train_scores else {}),
            "best_epoch": state.best_epoch,
            "lr": learning_rate(self.config, epoch, state.step),
            "seconds": round(seconds, 2),
            f"{self.task.unit}_per_second": round(count / max(seconds, 1e-9)),
        }
        state.log.append(without_infinity(entry))

    def _best_state(self) -> dict[str, Any]:
        return {"epoch": self.state.best_epoch, f"dev_{self.metric.name}": self.state.best_score}

    def _save(self, weights: dict[str, Tensor]) -> None:
        """`last` first, then `best` where this epoch is the best; `resume` mends a kill between the two."""
        extra = flatten_optimiser(self.optimiser)
        if self.tuner:
            extra |= flatten_optimiser(self.tuner.optimiser, "pretrained")
        if self.average:
            extra |= {f"training/{name}": value for name, value in self.model.state_dict().items()}
        write_checkpoint(self.run / "last", weights, self.state.to_json(), extra)
        if self.state.best_epoch == self.state.epoch:
            write_checkpoint(self.run / "best", weights, self._best_state())
        self._write_log()

    def _write_log(self) -> None:
        """Written anew from the state, so that it always agrees with `last`."""
        write_log(self.run, self.state.log)


def _check_tensors(held: Mapping[str, Tensor], model: Model) -> None:
    """Raises `ValueError` for tensors of other names, types or shapes than the model's."""
    kinds = {name: describe_tensor(value) for name, value in held.items()}
    difference = find_difference(kinds, {name: describe_tensor(value) for name, value in model.state_dict().items()})
    if difference:
        raise ValueError(difference)


def write_log(run: Path, log: Sequence[Mapping[str, Any]]) -> None:
    """Replaces `RUN/log.jsonl`: one line of JSON per epoch; raises `RunError` where that fails."""
    try:
        run.mkdir(parents=True, exist_ok=True)
        with replace_file(run / LOG) as partial:
            lines = [json.dumps(without_infinity(entry)) + "\n" for entry in log]
            partial.write_text("".join(lines), encoding="utf-8")
    except OSError as error:
        raise RunError(f"{run / LOG}: cannot write the log: {error.strerror}") from None
