"""A pre-trained part has a schedule and a weight decay of its own, and is resumed like all else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from nntag.config.settings import resolve_settings
from nntag.config.training import TrainConfig
from nntag.encoding.data_folder import DataFolder
from nntag.training.checkpoint import read_checkpoint
from nntag.training.model import Loss, PretrainedPart
from nntag.training.pretrained import PretrainedTuner
from nntag.training.trainer import Trainer
from tests.training.test_trainer import PLAIN, ToyBatch, ToyModel, ToyTask, distance


def test_steps_are_those_of_adamw_by_hand() -> None:
    parameter = nn.Parameter(torch.tensor([2.0], dtype=torch.float64))
    config = TrainConfig(lr=9.0, lr_decay=0.5, lr_decay_after=1, warmup_steps=0)
    tuner = PretrainedTuner(PretrainedPart([parameter], lr=0.1, warmup_steps=2, weight_decay=0.3), config)
    value, mean, square = 2.0, 0.0, 0.0
    for step, (epoch, gradient, rate) in enumerate([(1, 0.5, 0.05), (1, -1.0, 0.1), (2, 0.25, 0.05)], 1):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.999 * square + 0.001 * gradient**2
        value -= rate * 0.3 * value
        value -= rate * (mean / (1 - 0.9**step)) / ((square / (1 - 0.999**step)) ** 0.5 + 1e-8)
        parameter.grad = torch.tensor([gradient], dtype=torch.float64)
        tuner.step(epoch, step)
        assert parameter.item() == pytest.approx(value, rel=1e-9)


class TwoPartModel(ToyModel):
    """A toy model with a bias that was trained before."""

    def __init__(self) -> None:
        super().__init__()
        self.bias = nn.Parameter(torch.tensor([0.5], dtype=torch.float64))

    def pretrained_part(self) -> PretrainedPart:
        return PretrainedPart([self.bias], lr=0.01, warmup_steps=5, weight_decay=0.1)

    def loss(self, batch: ToyBatch) -> Loss:
        return Loss(((batch.x @ self.w + self.bias - batch.y) ** 2).sum(), batch.count, len(batch.y))


def fit(run: Path, epochs: int, resume: bool = False, **values: Any) -> Trainer:
    settings = resolve_settings(
        "skip-none", "default", {"clip_norm": 0, "average": 0, **PLAIN, **values, "epochs": epochs}
    )
    data = DataFolder(run / "data", {"task": "toy"})
    task: Any = ToyTask(distance)
    trainer = Trainer(TwoPartModel(), task, data, settings, run, torch.device("cpu"))
    if resume:
        trainer.resume()
    trainer.fit()
    return trainer


def test_the_part_is_left_to_its_own_rule(tmp_path: Path) -> None:
    trainer = fit(tmp_path, 1)
    own = [parameter for group in trainer.optimiser.param_groups for parameter in group["params"]]
    assert own == [trainer.model.w]
    assert trainer.model.bias.item() != 0.5
    assert abs(trainer.model.bias.item() - 0.5) < 3 * 0.01  # three steps of Adam, sgd's first would be 0.1 and more


@pytest.mark.parametrize("average", [0.0, 0.5])
def test_a_resumed_run_equals_a_straight_one(tmp_path: Path, average: float) -> None:
    fit(tmp_path / "straight", 4, average=average)
    fit(tmp_path / "resumed", 2, average=average)
    fit(tmp_path / "resumed", 4, resume=True, average=average)
    whole, parts = (read_checkpoint(tmp_path / name / "last" / "model.safetensors") for name in ("straight", "resumed"))
    assert "pretrained/0/exp_avg" in whole.extra
    for straight, resumed in ((whole.weights, parts.weights), (whole.extra, parts.extra)):
        assert straight.keys() == resumed.keys()
        assert all(torch.equal(value, resumed[name]) for name, value in straight.items())
