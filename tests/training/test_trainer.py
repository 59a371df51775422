"""The training loop on a model of two numbers whose every step can be worked out by hand."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from nntag.config.settings import Settings, resolve_settings
from nntag.encoding.data_folder import DataFolder
from nntag.errors import RunError
from nntag.progress import Progress
from nntag.training import trainer as loop
from nntag.training.batches import Batches
from nntag.training.checkpoint import read_checkpoint
from nntag.training.metric import Metric
from nntag.training.model import Loss, Model
from nntag.training.trainer import Trainer

X = np.array([[1.0, 0], [0, 1], [1, 1], [2, -1]])
Y = np.array([1.0, -1, 0, 3])  # w = (1, -1) fits all of them
COUNTS = (3, 1, 2, 2)  # "tokens" of the four items
BATCHES = ((0, 1), (2,), (3,))


@dataclass(frozen=True)
class ToyBatch:
    x: Tensor
    y: Tensor
    count: int

    def to(self, device: torch.device) -> ToyBatch:
        return self


class ToyModel(Model):
    """Squared distance of w . x from y, under dropout on x where it is asked for."""

    def __init__(self, dropout: float = 0.0):
        super().__init__()
        self.w = nn.Parameter(torch.tensor([0.5, 0.25], dtype=torch.float64))
        self.dropout = nn.Dropout(dropout)

    def loss(self, batch: ToyBatch) -> Loss:
        return Loss(((self.dropout(batch.x) @ self.w - batch.y) ** 2).sum(), batch.count, len(batch.y))


class ToyTask:
    """Batches in a fixed or a drawn order; the dev score of an epoch comes from a function of the weights."""

    name, unit = "toy", "tokens"

    def __init__(self, score: Callable[[np.ndarray], float], higher_is_better: bool = True, shuffle: bool = False):
        self.score, self.shuffle = score, shuffle
        self.metrics = (Metric("accuracy", higher_is_better, percent=True),)
        self.drawn: list[list[int]] = []

    def train_batches(self, data: DataFolder, settings: Settings, generator: torch.Generator) -> Batches:
        order = torch.randperm(3, generator=generator).tolist() if self.shuffle else [0, 1, 2]
        self.drawn.append(order)
        return Batches([np.array(BATCHES[number]) for number in order], self.make_batch)

    def make_batch(self, items: np.ndarray) -> ToyBatch:
        return ToyBatch(torch.tensor(X[items]), torch.tensor(Y[items]), sum(COUNTS[item] for item in items))

    def count_train(self, data: DataFolder) -> int:
        return sum(COUNTS)

    def evaluate(self, model: ToyModel, data: DataFolder, split: str) -> dict[str, Any]:
        assert split == "dev" and not model.training
        return {"accuracy": self.score(model.w.detach().numpy().copy())}


def scores(*values: float) -> Callable[[np.ndarray], float]:
    """A score function that gives the values in turn."""
    given = iter(values)
    return lambda w: next(given)


def distance(w: np.ndarray) -> float:
    return float(np.abs(w - [1, -1]).sum())


def trainer(run: Path, task: ToyTask, dropout: float = 0.0, **values: Any) -> Trainer:
    settings = resolve_settings("skip-none", "default", {"clip_norm": 0, "average": 0, **values})
    data = DataFolder(run / "data", {"task": "toy"})
    return Trainer(ToyModel(dropout), task, data, settings, run, torch.device("cpu"))  # type: ignore[arg-type]


PLAIN = {
    "optimiser": "sgd",
    "lr": 0.1,
    "lr_decay": 0.5,
    "lr_decay_after": 1,
    "patience": 0,
    "epochs": 2,
    "batch_size": 3,
}


@pytest.mark.parametrize("loss_per", ["token", "sentence", "batch"])
def test_two_epochs_against_a_loop(tmp_path: Path, loss_per: str) -> None:
    w, losses = np.array([0.5, 0.25]), []
    for epoch in (1, 2):
        nats = 0.0
        for items in BATCHES:
            gradient = np.zeros(2)
            for item in items:
                error = w @ X[item] - Y[item]
                nats += error**2
                gradient += 2 * error * X[item]
            divisors = {"token": sum(COUNTS[item] for item in items), "sentence": len(items)}
            divisor = divisors.get(loss_per, PLAIN["batch_size"])
            w = w - (0.1 if epoch == 1 else 0.05) * gradient / divisor
        losses.append(nats / 8)
    state = trainer(tmp_path, ToyTask(distance, higher_is_better=False), loss_per=loss_per, **PLAIN).fit()
    last = read_checkpoint(tmp_path / "last" / "model.safetensors")
    np.testing.assert_allclose(last.weights["w"].numpy(), w, rtol=1e-12)
    assert [entry["loss_nats"] for entry in state.log] == pytest.approx(losses, rel=1e-12)
    assert [entry["lr"] for entry in state.log] == [0.1, 0.05]
    assert (state.epoch, state.step) == (2, 6)


def test_clipping_and_the_running_mean_against_a_loop(tmp_path: Path) -> None:
    w, mean, step = np.array([0.5, 0.25]), np.array([0.5, 0.25]), 0
    for _ in range(2):
        for items in BATCHES:
            gradient = sum(2 * (w @ X[item] - Y[item]) * X[item] for item in items) / sum(COUNTS[i] for i in items)
            gradient = gradient * min(1.0, 0.5 / (np.linalg.norm(gradient) + 1e-6))
            w, step = w - 0.1 * gradient, step + 1
            decay = min(0.4, (1 + step) / (10 + step))
            mean = decay * mean + (1 - decay) * w
    seen: list[np.ndarray] = []
    task = ToyTask(lambda weights: (seen.append(weights), distance(weights))[1], higher_is_better=False)
    values = {**PLAIN, "lr_decay": 1, "clip_norm": 0.5, "average": 0.4}
    run = trainer(tmp_path, task, **values)
    run.fit()
    last = read_checkpoint(tmp_path / "last" / "model.safetensors")
    best = read_checkpoint(tmp_path / "best" / "model.safetensors")
    np.testing.assert_allclose(last.extra["training/w"].numpy(), w, rtol=1e-12)
    for found in (last.weights["w"], best.weights["w"], torch.tensor(seen[-1])):  # dev sees the mean, `best` keeps it
        np.testing.assert_allclose(found.numpy(), mean, rtol=1e-12)
    np.testing.assert_allclose(run.model.w.detach().numpy(), w, rtol=1e-12)  # training goes on with the weights


@pytest.mark.parametrize(
    ("values", "higher", "patience", "epochs", "best"),
    [
        ([1, 2, 3, 4, 5], True, 2, 5, 5),
        ([5, 4, 3, 2, 1], True, 2, 3, 1),
        ([1, 3, 2, 3, 3], True, 3, 5, 2),  # an equal score is no better one
        ([1, 3, 2, 3, 4], True, 2, 4, 2),
        ([1, 3, 2, 3, 4], True, 3, 5, 5),
        ([5, 4, 3, 2, 1], False, 2, 5, 5),
        ([1, 2, 3, 4, 5], False, 2, 3, 1),
        ([1, 0, 0, 0, 0], True, 0, 5, 1),  # no patience to run out
        ([0, 0, 0, 0, 0], True, 5, 5, 1),
    ],
)
def test_the_best_epoch_is_kept_and_patience_ends_the_run(
    tmp_path: Path, values: list[float], higher: bool, patience: int, epochs: int, best: int
) -> None:
    task = ToyTask(scores(*values), higher)
    state = trainer(tmp_path, task, **{**PLAIN, "epochs": 5, "patience": patience}).fit()
    assert (state.epoch, state.best_epoch, state.best_score) == (epochs, best, values[best - 1])
    kept = read_checkpoint(tmp_path / "best" / "model.safetensors")
    assert kept.state == {"epoch": best, "dev_accuracy": values[best - 1]} and not kept.extra
    again = tmp_path / "again"
    trainer(again, ToyTask(scores(*values), higher), **{**PLAIN, "epochs": best}).fit()
    assert torch.equal(kept.weights["w"], read_checkpoint(again / "last" / "model.safetensors").weights["w"])


def test_the_log_has_a_line_an_epoch(tmp_path: Path) -> None:
    reports: list[Progress] = []
    state = trainer(tmp_path, ToyTask(scores(0.5, 0.25)), **PLAIN).fit(reports.append)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines == state.log
    assert [line["epoch"] for line in lines] == [1, 2]
    assert [line["dev_accuracy"] for line in lines] == [0.5, 0.25]
    assert [line["best_epoch"] for line in lines] == [1, 1]
    assert {"loss_nats", "lr", "seconds", "tokens_per_second"} < lines[0].keys()
    first = [report for report in reports if report.stage == "epoch 1"]
    assert [(r.done, r.total, r.finished) for r in first] == [(4, 8, False), (6, 8, False), (8, 8, False), (8, 8, True)]
    assert first[-1].values == lines[0]
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["best", "last", "log.jsonl"]


RANDOM = {"epochs": 5, "patience": 0, "lr": 0.1, "seed": 7}
OPTIMISERS = [
    {"optimiser": "sgd"},
    {"optimiser": "adam", "average": 0.9},
    {"optimiser": "adagrad", "warmup_steps": 7},
    {"optimiser": "adam", "lr_decay": 0.5, "lr_decay_after": 2},
]


def contents(run: Path) -> dict[str, Any]:
    """All that a run leaves, without the clock."""
    found: dict[str, Any] = {}
    for kind in ("last", "best"):
        checkpoint = read_checkpoint(run / kind / "model.safetensors")
        state = dict(checkpoint.state)
        state["log"] = [without_clock(entry) for entry in state.get("log", [])]
        parts = {**checkpoint.weights, **checkpoint.extra}
        tensors = {name: value.numpy().tobytes() for name, value in parts.items()}
        found[kind] = state, tensors
    found["log"] = [without_clock(json.loads(line)) for line in (run / "log.jsonl").read_text().splitlines()]
    return found


def without_clock(entry: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in entry.items() if name != "seconds" and not name.endswith("_per_second")}


def fit(run: Path, resume: bool = False, **values: Any) -> list[list[int]]:
    task = ToyTask(distance, higher_is_better=False, shuffle=True)
    made = trainer(run, task, dropout=0.5, **{**RANDOM, **values})
    if resume:
        made.resume()
    made.fit()
    return task.drawn


@pytest.mark.parametrize("values", OPTIMISERS, ids=str)
def test_a_resumed_run_equals_a_straight_one_bit_for_bit(tmp_path: Path, values: dict[str, Any]) -> None:
    drawn = fit(tmp_path / "straight", **values)
    assert len({tuple(order) for order in drawn}) > 1  # epochs differ in their order
    parts = fit(tmp_path / "resumed", **{**values, "epochs": 2})
    torch.manual_seed(12345)  # nothing of the process's own random state may matter
    parts += fit(tmp_path / "resumed", resume=True, **{**values, "epochs": 3})
    parts += fit(tmp_path / "resumed", resume=True, **values)
    assert parts == drawn
    assert contents(tmp_path / "resumed") == contents(tmp_path / "straight")
    assert fit(tmp_path / "resumed", resume=True, **values) == []  # it is done


def die_in_epoch_3(self: Trainer) -> None:
    if self.state.epoch == 3:
        raise KeyboardInterrupt


def test_other_seeds_give_other_runs(tmp_path: Path) -> None:
    for seed in (7, 8):
        fit(tmp_path / str(seed), seed=seed)
    assert contents(tmp_path / "7")["last"][1] != contents(tmp_path / "8")["last"][1]


@pytest.mark.parametrize("values", OPTIMISERS[:2], ids=str)
@pytest.mark.parametrize("moment", ["before last", "before best", "before log"])
def test_a_run_killed_while_it_saves_goes_on_as_if_it_had_not_been(
    tmp_path: Path, values: dict[str, Any], moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit(tmp_path / "straight", **values)
    write, kind = loop.write_checkpoint, moment.removeprefix("before ")
    written: list[str] = []

    def write_or_die(folder: Path, *rest: Any) -> None:
        if folder.name == kind and written.count(kind) == 2:
            raise KeyboardInterrupt
        written.append(folder.name)
        write(folder, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "write_checkpoint", write_or_die)
        if kind == "log":
            patch.setattr(Trainer, "_write_log", die_in_epoch_3)
        with pytest.raises(KeyboardInterrupt):
            fit(tmp_path / "killed", **values)
    last, best = (read_checkpoint(tmp_path / "killed" / part / "model.safetensors").state for part in ("last", "best"))
    assert last["epoch"] == {"last": 2, "log": 3}.get(kind, last["best_epoch"])
    assert (best["epoch"] < last["best_epoch"]) == (kind == "best")
    fit(tmp_path / "killed", resume=True, **values)
    assert contents(tmp_path / "killed") == contents(tmp_path / "straight")


def test_a_kill_before_the_very_first_best(tmp_path: Path) -> None:
    fit(tmp_path, epochs=1)
    (tmp_path / "best" / "model.safetensors").unlink()
    fit(tmp_path, resume=True, epochs=1)
    best, last = (read_checkpoint(tmp_path / kind / "model.safetensors") for kind in ("best", "last"))
    assert best.state["epoch"] == 1 and torch.equal(best.weights["w"], last.weights["w"])


@pytest.mark.parametrize("change", ["weights", "foreign state", "state of best", "average"])
def test_what_does_not_fit_is_not_resumed(tmp_path: Path, change: str) -> None:
    values: dict[str, Any] = {"optimiser": "adam"}
    fit(tmp_path, epochs=1, **values)
    last = read_checkpoint(tmp_path / "last" / "model.safetensors")
    weights, state, extra = dict(last.weights), dict(last.state), dict(last.extra)
    if change == "weights":
        weights["w"] = torch.ones(3, dtype=torch.float64)
    elif change == "foreign state":
        state["colour"] = "red"
    elif change == "state of best":
        state = {"epoch": 1, "dev_accuracy": 0.5}
    else:
        values["average"] = 0.5
    loop.write_checkpoint(tmp_path / "last", weights, state, extra)
    with pytest.raises(RunError, match="last: made with other settings of model or optimiser; resume with the same"):
        fit(tmp_path, resume=True, epochs=2, **values)


@pytest.mark.parametrize("when", ["loss", "weights"])
def test_numbers_that_are_not_finite_end_the_run_with_checkpoints_intact(tmp_path: Path, when: str) -> None:
    fit(tmp_path, epochs=2, optimiser="sgd")
    before = {file: file.read_bytes() for file in tmp_path.glob("*/model.safetensors")}
    task = ToyTask(distance, higher_is_better=False)
    run = trainer(tmp_path, task, **{**RANDOM, "optimiser": "sgd", "lr": 1e200 if when == "loss" else 1e308})
    run.resume()
    batches = task.train_batches

    def first_batch_only(*arguments: Any) -> Batches:
        found = batches(*arguments)
        return Batches(found.items[: 1 if when == "weights" else 3], found.make)

    task.train_batches = first_batch_only  # type: ignore[method-assign]
    if when == "weights":
        with torch.no_grad():
            run.model.w.fill_(1e10)
    reason = "the loss is not finite" if when == "loss" else r"weights are not finite \(w\) after epoch 3"
    with pytest.raises(RunError, match=rf"^{tmp_path}: {reason}.*; try a lower --lr or --set clip_norm=5"):
        run.fit()
    assert {file: file.read_bytes() for file in tmp_path.glob("*/model.safetensors")} == before
    assert all(math.isfinite(value) for value in read_checkpoint(next(iter(before))).weights["w"].tolist())


def test_nothing_to_train_on_is_an_error(tmp_path: Path) -> None:
    task = ToyTask(distance)
    task.train_batches = lambda *arguments: Batches((), list)  # type: ignore[method-assign]
    with pytest.raises(RunError, match="data: nothing to train on"):
        trainer(tmp_path, task).fit()


@pytest.mark.parametrize("first", [math.inf, math.nan, -math.inf])
@pytest.mark.parametrize("higher", [True, False])
def test_a_dev_score_that_is_not_finite_is_never_the_best(tmp_path: Path, first: float, higher: bool) -> None:
    state = trainer(tmp_path, ToyTask(scores(first, 0.5, first), higher), **{**PLAIN, "epochs": 3}).fit()
    assert (state.best_epoch, state.best_score) == (2, 0.5)

    def refuse(name: str) -> None:
        pytest.fail(f"{name} is no JSON")

    lines = (tmp_path / "log.jsonl").read_text().splitlines()
    assert [json.loads(line, parse_constant=refuse)["dev_accuracy"] for line in lines] == [None, 0.5, None]
    assert read_checkpoint(tmp_path / "best" / "model.safetensors").state["epoch"] == 2
    again = trainer(tmp_path, ToyTask(scores(0.25), higher), **{**PLAIN, "epochs": 4})
    again.resume()
    assert again.fit().best_epoch == (2 if higher else 4)


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        ({"epoch": "1"}, "state.epoch must be a whole number"),
        ({"step": 10**400}, "state.step must be a whole number"),
        ({"log": "one"}, "state.log must be a list"),
        ({"log": []}, "0 lines of log after epoch 1"),
        ({"best_score": "good"}, "state.best_score must be a finite number"),
    ],
)
def test_a_state_of_another_kind_is_not_resumed(tmp_path: Path, damage: dict[str, Any], reason: str) -> None:
    fit(tmp_path, epochs=1)
    last = read_checkpoint(tmp_path / "last" / "model.safetensors")
    loop.write_checkpoint(tmp_path / "last", last.weights, {**last.state, **damage}, last.extra)
    with pytest.raises(RunError, match=f"last: made with other settings of model or optimiser.*{reason}"):
        fit(tmp_path, resume=True, epochs=2)


@pytest.mark.parametrize("damage", ["type", "shape", "name", "number", "missing", "other optimiser"])
def test_tensors_of_another_optimiser_are_not_resumed(tmp_path: Path, damage: str) -> None:
    fit(tmp_path, epochs=1, optimiser="adam")
    last = read_checkpoint(tmp_path / "last" / "model.safetensors")
    extra = dict(last.extra)
    moment = extra.pop("optimiser/0/exp_avg")
    changed = {
        "type": {"optimiser/0/exp_avg": moment.float()},
        "shape": {"optimiser/0/exp_avg": moment[:1]},
        "name": {"optimiser/0/exp_avg": moment, "optimiser/0/colour": moment.clone()},
        "number": {"optimiser/0/exp_avg": moment, "optimiser/7/exp_avg": moment.clone()},
        "missing": {},
        "other optimiser": {"optimiser/0/sum": moment},
    }[damage]
    loop.write_checkpoint(tmp_path / "last", last.weights, last.state, {**extra, **changed})
    with pytest.raises(RunError, match="last: made with other settings of model or optimiser; resume with the same"):
        fit(tmp_path, resume=True, epochs=2, optimiser="adam")
