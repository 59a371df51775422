"""The shortcut encoder against plain loops, for every gate and topology; its draws, and its ties to the plain stack."""

import numpy as np
import pytest
import torch

from nntag.config.tagging import ShortcutConfig, SkipLSTMConfig
from nntag.errors import UsageError
from nntag.tagging.encoders.shortcut import Shortcut, ShortcutBlock
from nntag.tagging.encoders.skip_lstm import SkipLSTM
from tests.reference.shortcut import run_stack

D, H = 3, 4
LENGTHS = torch.tensor([5, 2, 4])
GATES = ("linear", "nonlinear", "stochastic", "stochastic-learned")


def build(seed=1, **fields):
    torch.manual_seed(seed)
    encoder = Shortcut(ShortcutConfig(**{"hidden": H, "layers": 5, "p": 0.3, "dropout": 0.0, **fields}), D).double()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return encoder.eval()


def draw_batch():
    return torch.randn(5, 3, D, dtype=torch.float64, generator=torch.Generator().manual_seed(2))


def take_layers(encoder, direction):
    layers = []
    for layer in encoder.layers:
        weights, recurrent = {}, layer
        if isinstance(layer, ShortcutBlock):
            recurrent = layer.recurrent
            if layer.w_gate is not None:
                weights["w_gate"] = layer.w_gate[direction].detach().numpy()
            if layer.b_gate is not None:
                weights["b_gate"] = layer.b_gate[direction].detach().numpy()
        for name, value in (("w", recurrent.w_in), ("u", recurrent.w_rec), ("b", recurrent.bias)):
            blocks = value[direction].detach().split(H, -1)
            weights[name] = {gate: block.numpy() for gate, block in zip(recurrent.cell.gates, blocks, strict=True)}
        layers.append(weights)
    return layers


def check_against_loops(encoder, gate, draws=None, p=None):
    """draws: float[L, 2, T, B, H], in the order in which each direction reads."""
    x = draw_batch()
    found = encoder(x, LENGTHS).detach().numpy()
    for b, length in enumerate(LENGTHS.tolist()):
        words = x[:length, b].numpy()
        given = [None if draws is None else draws[:, k, :, b] for k in range(2)]
        forward = run_stack(encoder.links, take_layers(encoder, 0), words, gate, given[0], p)
        backward = run_stack(encoder.links, take_layers(encoder, 1), words[::-1], gate, given[1], p)[::-1]
        np.testing.assert_allclose(found[:length, b], np.concatenate((forward, backward), 1), rtol=1e-9)


@pytest.mark.parametrize("topology", range(6))
@pytest.mark.parametrize("gate", GATES)
def test_encoder_equals_plain_loops(gate, topology):
    encoder = build(gate=gate, topology=topology)
    check_against_loops(encoder, "nonlinear" if gate == "stochastic-learned" else gate, p=0.3)


@pytest.mark.parametrize("topology", range(6))
@pytest.mark.parametrize("gate", ["nonlinear", "stochastic-learned"])
def test_gates_that_read_from_below_alone_equal_plain_loops(gate, topology):
    encoder = build(gate=gate, topology=topology, gate_reads="below")
    check_against_loops(encoder, "below")
    encoder.train()(draw_batch(), LENGTHS).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in encoder.parameters())


def test_learned_draws_from_below_are_zeros_and_ones():
    block = build(gate="stochastic-learned", topology=2, gate_reads="below").layers[1].train()
    torch.manual_seed(3)
    g = block._gate_from_below(torch.randn(2, 6, 3, H, dtype=torch.float64))
    torch.testing.assert_close(g.round(), g)
    assert 0 < g.mean() < 1


def test_links_of_ones_own_equal_plain_loops():
    encoder = build(links=((1, 4), (2, 3), (2, 4), (1, 5)))
    assert encoder.find_sources(4) == [1, 2]
    check_against_loops(encoder, "nonlinear")


def test_links_that_do_not_fit_are_refused():
    with pytest.raises(UsageError, match="1-6"):
        build(links=((1, 6),))


def test_fixed_draws_in_training_equal_plain_loops(monkeypatch):
    encoder = build(gate="stochastic", topology=4).train()
    drawn = torch.zeros(5, 2, 5, 3, H, dtype=torch.float64)
    drawn[1:] = (torch.rand(4, 2, 5, 3, H, generator=torch.Generator().manual_seed(5)) < 0.3).double()
    following = iter(drawn[1:])
    monkeypatch.setattr(torch.Tensor, "bernoulli_", lambda self, p: next(following) if p == 0.3 else None)
    check_against_loops(encoder, "stochastic", drawn)


@pytest.mark.parametrize("gate", GATES)
def test_without_links_it_is_the_plain_stack(gate):
    encoder = build(topology=0, layers=3, gate=gate)
    plain = SkipLSTM(SkipLSTMConfig(hidden=H, layers=3, skip="none"), D).double().eval()
    plain.load_state_dict(encoder.state_dict())
    assert torch.equal(encoder(draw_batch(), LENGTHS), plain(draw_batch(), LENGTHS))


@pytest.mark.parametrize("gate", ["stochastic", "stochastic-learned"])
def test_mean_over_draws_is_the_expectation_of_test_time(gate):
    block = build(gate=gate, topology=2).layers[1]
    generator = torch.Generator().manual_seed(6)
    x, source = (torch.randn(2, 1, 1, H, dtype=torch.float64, generator=generator) for _ in range(2))
    copies = 40_000
    torch.manual_seed(7)
    with torch.no_grad():
        _, expected = block.eval()(x, source)
        _, m = block.train()(x.expand(2, 1, copies, H), source.expand(2, 1, copies, H))
    assert m.std(2).min() > 0.05
    torch.testing.assert_close(m.mean(2), expected[:, :, 0], atol=0.03, rtol=0)


@pytest.mark.parametrize("topology", range(6))
@pytest.mark.parametrize("gate", GATES)
def test_every_parameter_gets_a_gradient(gate, topology):
    encoder = build(gate=gate, topology=topology).train()
    encoder(draw_batch(), LENGTHS).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in encoder.parameters())


@pytest.mark.parametrize("gate", GATES)
def test_sentence_alone_equals_sentence_in_batch_in_any_order(gate):
    encoder, x = build(gate=gate, topology=5), draw_batch()
    together = encoder(x, LENGTHS)
    order = torch.tensor([2, 0, 1])
    torch.testing.assert_close(encoder(x[:, order], LENGTHS[order])[:2], together[:2, order])
    for b, length in enumerate(LENGTHS.tolist()):
        torch.testing.assert_close(encoder(x[:length, b : b + 1], LENGTHS[b : b + 1])[:, 0], together[:length, b])


def test_draws_follow_the_seed():
    encoder, x = build(gate="stochastic-learned", topology=3).train(), draw_batch()
    results = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        results.append(encoder(x, LENGTHS))
    assert torch.equal(results[0], results[1])
    assert not torch.equal(results[0], results[2])
