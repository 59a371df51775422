"""The highway LSTM encoder against plain loops, with padding, gradients and its starting values."""

import numpy as np
import pytest
import torch

from nntag.config.tagging import HighwayLSTMConfig
from nntag.tagging.encoders.highway_lstm import HighwayLSTM
from tests.reference.highway_lstm import run_stack

D, H = 3, 4
LENGTHS = torch.tensor([5, 2, 4])


def build(seed=1, **fields):
    torch.manual_seed(seed)
    encoder = HighwayLSTM(HighwayLSTMConfig(**{"hidden": H, "layers": 4, "dropout": 0.0, **fields}), D).double()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return encoder.eval()


def draw_batch():
    return torch.randn(5, 3, D, dtype=torch.float64, generator=torch.Generator().manual_seed(2))


def take_layers(encoder, direction):
    layers = []
    for n, layer in enumerate(encoder.layers):
        names = "sifod" if n else "sifo"
        weights = {}
        for name, value, gates in (("w", layer.w_in, names), ("u", layer.w_rec, "sifo"), ("b", layer.bias, names)):
            blocks = value[direction].detach().split(H, -1)
            weights[name] = {gate: block.numpy() for gate, block in zip(gates, blocks, strict=True)}
        if n:
            weights["w_cd"], weights["w_ld"] = layer.w_peep[direction].detach().numpy()
        layers.append(weights)
    return layers


@pytest.mark.parametrize("layers", [1, 2, 4])
def test_encoder_equals_plain_loops(layers):
    encoder, x = build(layers=layers, carry_bias=0.4, forget_bias=-0.3), draw_batch()
    found = encoder(x, LENGTHS).detach().numpy()
    for b, length in enumerate(LENGTHS.tolist()):
        words = x[:length, b].tolist()
        forward = run_stack(take_layers(encoder, 0), words)
        backward = run_stack(take_layers(encoder, 1), words[::-1])[::-1]
        np.testing.assert_allclose(found[:length, b], np.concatenate((forward, backward), 1), rtol=1e-9)


def test_sentence_alone_equals_sentence_in_batch():
    encoder, x = build(), draw_batch()
    together = encoder(x, LENGTHS)
    for b, length in enumerate(LENGTHS.tolist()):
        torch.testing.assert_close(encoder(x[:length, b : b + 1], LENGTHS[b : b + 1])[:, 0], together[:length, b])


def test_every_parameter_gets_a_gradient():
    encoder = build().train()
    encoder(draw_batch(), LENGTHS).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in encoder.parameters())


def test_starting_biases():
    encoder = HighwayLSTM(HighwayLSTMConfig(layers=2, hidden=H, forget_bias=1.0, carry_bias=-2.0), D)
    assert encoder.layers[1].bias.view(2, 5, H)[:, :, 0].tolist() == [[0, 0, 1, 0, -2]] * 2  # s, i, f, o, d
