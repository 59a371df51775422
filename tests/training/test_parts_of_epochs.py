"""Runs that are stopped within an epoch, by Ctrl-C, SIGTERM or a crash, go on as if they had not been."""

from __future__ import annotations

import random
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.encoding.data_folder import DataFolder
from nntag.errors import RunError
from nntag.progress import Progress
from nntag.training import trainer as loop
from nntag.training.checkpoint import read_checkpoint
from nntag.training.interrupts import Interrupts
from nntag.training.trainer import Trainer
from tests.tiny_data import make_tiny_data
from tests.training.test_trainer import OPTIMISERS, RANDOM, ToyModel, ToyTask, contents, distance, trainer

BATCHES = 3 * RANDOM["epochs"]  # of a whole toy run
EACH_BATCH = 1e-9  # minutes between two checkpoints
KINDS = {  # task -> model and settings with everything that is random or has a state of its own
    "tagging": ("skip-gated", {"hidden": 4, "word_size": 6, "dropout": 0.3}),
    "lm": ("rm", {"hidden": 4, "dropout": 0.3, "input_dropout": 0.2, "softmax": "adaptive", "optimiser": "lazy-adam"}),
    "sentiment": ("tree-lstm", {"hidden": 4, "tune_vectors": True, "word_size": 5}),
}


class Crash(Exception):
    """Whatever ends a process without a chance to save."""


def stop_after(batches: int, error: type[BaseException]) -> Callable[[Progress], None]:
    """A progress callback that raises `error` once so many batches are done."""
    left = [batches]

    def progress(report: Progress) -> None:
        left[0] -= not report.finished and report.stage.startswith("epoch")
        if left[0] == 0:
            left[0] -= 1
            raise error

    return progress


def toy(run: Path, resume: bool, **values: Any) -> Trainer:
    minutes = values.pop("minutes", 0)
    made = trainer(run, ToyTask(distance, False, shuffle=True), dropout=0.5, **{**RANDOM, **values})
    made.checkpoint_seconds = 60 * minutes or 1e9
    if resume:
        made.resume()
    return made


def clockless(run: Path) -> dict[str, Any]:
    """`contents`, and nothing of a part that is over."""
    found = contents(run)
    assert "part" not in found["last"][0] and not [name for name in found["last"][1] if name.startswith("random/")]
    return found


@pytest.mark.parametrize("values", OPTIMISERS, ids=str)
@pytest.mark.parametrize(("error", "minutes"), [(KeyboardInterrupt, 0), (Crash, EACH_BATCH)], ids=["stop", "crash"])
def test_stopped_at_random_batches_it_equals_a_straight_run_bit_for_bit(
    tmp_path: Path, values: dict[str, Any], error: type[BaseException], minutes: float
) -> None:
    toy(tmp_path / "straight", False, **values).fit()
    choose = random.Random(1)
    for attempt in range(4):
        run, done = tmp_path / str(attempt), 0
        while done < BATCHES:
            more = choose.randint(1, 5)
            made = toy(run, resume=done > 0, minutes=minutes, **values)
            done += more
            torch.manual_seed(done)  # nothing of the process's own random state may matter
            if done < BATCHES:
                with pytest.raises(error):
                    made.fit(stop_after(more, error))
                part = read_checkpoint(run / "last" / "model.safetensors").state.get("part", {"batches": 0})
                assert part["batches"] in (done % 3, 3)  # 3: not scored on dev yet
            else:
                made.fit()
        assert clockless(run) == clockless(tmp_path / "straight")


def test_a_crash_while_a_part_is_saved_loses_no_earlier_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy(tmp_path / "straight", False).fit()
    real, calls = loop.write_checkpoint, [0]

    def write_or_die(*arguments: Any) -> None:
        calls[0] += 1
        if calls[0] == 6:
            raise Crash
        real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(loop, "write_checkpoint", write_or_die)
        with pytest.raises(Crash):
            toy(tmp_path / "run", False, minutes=EACH_BATCH).fit()
    toy(tmp_path / "run", True).fit()
    assert clockless(tmp_path / "run") == clockless(tmp_path / "straight")


def test_ctrl_c_within_an_update_waits_for_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    toy(tmp_path / "straight", False).fit()
    made, real, calls = toy(tmp_path / "run", False), ToyModel.loss, [0]

    def loss(self: ToyModel, batch: Any) -> Any:
        calls[0] += 1
        if calls[0] == 5:
            signal.raise_signal(signal.SIGINT)
        return real(self, batch)

    with monkeypatch.context() as patch:
        patch.setattr(ToyModel, "loss", loss)
        with pytest.raises(KeyboardInterrupt):
            made.fit()
    assert made.state.step == 5 and made.describe_stop().startswith("stopped within epoch 2, after ")
    assert read_checkpoint(tmp_path / "run" / "last" / "model.safetensors").state["part"]["batches"] == 2
    toy(tmp_path / "run", True).fit()
    assert clockless(tmp_path / "run") == clockless(tmp_path / "straight")


def test_stopped_while_dev_is_scored_with_the_mean_in_the_model(tmp_path: Path) -> None:
    values = OPTIMISERS[1]
    toy(tmp_path / "straight", False, **values).fit()
    made = toy(tmp_path / "run", False, **values)

    def interrupt(*arguments: Any) -> float:
        raise KeyboardInterrupt

    made.task.score = interrupt  # type: ignore[attr-defined]
    with pytest.raises(KeyboardInterrupt):
        made.fit()
    toy(tmp_path / "run", True, **values).fit()
    assert clockless(tmp_path / "run") == clockless(tmp_path / "straight")


@pytest.mark.parametrize("handler", [signal.default_int_handler, signal.SIG_IGN], ids=["interrupt", "ignore"])
def test_signals_are_held_once_and_handlers_put_back(handler: Any) -> None:
    before = signal.signal(signal.SIGINT, handler)
    try:
        with Interrupts() as interrupts:
            if handler is signal.SIG_IGN:
                with interrupts.held():
                    signal.raise_signal(signal.SIGINT)
                assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
                return
            reached = []
            with pytest.raises(KeyboardInterrupt), interrupts.held():
                signal.raise_signal(signal.SIGINT)
                reached.append("end")
            assert reached == ["end"] and interrupts.whole
            with pytest.raises(KeyboardInterrupt), interrupts.held():
                signal.raise_signal(signal.SIGINT)
                signal.raise_signal(signal.SIGINT)
                reached.append("never")
            assert reached == ["end"] and not interrupts.whole
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGINT) is handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_epoch_goes_on_with_its_own_batches_alone(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        toy(tmp_path, False).fit(stop_after(4, KeyboardInterrupt))
    with pytest.raises(RunError, match=r"stopped within epoch 2, whose batches are others .* resume with those"):
        toy(tmp_path, True, seed=8).fit()
    assert read_checkpoint(tmp_path / "last" / "model.safetensors").state["part"]["batches"] == 1


@pytest.mark.parametrize("damage", ["no random state", "short", "type", "batches", "nats", "colour"])
def test_a_damaged_part_is_not_resumed(tmp_path: Path, damage: str) -> None:
    with pytest.raises(KeyboardInterrupt):
        toy(tmp_path, False).fit(stop_after(4, KeyboardInterrupt))
    last = read_checkpoint(tmp_path / "last" / "model.safetensors")
    extra, part = dict(last.extra), dict(last.state["part"])
    state = extra.pop("random/cpu")
    if damage in ("short", "type"):
        extra["random/cpu"] = state[:-1].clone() if damage == "short" else state.float()
    elif damage != "no random state":
        extra["random/cpu"] = state
        part |= {"batches": {"batches": "one"}, "nats": {"nats": "much"}, "colour": {"colour": 1}}[damage]
    loop.write_checkpoint(tmp_path / "last", last.weights, {**last.state, "part": part}, extra)
    with pytest.raises(RunError, match="last: made with other settings of model or optimiser"):
        toy(tmp_path, True).fit()


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, DataFolder]:
    folder = tmp_path_factory.mktemp("data")
    return {task: make_tiny_data(task, folder) for task in KINDS}


@pytest.mark.parametrize("task", KINDS)
def test_every_kind_of_model_goes_on_bit_for_bit(
    task: str, folders: dict[str, DataFolder], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model, values = KINDS[task]
    settings = {"batch_size": 4, "epochs": 2, "patience": 0, **values}

    def run(name: str, **given: Any) -> TrainOptions:
        return TrainOptions(model=model, data=folders[task].path, out=tmp_path / name, **given)

    train(run("straight", settings=settings))
    caplog.set_level("INFO", "nntag")
    for number, batches in enumerate((3, 5)):  # 6 batches an epoch
        with pytest.raises(KeyboardInterrupt):
            train(run("stopped", settings=settings, resume=number > 0), stop_after(batches, KeyboardInterrupt))
        place = f"stopped within epoch {number + 1}, after "
        assert place in caplog.text
        assert f"continue with: nntag train --resume --out {tmp_path / 'stopped'}\n" in caplog.text
    train(run("stopped", resume=True))
    assert clockless(tmp_path / "stopped") == clockless(tmp_path / "straight")
