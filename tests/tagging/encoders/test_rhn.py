"""The recurrent highway layer against plain loops and numerical gradients; padding and starting values."""

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck

from nntag.config.tagging import RHNConfig
from nntag.tagging.encoders.kernels.highway import run_highway_layer
from nntag.tagging.encoders.rhn import RHN
from tests.reference.rhn import run_layer

D, H = 3, 4
LENGTHS = torch.tensor([5, 2, 4])
VARIANTS = [(depth, output_gate) for depth in (1, 2, 3, 5) for output_gate in (True, False)]


def build(seed=1, **fields):
    torch.manual_seed(seed)
    encoder = RHN(RHNConfig(**{"hidden": H, "dropout": 0.0, **fields}), D).double()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return encoder.eval()


def draw_batch():
    return torch.randn(5, 3, D, dtype=torch.float64, generator=torch.Generator().manual_seed(2))


def cut(value, gates):
    return {gate: block.tolist() for gate, block in zip(gates, value.detach().split(H, -1), strict=True)}


def run_reference(encoder, k, words):
    gates = "hto" if encoder.config.output_gate else "ht"
    r, b = [cut(encoder.w_first[k], gates)], [cut(encoder.b_first[k], gates)]
    for level in range(encoder.config.depth - 1):
        r.append(cut(encoder.w_deep[k, level], "ht"))
        b.append(cut(encoder.b_deep[k, level], "ht"))
    return run_layer(words, cut(encoder.w_in[k], gates), r, b, encoder.config.output_gate)


@pytest.mark.parametrize(("depth", "output_gate"), VARIANTS)
def test_encoder_equals_plain_loops(depth, output_gate):
    encoder, x = build(depth=depth, output_gate=output_gate), draw_batch()
    found = encoder(x, LENGTHS)
    with torch.no_grad():
        assert torch.equal(encoder(x, LENGTHS), found)
    for b, length in enumerate(LENGTHS.tolist()):
        words = x[:length, b].tolist()
        forward, backward = run_reference(encoder, 0, words), run_reference(encoder, 1, words[::-1])[::-1]
        expected = np.concatenate((forward, backward), 1)
        np.testing.assert_allclose(found[:length, b].detach().numpy(), expected, rtol=1e-9)


@pytest.mark.parametrize(("depth", "output_gate"), VARIANTS)
def test_backward_equals_numerical_gradient(depth, output_gate):
    encoder = build(depth=depth, output_gate=output_gate)
    x = torch.randn(2, 3, 2, D, dtype=torch.float64, requires_grad=True)
    weights = [encoder.w_in, encoder.w_first, encoder.b_first, encoder.w_deep, encoder.b_deep]
    given = [weight for weight in weights if weight is not None]

    def run(x, *given):
        return run_highway_layer(x, *given, *[None] * (5 - len(given)))

    assert gradcheck(run, (x, *given))


def test_second_derivative_is_refused():
    encoder = build()
    with pytest.raises(RuntimeError, match="no second derivative"):
        torch.autograd.grad(encoder(draw_batch(), LENGTHS).sum(), encoder.w_in, create_graph=True)


def test_sentence_alone_equals_sentence_in_batch():
    encoder, x = build(), draw_batch()
    together = encoder(x, LENGTHS)
    for b, length in enumerate(LENGTHS.tolist()):
        torch.testing.assert_close(encoder(x[:length, b : b + 1], LENGTHS[b : b + 1])[:, 0], together[:length, b])


@pytest.mark.parametrize(("depth", "output_gate"), VARIANTS)
def test_every_parameter_gets_a_gradient(depth, output_gate):
    encoder = build(depth=depth, output_gate=output_gate).train()
    encoder(draw_batch(), LENGTHS).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in encoder.parameters())


def test_starting_values():
    encoder = RHN(RHNConfig(hidden=8, depth=2, transform_bias=-3.0), D)
    assert encoder.b_first[0].view(3, 8).mean(1).tolist() == [0, -3, 0]
    assert encoder.b_deep[1, 0].view(2, 8).mean(1).tolist() == [0, -3]
    for block in encoder.w_deep[0, 0].split(8, 1):
        torch.testing.assert_close(block.T @ block, torch.eye(8), atol=1e-5, rtol=0)


@pytest.mark.gpu
@pytest.mark.parametrize(("depth", "output_gate"), VARIANTS)
def test_gpu_equals_cpu(depth, output_gate):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA GPU")
    results = []
    for device in ("cpu", "cuda"):
        encoder = build(depth=depth, output_gate=output_gate).to(device)
        h = encoder(draw_batch().to(device), LENGTHS.to(device))
        h.square().sum().backward()
        results.append([h.cpu(), *(parameter.grad.cpu() for parameter in encoder.parameters())])
    torch.testing.assert_close(*results)
