"""The chunked softmax against torch's own cross-entropy and against numbers worked by hand."""

import math

import pytest
import torch
from torch.nn import functional as F

from nntag.language_models.models import output_layer
from nntag.language_models.models.output_layer import log_probabilities, sum_nats, token_nats
from nntag.training.precision import products_in


def random_case(rows, vocabulary=7, size=3, scale=1.0):
    generator = torch.Generator().manual_seed(rows)
    draw = lambda *shape: torch.randn(*shape, generator=generator, dtype=torch.double) * scale  # noqa: E731
    arguments = [draw(rows, size), draw(vocabulary, size), draw(vocabulary)]
    return [value.requires_grad_() for value in arguments], torch.randint(vocabulary, (rows,), generator=generator)


@pytest.mark.parametrize("rows", [1, 4, 5, 12])
@pytest.mark.parametrize("scale", [1.0, 30.0])
def test_loss_and_gradients_equal_those_of_the_whole_softmax(rows, scale, monkeypatch):
    monkeypatch.setattr(output_layer, "CPU_CHUNK_ROWS", 4)
    (states, weight, bias), targets = random_case(rows, scale=scale)
    expected = F.cross_entropy(F.linear(states, weight, bias), targets, reduction="sum")
    wanted = torch.autograd.grad(expected * 0.3, (states, weight, bias))
    found = sum_nats(states, weight, bias, targets)
    gradients = torch.autograd.grad(found * 0.3, (states, weight, bias))
    torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(gradients, wanted, rtol=1e-9, atol=1e-12)
    torch.testing.assert_close(token_nats(states, weight, bias, targets).sum(), expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("rows", [1, 4, 5, 31])
@pytest.mark.parametrize("scale", [1.0, 5.0])
def test_bf16_products_change_loss_and_gradients_by_little(rows, scale, monkeypatch):
    """Against the whole softmax in float64; 31 rows are two groups of four chunks of four, the last one not full."""
    monkeypatch.setattr(output_layer, "CPU_CHUNK_ROWS", 4)
    (states, weight, bias), targets = random_case(rows, vocabulary=50, size=20, scale=scale / 5)
    expected = F.cross_entropy(F.linear(states, weight, bias), targets, reduction="sum")
    wanted = torch.autograd.grad(expected * 0.3, (states, weight, bias))
    rounded = [value.detach().float().requires_grad_() for value in (states, weight, bias)]
    with products_in("bf16", torch.device("cpu")):
        found = sum_nats(*rounded, targets)
    gradients = torch.autograd.grad(found * 0.3, rounded)
    assert found.dtype == torch.float32 and abs(found.item() - expected.item()) < 0.03 * scale * rows
    for gradient, right in zip(gradients, wanted, strict=True):
        assert gradient.dtype == torch.float32
        assert (gradient.double() - right).norm() < 0.015 * scale * right.norm()


def test_a_probability_that_bf16_cannot_hold_has_a_finite_loss():
    states, weight = torch.ones(1, 1).requires_grad_(), torch.tensor([[400.0], [-400.0]])
    with products_in("bf16", torch.device("cpu")):
        loss = sum_nats(states, weight, torch.zeros(2), torch.tensor([1]))
    loss.backward()
    assert 80 < loss.item() < 800 and states.grad.item() == 800


def test_gradcheck(monkeypatch):
    monkeypatch.setattr(output_layer, "CPU_CHUNK_ROWS", 2)
    arguments, targets = random_case(5)
    assert torch.autograd.gradcheck(lambda *values: sum_nats(*values, targets), arguments)


def test_hand_worked_probabilities():
    states, weight, bias = torch.ones(1, 1), torch.tensor([[math.log(2)], [0.0]]), torch.tensor([0.0, math.log(4)])
    # exp of the logits: 2 and 4
    assert log_probabilities(states, weight, bias).exp().tolist()[0] == pytest.approx([1 / 3, 2 / 3])
    assert token_nats(states, weight, bias, torch.tensor([1])).item() == pytest.approx(math.log(1.5))


def test_no_rows_give_no_loss_and_no_gradient():
    (states, weight, bias), targets = random_case(0)
    loss = sum_nats(states, weight, bias, targets)
    loss.backward()
    assert loss.item() == 0 and weight.grad.abs().sum() == 0 and bias.grad.abs().sum() == 0
    assert token_nats(states, weight, bias, targets).shape == (0,)


def test_very_unlikely_targets_keep_finite_losses():
    states, weight = torch.ones(1, 1), torch.tensor([[400.0], [-400.0]])
    assert token_nats(states, weight, torch.zeros(2), torch.tensor([1])).item() == pytest.approx(800)
    assert sum_nats(states, weight, torch.zeros(2), torch.tensor([1])).item() == pytest.approx(800)
