"""The stacked skip-LSTM encoder against plain loops; what padding, dropout and initialisation may and may not do."""

import itertools

import numpy as np
import pytest
import torch

from nntag.config.registry import find_model
from nntag.config.tagging import SkipLSTMConfig
from nntag.tagging.encoders.skip_lstm import SkipLSTM
from tests.reference.skip_lstm import run_stack

D, H = 3, 4
KINDS = ("none", "gates", "internal", "internal-gated", "output", "output-gated")
LENGTHS = torch.tensor([5, 2, 4])


def build(seed=1, dtype=torch.float64, **fields):
    torch.manual_seed(seed)
    encoder = SkipLSTM(SkipLSTMConfig(**{"hidden": H, "layers": 5, "forget_bias": 0.7, **fields}), D).to(dtype)
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.3)
    return encoder.eval()


def draw_batch(dtype=torch.float64):
    return torch.randn(5, 3, D, dtype=dtype, generator=torch.Generator().manual_seed(2))


def take_layers(encoder, direction):
    layers = []
    for layer in encoder.layers:
        gates = layer.cell.gates
        in_gates = gates if layer.w_skip is None else gates.replace("g", "")
        w, u = layer.w_in[direction].detach().numpy(), layer.w_rec[direction].detach().numpy()
        b = np.zeros(len(gates) * H) if layer.bias is None else layer.bias[direction].detach().numpy()
        weights = {
            "w": {gate: w[:, n * H : (n + 1) * H] for n, gate in enumerate(in_gates)},
            "u": {gate: u[:, n * H : (n + 1) * H] for n, gate in enumerate(gates)},
            "b": {gate: b[n * H : (n + 1) * H] for n, gate in enumerate(gates)},
        }
        if layer.w_skip is not None:
            weights["u_skip"] = layer.w_skip[direction].detach().numpy()
        layers.append(weights)
    return layers


VARIANTS = [{"skip": skip} for skip in KINDS] + [{"skip": skip, "mapping": "sigmoid"} for skip in KINDS[1:]]
VARIANTS += [
    {"skip": skip, "gate": "exclusive", "mapping": mapping}
    for skip, mapping in itertools.product(("internal-gated", "output-gated"), ("identity", "sigmoid"))
]
VARIANTS += [{"layers": layers} for layers in (1, 2, 3)] + [{"bias": False}]


@pytest.mark.parametrize("fields", VARIANTS, ids=str)
def test_encoder_equals_plain_loops(fields):
    encoder, x = build(**fields), draw_batch()
    with torch.no_grad():
        found = encoder(x, LENGTHS).numpy()
    assert found.shape == (5, 3, encoder.output_size)
    kind, mapping = encoder.config.skip, encoder.config.mapping
    for b, length in enumerate(LENGTHS.tolist()):
        words = x[:length, b].numpy()
        forward = run_stack(kind, take_layers(encoder, 0), words, mapping=mapping)
        backward = run_stack(kind, take_layers(encoder, 1), words[::-1], mapping=mapping)[::-1]
        np.testing.assert_allclose(found[:length, b], np.concatenate((forward, backward), 1), rtol=1e-9)


@pytest.mark.parametrize("skip", KINDS)
def test_sentence_alone_equals_sentence_in_batch_in_any_order(skip):
    encoder, x = build(skip=skip, layers=3), draw_batch()
    together = encoder(x, LENGTHS)
    order = torch.tensor([2, 0, 1])
    torch.testing.assert_close(encoder(x[:, order], LENGTHS[order])[:2], together[:2, order])
    for b, length in enumerate(LENGTHS.tolist()):
        torch.testing.assert_close(encoder(x[:length, b : b + 1], LENGTHS[b : b + 1])[:, 0], together[:length, b])


def test_padding_reaches_neither_output_nor_gradient():
    encoder, x = build(layers=3), draw_batch()
    spoilt = x.clone()
    for b, length in enumerate(LENGTHS.tolist()):
        spoilt[length:, b] = 1e6
    results = []
    for batch in (x, spoilt):
        encoder.zero_grad()
        loss = sum(encoder(batch, LENGTHS)[:length, b].square().sum() for b, length in enumerate(LENGTHS.tolist()))
        loss.backward()
        results.append([loss.detach(), *(parameter.grad for parameter in encoder.parameters())])
    torch.testing.assert_close(*results)


@pytest.mark.parametrize("fields", VARIANTS, ids=str)
def test_every_parameter_gets_a_gradient(fields):
    encoder = build(**fields).train()
    encoder(draw_batch(), LENGTHS).sum().backward()
    assert all(parameter.grad.abs().sum() > 0 for parameter in encoder.parameters())


def test_wu2016_initialisation():
    torch.manual_seed(3)
    config = SkipLSTMConfig(layers=3, hidden=64, init="wu2016", forget_bias=1.5)
    encoder = SkipLSTM(config, 400)
    first, last = encoder.layers[0], encoder.layers[2]
    assert first.w_in.std().item() == pytest.approx(0.1 / 400**0.5, rel=0.02)
    assert last.w_in.std().item() == pytest.approx(0.1 / 64**0.5, rel=0.02)
    for block in last.w_rec[1].split(64, 1):
        torch.testing.assert_close(block.T @ block, torch.eye(64), atol=1e-5, rtol=0)
    assert first.bias.sum().item() == pytest.approx(2 * 64 * 1.5)
    assert first.bias.view(2, 4, 64)[:, 2].eq(1.5).all()  # s, i, f, o


def test_initialisation_follows_its_generator():
    encoder = build()
    drawn = []
    for seed in (1, 1, 2):
        encoder.reset_parameters("default", torch.Generator().manual_seed(seed))
        drawn.append([parameter.detach().clone() for parameter in encoder.parameters()])
    assert all(map(torch.equal, drawn[0], drawn[1]))
    assert not torch.equal(drawn[0][0], drawn[2][0])


def test_dropout_works_on_first_and_last_layer_in_training_only():
    encoder, x = build(layers=2, dropout=0.5), draw_batch()
    assert torch.equal(encoder(x, LENGTHS), encoder(x, LENGTHS))
    encoder.train()
    torch.manual_seed(4)
    dropped = encoder(x, LENGTHS)
    share = (dropped == 0).double().mean().item()
    assert 0.3 < share < 0.7
    torch.manual_seed(4)
    assert torch.equal(dropped, encoder(x, LENGTHS))
    kept, full = dropped != 0, build(layers=2, dropout=0.0)(x, LENGTHS)
    assert not torch.allclose(dropped[kept], 2 * full[kept])  # the first layer's outputs were dropped too


def test_joined_plain_stack_is_a_bidirectional_lstm():
    """torch's own bidirectional LSTM of two layers, on sentences of unequal length, shares no code with ours."""
    steps, size, hidden, lengths = 5, 4, 3, torch.tensor([5, 2])
    lstm = torch.nn.LSTM(size, hidden, num_layers=2, bidirectional=True).double()
    ours = SkipLSTM(SkipLSTMConfig(layers=2, hidden=hidden, skip="none", joined=True, dropout=0.0), size).double()
    order = [2, 0, 1, 3]  # torch keeps i, f, s, o; the sweep keeps s, i, f, o
    with torch.no_grad():
        for number, layer in enumerate(ours.layers):
            for direction, suffix in enumerate((f"_l{number}", f"_l{number}_reverse")):
                own = {name: getattr(lstm, name + suffix) for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")}
                gates = {name: value.view(4, hidden, -1)[order].reshape(4 * hidden, -1) for name, value in own.items()}
                layer.w_in[direction] = gates["weight_ih"].T
                layer.w_rec[direction] = gates["weight_hh"].T
                layer.bias[direction] = (gates["bias_ih"] + gates["bias_hh"])[:, 0]
    x = torch.randn(steps, 2, size, dtype=torch.float64)
    packed = torch.nn.utils.rnn.pack_padded_sequence(x, lengths)
    expected, _ = torch.nn.utils.rnn.pad_packed_sequence(lstm(packed)[0])
    found = ours(x, lengths)
    for column, length in enumerate(lengths):
        torch.testing.assert_close(found[:length, column], expected[:length, column], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("name", ["skip-gated", "shortcut", "highway-lstm", "rhn"])
def test_recurrent_weights_are_orthogonal_or_xavier(name):
    """Section 6.1.2: each gate's square matrix; Xavier's entries lie within sqrt(6 / 2H)."""
    row = find_model(name)
    for kind in ("orthogonal", "xavier"):
        torch.manual_seed(1)
        encoder = row.load_class()(row.config(hidden=6, recurrent_init=kind), 3)
        weights = [value for key, value in encoder.named_parameters() if "w_rec" in key or "w_first" in key]
        matrices = [block for weight in weights for rows in weight for block in rows.split(6, 1)]
        orthogonal = [torch.allclose(matrix @ matrix.T, torch.eye(6), atol=1e-5) for matrix in matrices]
        assert len(matrices) >= 6 and set(orthogonal) == {kind == "orthogonal"}
        if kind == "xavier":
            assert 0.9 * 0.5**0.5 < max(float(matrix.detach().abs().max()) for matrix in matrices) <= 0.5**0.5
