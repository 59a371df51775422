"""Update rules and schedules against numbers worked out by hand and against plain loops."""

from __future__ import annotations

import math
import subprocess
import sys

import numpy as np
import pytest
import torch
from torch import nn

from nntag.config.training import TrainConfig
from nntag.training.optimisers import (
    WeightAverage,
    build_optimiser,
    clip_gradients,
    learning_rate,
    takes_sparse_gradients,
)
from nntag.training.update_rules import AdamW


def test_the_rate_falls_by_epoch_and_rises_over_the_warm_up() -> None:
    plain = TrainConfig(lr=0.8)
    assert {learning_rate(plain, epoch, step) for epoch in (1, 9) for step in (1, 99)} == {0.8}
    falling = TrainConfig(lr=0.8, lr_decay=0.5, lr_decay_after=2)
    assert [learning_rate(falling, epoch, 10 * epoch) for epoch in (1, 2, 3, 4, 5)] == [0.8, 0.8, 0.4, 0.2, 0.1]
    at_once = TrainConfig(lr=0.8, lr_decay=0.5)
    assert [learning_rate(at_once, epoch, 1) for epoch in (1, 2)] == [0.4, 0.2]  # lr_decay_after 0: from the first on
    rising = TrainConfig(lr=0.8, lr_decay=0.5, lr_decay_after=1, warmup_steps=4)
    steps = [(1, 1), (1, 2), (1, 4), (2, 5), (2, 3)]
    assert [learning_rate(rising, *step) for step in steps] == pytest.approx([0.2, 0.4, 0.8, 0.4, 0.3])


def run(config: TrainConfig, gradients: list[float], start: float = 2.0) -> list[float]:
    """The values that one parameter takes under the given gradients."""
    parameter = nn.Parameter(torch.tensor([start], dtype=torch.float64))
    optimiser = build_optimiser([parameter], config)
    values = []
    for gradient in gradients:
        parameter.grad = torch.tensor([gradient], dtype=torch.float64)
        optimiser.step()
        values.append(float(parameter.detach()))
    return values


GRADIENTS = [0.5, -1.0, 0.25]


def test_sgd() -> None:
    config = TrainConfig(optimiser="sgd", lr=0.1)
    assert run(config, GRADIENTS) == pytest.approx([1.95, 2.05, 2.025])


def test_weight_decay_adds_to_the_gradient() -> None:
    config = TrainConfig(optimiser="sgd", lr=0.1, weight_decay=0.5)
    assert run(config, [1.0, 0.0]) == pytest.approx([2.0 - 0.1 * 2.0, 1.8 - 0.1 * 0.9])


def test_adagrad() -> None:
    value, total, expected = 2.0, 0.0, []
    for gradient in GRADIENTS:
        total += gradient**2
        value -= 0.1 * gradient / (math.sqrt(total) + 1e-10)
        expected.append(value)
    assert run(TrainConfig(optimiser="adagrad", lr=0.1), GRADIENTS) == pytest.approx(expected)


def test_adam_with_its_own_second_decay() -> None:
    value, mean, square, expected = 2.0, 0.0, 0.0, []
    for step, gradient in enumerate(GRADIENTS, 1):
        mean, square = 0.9 * mean + 0.1 * gradient, 0.7 * square + 0.3 * gradient**2
        value -= 0.1 * (mean / (1 - 0.9**step)) / (math.sqrt(square / (1 - 0.7**step)) + 1e-8)
        expected.append(value)
    assert run(TrainConfig(optimiser="adam", lr=0.1, adam_beta2=0.7), GRADIENTS) == pytest.approx(expected)


def test_frozen_parameters_are_left_out() -> None:
    parameters = [nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2), requires_grad=False)]
    groups = build_optimiser(parameters, TrainConfig()).param_groups
    assert [id(parameter) for group in groups for parameter in group["params"]] == [id(parameters[0])]


def test_only_plain_sgd_takes_sparse_gradients() -> None:
    found = [
        takes_sparse_gradients(TrainConfig(optimiser=name, weight_decay=decay))
        for name in ("sgd", "adam", "adagrad")
        for decay in (0.0, 0.1)
    ]
    assert found == [True, False, False, False, False, False]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("norm", [1.0, 100.0])
def test_gradients_are_clipped_together(norm: float, sparse: bool) -> None:
    table, other = nn.Embedding(5, 2, sparse=sparse), nn.Parameter(torch.tensor([3.0, 4.0]))
    unused = nn.Parameter(torch.ones(1))
    (table(torch.tensor([1, 1, 3])).sum() + (other**2).sum() / 2).backward()
    # row 1 has the gradient 2, 2 (looked up twice), row 3 1, 1, the other parameter 3, 4
    length = math.sqrt(8 + 2 + 25)
    clip_gradients([table.weight, unused, other], norm)
    scale = min(1.0, norm / length)
    assert table.weight.grad is not None and other.grad is not None and unused.grad is None
    expected = torch.tensor([[0.0, 0], [2, 2], [0, 0], [1, 1], [0, 0]]) * scale
    torch.testing.assert_close(table.weight.grad.to_dense(), expected, rtol=1e-5, atol=1e-7)
    torch.testing.assert_close(other.grad, torch.tensor([3.0, 4.0]) * scale, rtol=1e-5, atol=1e-7)


def test_the_running_mean_against_a_loop() -> None:
    """mean = d * mean + (1 - d) * weights with d = min(decay, (1 + step) / (10 + step))."""
    model = nn.Linear(3, 2).double()
    average = WeightAverage(model, 0.6)
    expected = {name: value.numpy().copy() for name, value in model.state_dict().items()}
    for step in range(1, 25):
        with torch.no_grad():
            for parameter in model.parameters():
                parameter.copy_(torch.randn_like(parameter))
        average.update(model, step)
        decay = min(0.6, (1 + step) / (10 + step))
        for name, value in model.state_dict().items():
            expected[name] = decay * expected[name] + (1 - decay) * value.numpy()
    for name, value in average.values.items():
        np.testing.assert_allclose(value.numpy(), expected[name], rtol=1e-12)


@pytest.mark.parametrize(
    ("rule", "theirs"),
    [
        (lambda p: build_optimiser(p, TrainConfig(optimiser="adam", lr=0.1, weight_decay=0.01)), torch.optim.Adam),
        (
            lambda p: build_optimiser(p, TrainConfig(optimiser="adagrad", lr=0.1, weight_decay=0.01)),
            torch.optim.Adagrad,
        ),
        (lambda p: build_optimiser(p, TrainConfig(optimiser="sgd", lr=0.1, weight_decay=0.01)), torch.optim.SGD),
        (lambda p: AdamW(p, 0.1, betas=(0.9, 0.999), weight_decay=0.01), torch.optim.AdamW),
    ],
)
def test_update_rules_are_those_of_torch_to_the_last_bit(rule, theirs) -> None:
    fused = {} if theirs is torch.optim.SGD else {"fused": True}
    sets = [[nn.Parameter(torch.linspace(-1, 1, size)) for size in (7, 1000)] for _ in range(2)]
    optimisers = rule(sets[0]), theirs(sets[1], lr=0.1, weight_decay=0.01, **fused)
    for step in range(5):
        for parameters, optimiser in zip(sets, optimisers, strict=True):
            for number, parameter in enumerate(parameters):
                parameter.grad = torch.randn(
                    parameter.shape, generator=torch.Generator().manual_seed(step + 9 * number)
                )
            optimiser.step()
        assert all(torch.equal(ours, other) for ours, other in zip(*sets, strict=True))


def test_an_update_does_not_load_the_compiler() -> None:
    """Seconds of every start, and 50 MB."""
    lines = ("import torch, sys; from nntag.training.update_rules import Adam", "p = torch.ones(2, requires_grad=True)")
    step = "p.sum().backward(); Adam([p], 0.1, betas=(0.9, 0.999), weight_decay=0).step()"
    check = "assert 'torch._dynamo' not in sys.modules and p[0] < 1"
    subprocess.run([sys.executable, "-c", "; ".join([*lines, step, check])], check=True)
