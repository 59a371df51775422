"""Masks: torch's own in float32, draw by draw; in bf16 others with the same share of zeros and the same mean."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from nntag.training.dropout import Dropout, dropout_by_precision
from nntag.training.precision import products_in

CPU = torch.device("cpu")


def draw(precision: str, probability: float, x: Tensor) -> Tensor:
    torch.manual_seed(1)
    with products_in(precision, CPU):
        return dropout_by_precision(x, probability, training=True)


@pytest.mark.parametrize("probability", [0.0, 0.25, 0.5])
def test_float32_has_the_masks_of_torch(probability: float) -> None:
    x = torch.randn(7, 5, 3)
    found = draw("float32", probability, x)
    torch.manual_seed(1)
    assert torch.equal(found, functional.dropout(x, probability, True))


@pytest.mark.parametrize("probability", [0.1, 0.25, 0.5])
def test_bf16_has_others_of_the_same_share_and_mean(probability: float) -> None:
    x = torch.ones(1000, 101, requires_grad=True)
    found = draw("bf16", probability, x)
    assert found.dtype == torch.float32
    assert not torch.equal(found, draw("float32", probability, x))
    assert torch.equal(found, draw("bf16", probability, x))  # the seed's
    zeros = (found == 0).double().mean().item()
    assert zeros == pytest.approx(probability, abs=0.006)  # four standard errors of 101,000 draws
    torch.testing.assert_close(
        found[found != 0], torch.full_like(found[found != 0], 1 / (1 - probability)), rtol=2e-5, atol=0
    )
    found.sum().backward()
    assert x.grad is not None
    assert torch.equal(x.grad, found.detach())


def test_the_module_drops_in_training_alone() -> None:
    module: nn.Module = Dropout(0.5)
    x = torch.ones(100)
    for precision in ("float32", "bf16"):
        with products_in(precision, CPU):
            assert 0 < (module.train()(x) == 0).sum() < 100
            assert torch.equal(module.eval()(x), x)
