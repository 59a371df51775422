"""Mix, normalisation and projection against plain loops in float64."""

from __future__ import annotations

import math

import pytest
import torch

from nntag.config.contextual import ContextualInput
from nntag.encoding.contextual.batch import WordBatch
from nntag.encoding.contextual.layer import ContextualLayer


@pytest.mark.parametrize("layers", [1, 3])
def test_the_layer_is_its_equations(layers: int) -> None:
    torch.manual_seed(1)
    layer = ContextualLayer(ContextualInput(contextual_size=4), layers, 5).double().eval()
    for parameter in layer.parameters():
        torch.nn.init.normal_(parameter)
    states = torch.randn(2, layers, 5, dtype=torch.float64)
    found = layer(WordBatch(2, states))
    mix = [0.0] if layer.mix is None else layer.mix.tolist()
    total = sum(math.exp(w) for w in mix)
    for word in range(2):
        m = [
            sum(math.exp(w) / total * states[word, number, d].item() for number, w in enumerate(mix)) for d in range(5)
        ]
        mean = sum(m) / 5
        deviation = math.sqrt(sum((value - mean) ** 2 for value in m) / 5 + 1e-5)
        scale, shift = layer.norm.weight.tolist(), layer.norm.bias.tolist()
        normal = [scale[d] * (m[d] - mean) / deviation + shift[d] for d in range(5)]
        weights, bias = layer.projection.weight.tolist(), layer.projection.bias.tolist()
        for row in range(4):
            expected = max(0.0, sum(weights[row][d] * normal[d] for d in range(5)) + bias[row])
            assert found[word, row].item() == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_half_precision_is_taken_and_every_parameter_learns() -> None:
    torch.manual_seed(1)
    layer = ContextualLayer(ContextualInput(contextual_size=6), 3, 5)
    found = layer(WordBatch(8, torch.randn(8, 3, 5).half()))
    assert found.shape == (8, 6) and found.dtype == torch.float32 and layer.output_size == 6
    found.pow(2).sum().backward()
    assert all(parameter.grad is not None and parameter.grad.abs().sum() > 0 for parameter in layer.parameters())


def test_dropout_is_for_training_alone() -> None:
    torch.manual_seed(1)
    layer = ContextualLayer(ContextualInput(contextual_dropout=0.5), 1, 50)
    states = WordBatch(20, torch.randn(20, 1, 50))
    assert not torch.equal(layer(states), layer(states))
    layer.eval()
    assert torch.equal(layer(states), layer(states))
