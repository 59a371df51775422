"""The recurrent sweep against plain loops, numerical gradients and torch's own LSTM."""

import numpy as np
import pytest
import torch
from torch.autograd import gradcheck

from nntag.tagging.encoders.kernels.cells import CELLS
from nntag.tagging.encoders.kernels.directions import exchange_directions, reverse_padded
from nntag.tagging.encoders.kernels.fused import PLAIN, fits_fused, fuse_weights, run_fused
from nntag.tagging.encoders.kernels.layer import RecurrentLayer
from nntag.tagging.encoders.kernels.sweep import run_layer
from nntag.training.precision import products_in
from tests.reference.skip_lstm import run_cell

K, T, B, D, H = 2, 5, 3, 4, 6
VARIANTS = [(kind, False, False) for kind in CELLS]
VARIANTS += [(kind, False, True) for kind, cell in CELLS.items() if cell.has_skip]
VARIANTS += [(kind, True, False) for kind, cell in CELLS.items() if "g" in cell.gates and not cell.peephole]
VARIANTS += [("output-gated", True, True)]


def make_inputs(kind, exclusive=False, shared=False, sizes=(K, T, B, D, H), dtype=torch.float64, seed=1):
    K, T, B, D, H = sizes
    cell, generator = CELLS[kind], torch.Generator().manual_seed(seed)

    def draw(*shape):
        return torch.randn(*shape, generator=generator, dtype=dtype).mul_(0.6).requires_grad_()

    G = len(cell.gates)
    return {
        "x": draw(T, B, D) if shared else draw(K, T, B, D),
        "w_in": draw(K, D, (G - exclusive) * H),
        "w_rec": draw(K, H, (G - cell.peephole) * H),
        "bias": draw(K, G * H),
        "skip": draw(K, T, B, H) if cell.has_skip else None,
        "w_skip": draw(K, H, H) if exclusive else None,
        "h_0": draw(K, B, H),
        "c_0": draw(K, B, H),
        "w_peep": draw(K, 2, H) if cell.peephole else None,
    }


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("kind", "exclusive", "sigmoid"), VARIANTS)
def test_bf16_products_are_those_of_the_rounded_factors(kind, exclusive, sigmoid, shared):
    """Against float64: all results and gradients within some roundings of bf16, and none equal to float32's."""
    exact = make_inputs(kind, exclusive, shared)
    tensors = {name: None if value is None else value.detach().float() for name, value in exact.items()}
    rounded = {name: None if value is None else value.requires_grad_() for name, value in tensors.items()}
    found = []
    for values, precision in ((exact, "float32"), (rounded, "bf16")):
        wanted = [value for value in values.values() if value is not None]
        with products_in(precision, torch.device("cpu")):
            h, c = run_layer(CELLS[kind], **values, sigmoid_skip=sigmoid)
            with torch.no_grad():
                assert torch.equal(run_layer(CELLS[kind], **values, sigmoid_skip=sigmoid)[0], h)
        found.append([h, c, *torch.autograd.grad((h * h).sum() + c.sum(), wanted)])
    for expected, value in zip(*found, strict=True):
        assert value.dtype == torch.float32
        error, size = (value.double() - expected).norm(), expected.norm()
        assert 1e-6 * size < error < 0.02 * size or error == size == 0  # c_0 without a forget gate


@pytest.mark.parametrize(("kind", "exclusive", "sigmoid"), VARIANTS)
@pytest.mark.parametrize("bias", [True, False])
@torch.no_grad()
def test_products_made_before_take_the_place_of_the_input(kind, exclusive, sigmoid, bias):
    tensors = make_inputs(kind, exclusive)
    tensors["bias"] = tensors["bias"] if bias else None
    expected = run_layer(CELLS[kind], **tensors, sigmoid_skip=sigmoid)
    products = tensors["x"] @ tensors["w_in"][:, None]
    for given, tolerance in ((products, 1e-12), (products.float(), 1e-5)):
        found = run_layer(CELLS[kind], **{**tensors, "w_in": None, "x": given}, sigmoid_skip=sigmoid)
        for one, other in zip(expected, found, strict=True):
            torch.testing.assert_close(other, one, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("kind", "exclusive", "sigmoid"), VARIANTS)
def test_sweep_equals_plain_loops(kind, exclusive, sigmoid, shared):
    tensors = make_inputs(kind, exclusive, shared)
    h, c = run_layer(CELLS[kind], **tensors, sigmoid_skip=sigmoid)
    with torch.no_grad():
        h_inference, c_inference = run_layer(CELLS[kind], **tensors, sigmoid_skip=sigmoid)
    assert torch.equal(h, h_inference) and torch.equal(c, c_inference)
    arrays = {name: None if value is None else value.detach().numpy() for name, value in tensors.items()}
    gates = CELLS[kind].gates
    in_gates = gates.replace("g", "") if exclusive else gates
    for k in range(K):
        w = {gate: arrays["w_in"][k][:, n * H : (n + 1) * H] for n, gate in enumerate(in_gates)}
        rec_gates = gates.replace("g", "") if CELLS[kind].peephole else gates
        u = {gate: arrays["w_rec"][k][:, n * H : (n + 1) * H] for n, gate in enumerate(rec_gates)}
        bias = {gate: arrays["bias"][k][n * H : (n + 1) * H] for n, gate in enumerate(gates)}
        for b in range(B):
            expected_h, expected_c = run_cell(
                kind,
                arrays["x"][:, b] if shared else arrays["x"][k, :, b],
                w,
                u,
                bias,
                None if arrays["skip"] is None else arrays["skip"][k, :, b],
                None if arrays["w_skip"] is None else arrays["w_skip"][k],
                "sigmoid" if sigmoid else "identity",
                arrays["h_0"][k, b],
                arrays["c_0"][k, b],
                None if arrays["w_peep"] is None else arrays["w_peep"][k],
            )
            np.testing.assert_allclose(h[k, :, b].detach().numpy(), expected_h, rtol=1e-9)
            np.testing.assert_allclose(c[k, :, b].detach().numpy(), expected_c, rtol=1e-9)


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize(("kind", "exclusive", "sigmoid"), VARIANTS)
def test_backward_equals_numerical_gradient(kind, exclusive, sigmoid, shared):
    tensors = make_inputs(kind, exclusive, shared, (2, 3, 2, 3, 2))
    tensors = {name: value for name, value in tensors.items() if value is not None}

    def run(*values):
        return run_layer(CELLS[kind], **dict(zip(tensors, values, strict=True)), sigmoid_skip=sigmoid)

    assert gradcheck(run, tuple(tensors.values()), fast_mode=False)


def test_gradient_of_outputs_alone_and_without_optional_inputs():
    tensors = make_inputs("output-gated", sizes=(1, 4, 2, 3, 2))
    names = ("x", "w_in", "w_rec", "skip")

    def run(*values):
        return run_layer(CELLS["output-gated"], **dict(zip(names, values, strict=True)))[0]

    assert gradcheck(run, tuple(tensors[name] for name in names))


def test_plain_cell_equals_torch_lstm():
    lstm = torch.nn.LSTM(D, H, bidirectional=True).double()
    order = [2, 0, 1, 3]  # torch keeps i, f, s, o; the sweep keeps s, i, f, o

    def stack(name):
        values = [getattr(lstm, name + suffix) for suffix in ("_l0", "_l0_reverse")]
        return torch.stack([value.view(4, H, -1)[order].reshape(4 * H, -1) for value in values])

    x = torch.randn(T, B, D, dtype=torch.float64)
    w_in, w_rec = (stack(name).transpose(1, 2).detach().clone().requires_grad_() for name in ("weight_ih", "weight_hh"))
    bias = (stack("bias_ih") + stack("bias_hh")).squeeze(-1).detach()
    h, _ = run_layer(CELLS["none"], torch.stack((x, x.flip(0))), w_in, w_rec, bias)
    expected, _ = lstm(x)
    torch.testing.assert_close(torch.cat((h[0], h[1].flip(0)), -1), expected)
    weights = torch.randn_like(expected)
    (torch.cat((h[0], h[1].flip(0)), -1) * weights).sum().backward()
    (expected * weights).sum().backward()
    torch.testing.assert_close(w_rec.grad, stack_gradients(lstm, "weight_hh", order))
    torch.testing.assert_close(w_in.grad, stack_gradients(lstm, "weight_ih", order))


def stack_gradients(lstm, name, order):
    grads = [getattr(lstm, name + suffix).grad for suffix in ("_l0", "_l0_reverse")]
    return torch.stack([grad.view(4, H, -1)[order].reshape(4 * H, -1).T for grad in grads])


@pytest.mark.parametrize(
    ("kind", "ungated"), [("internal-gated", "internal"), ("output-gated", "output"), ("shortcut-gated", "shortcut")]
)
def test_drawn_gates_and_their_straight_through_gradient(kind, ungated):
    cell, tensors = CELLS[kind], make_inputs(kind)
    columns = torch.arange(len(cell.gates) * H).view(-1, H)
    n = cell.gates.index("g")
    others = torch.cat((columns[:n], columns[n + 1 :])).flatten()
    with torch.no_grad():
        tensors["w_rec"][:, :, columns[n]] = 0  # so that the gates are known without the sweep
    draws = torch.rand(K, T, B, H, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    found = run_layer(cell, **tensors, draws=draws)
    gates = (tensors["x"].reshape(K, T * B, D) @ tensors["w_in"] + tensors["bias"][:, None])[:, :, columns[n]]
    gates = gates.sigmoid().view(K, T, B, H)
    straight_through = (draws < gates).double() + gates - gates.detach()
    assert 0.2 < straight_through.mean() < 0.8
    given = {name: tensors[name][..., others] for name in ("w_in", "w_rec", "bias")}
    expected = run_layer(CELLS[ungated], **{**tensors, **given, "skip": tensors["skip"] * straight_through})
    torch.testing.assert_close(found, expected)
    names = ("x", "skip", "w_in", "bias")
    gradients = [
        torch.autograd.grad((h.square() + c).sum(), [tensors[name] for name in names]) for h, c in (found, expected)
    ]
    torch.testing.assert_close(*gradients)


def test_mean_over_draws_is_the_gate():
    cell, tensors = CELLS["shortcut-gated"], make_inputs("shortcut-gated", sizes=(1, 1, 1, 2, 3))
    copies = 40_000
    many = {name: tensors[name].expand(1, 1, copies, -1) for name in ("x", "skip")}
    states = {name: tensors[name].expand(1, copies, -1) for name in ("h_0", "c_0")}
    with torch.no_grad():
        _, c = run_layer(cell, **{**tensors, **many, **states}, draws=torch.rand(1, 1, copies, 3, dtype=torch.float64))
        _, expected = run_layer(cell, **tensors)
    torch.testing.assert_close(c.mean(2), expected[:, :, 0], atol=0.02, rtol=0)


def test_final_states_continue_the_sweep():
    tensors = make_inputs("output-gated")
    cell = CELLS["output-gated"]
    h, c = run_layer(cell, **tensors)
    first = {**tensors, "x": tensors["x"][:, :2], "skip": tensors["skip"][:, :2]}
    h_a, c_a = run_layer(cell, **first)
    rest = {**tensors, "x": tensors["x"][:, 2:], "skip": tensors["skip"][:, 2:], "h_0": h_a[:, -1], "c_0": c_a[:, -1]}
    h_b, c_b = run_layer(cell, **rest)
    torch.testing.assert_close(torch.cat((h_a, h_b), 1), h)
    torch.testing.assert_close(torch.cat((c_a, c_b), 1), c)


def test_reverse_padded_reverses_inside_each_length():
    x = torch.arange(8.0).view(4, 2, 1)
    reversed_x = reverse_padded(x, torch.tensor([4, 2]))
    assert reversed_x[:, 0, 0].tolist() == [6, 4, 2, 0]
    assert reversed_x[:, 1, 0].tolist() == [3, 1, 5, 7]
    assert torch.equal(reverse_padded(reversed_x, torch.tensor([4, 2])), x)


def exchange_by_words(h, lengths):
    """What each direction of a joined layer reads at its step t: both directions' outputs of one word."""
    _, T, B, _ = h.shape
    found = [[], []]
    for t in range(T):
        for b in range(B):
            back = lengths[b] - 1 - t if t < lengths[b] else t  # the step at which the other direction reads this word
            found[0].append(torch.cat((h[0, t, b], h[1, back, b])))
            found[1].append(torch.cat((h[0, back, b], h[1, t, b])))
    return torch.stack([torch.stack(words) for words in found]).view(2, T, B, -1)


@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.bfloat16])
def test_exchanged_directions_are_those_of_each_word_and_so_are_their_gradients(kind):
    generator, lengths = torch.Generator().manual_seed(1), torch.tensor([5, 1, 3])
    whole = torch.randn(2, 6, 3, 4, generator=generator, dtype=torch.float64).requires_grad_()
    weights = torch.randn(2, 5, 3, 8, generator=generator, dtype=torch.float64).to(kind)
    found = exchange_directions(whole[:, 1:], lengths, kind)
    assert found.dtype == kind
    assert torch.equal(found, exchange_by_words(whole[:, 1:], lengths).to(kind))
    (grad,) = torch.autograd.grad((found * weights).sum(), whole)
    (wanted,) = torch.autograd.grad((exchange_by_words(whole[:, 1:], lengths) * weights.double()).sum(), whole)
    torch.testing.assert_close(grad, wanted)


def test_the_gradient_of_reversed_sentences_is_reversed():
    x = torch.randn(5, 3, 2, dtype=torch.float64, requires_grad=True)
    assert gradcheck(lambda x: reverse_padded(x, torch.tensor([5, 1, 3])), x)


def make_plain_layer(bias=True):
    layer = RecurrentLayer(PLAIN, D, H, bias).eval()
    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for weight in layer.parameters():
            weight.copy_(torch.randn(weight.shape, generator=generator) / 2)
    return layer, torch.randn(K, T, B, D, generator=generator)


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch without oneDNN")
@pytest.mark.parametrize("bias", [True, False])
@torch.no_grad()
def test_the_fused_layer_computes_what_the_sweep_does(bias):
    layer, x = make_plain_layer(bias)
    assert fits_fused(PLAIN, x)
    assert not any(fits_fused(cell, x) for name, cell in CELLS.items() if name != "none")
    weights = fuse_weights(layer.w_in, layer.w_rec, layer.bias, torch.float32)
    torch.testing.assert_close(run_fused(x, weights), layer(x)[0], rtol=1e-5, atol=1e-6)


@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch without oneDNN")
def test_bf16_predictions_are_fused_and_follow_the_weights():
    layer, x = make_plain_layer()
    with torch.no_grad(), products_in("bf16", x.device):
        exact = layer(x)[0]
        found = layer.predict(x, None)
        assert found.dtype == torch.float32
        assert layer._fused
        torch.testing.assert_close(found, exact, rtol=0, atol=0.03)
        layer.w_in.mul_(-1)
        torch.testing.assert_close(layer.predict(x, None), layer(x)[0], rtol=0, atol=0.03)
        assert not torch.allclose(layer.predict(x, None), found, atol=0.1)
    with products_in("bf16", x.device):  # gradients need the sweep
        layer.predict(x, None).sum().backward()
    assert layer.w_in.grad is not None
    with torch.no_grad():
        assert torch.equal(layer.predict(x, None), layer(x)[0])  # and in float32 it is as exact


def test_second_derivative_is_refused():
    tensors = make_inputs("none")
    h, _ = run_layer(CELLS["none"], **tensors)
    with pytest.raises(RuntimeError, match="no second derivative"):
        torch.autograd.grad(h.sum(), tensors["x"], create_graph=True)


def test_backward_can_run_twice_and_repeats_itself():
    tensors = make_inputs("internal-gated")
    h, c = run_layer(CELLS["internal-gated"], **tensors)
    loss = (h * c).sum()
    first = torch.autograd.grad(loss, tensors["w_rec"], retain_graph=True)[0]
    assert torch.equal(first, torch.autograd.grad(loss, tensors["w_rec"])[0])


def test_skip_must_fit_the_cell():
    tensors = make_inputs("output")
    with pytest.raises(ValueError, match="has no skip"):
        run_layer(CELLS["none"], **tensors)
    with pytest.raises(ValueError, match="needs skip"):
        run_layer(CELLS["output"], **{**tensors, "skip": None})
    with pytest.raises(ValueError, match="w_skip"):
        run_layer(CELLS["output"], **{**tensors, "w_skip": tensors["w_rec"]})


@pytest.mark.gpu
@pytest.mark.parametrize(("kind", "exclusive", "sigmoid"), VARIANTS)
def test_gpu_equals_cpu(kind, exclusive, sigmoid):
    if not torch.cuda.is_available():
        pytest.skip("no CUDA GPU")
    tensors = {name: value for name, value in make_inputs(kind, exclusive).items() if value is not None}
    results = []
    for device in ("cpu", "cuda"):
        moved = {name: value.detach().to(device).requires_grad_() for name, value in tensors.items()}
        h, c = run_layer(CELLS[kind], **moved, sigmoid_skip=sigmoid)
        (h.square() + c).sum().backward()
        results.append([h.cpu(), c.cpu(), *(value.grad.cpu() for value in moved.values() if value.grad is not None)])
    torch.testing.assert_close(*results)
