"""One LSTM-like layer over all time steps and K directions at once: inputs and weights in, cell outputs and states out.

The cell is that of Wu, Zhang & Zong 2016 (and, without a forget gate, of Wu et al. 2017); `x * y` is element-wise, h' and c' are
those of step t-1, and v is what comes over the skip connection:

    s, i, f, o, g = tanh, sigm, sigm, sigm, sigm (x W_in + h' W_rec + b [+ v where the skip goes to the gates])
    c = s * i [+ f * c'] [+ v or g * v where the skip goes to the internal state]
    h = o * tanh(c)      [+ v or g * v where the skip goes to the cell output]

The backward pass is written by hand. Everything that does not depend on the step before is done for all steps at once: the input
projection and all weight gradients (one product each) and the local derivatives of the gates. What is left in the loop are one
matrix product and a handful of in-place operations a step, on buffers that are laid out beforehand.
"""

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

_sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
_tanh_backward = torch.ops.aten.tanh_backward.grad_input


@dataclass(frozen=True)
class Cell:
    """The gates of a cell, and where its skip connection ends.

    gates: one letter a block of H columns in the weights, in their order there: s the new content, i input gate, f forget gate, o
    output gate, g skip gate. s comes first, and gates whose gradient comes through c stand before those whose gradient comes
    through h, so that one call serves each group.
    """

    gates: str = "sifo"
    to_gates: bool = False
    to_state: bool = False
    to_output: bool = False

    @property
    def has_skip(self) -> bool:
        return self.to_gates or self.to_state or self.to_output


CELLS = {
    "none": Cell(),  # eq. 9, Wu 2016
    "gates": Cell(to_gates=True),  # eq. 10
    "internal": Cell(to_state=True),  # eq. 11-12
    "internal-gated": Cell("sifgo", to_state=True),  # "similar" to eq. 15
    "output": Cell(to_output=True),  # eq. 13-14
    "output-gated": Cell("sifog", to_output=True),  # eq. 15
    "shortcut": Cell("sio", to_state=True, to_output=True),  # Wu 2017, the gate's product g * v given from outside
    "shortcut-gated": Cell("siog", to_state=True, to_output=True),  # Wu 2017, non-linear gate
}


def run_layer(
    cell: Cell,
    x: Tensor,
    w_in: Tensor,
    w_rec: Tensor,
    bias: Tensor | None = None,
    skip: Tensor | None = None,
    w_skip: Tensor | None = None,
    sigmoid_skip: bool = False,
    h_0: Tensor | None = None,
    c_0: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Runs one layer and returns its cell outputs and internal states, (h: float[K, T, B, H], c: float[K, T, B, H]).

    x: float[K, T, B, D], or float[T, B, D] where all K directions read the same input; w_in: float[K, D, G*H]; w_rec:
    float[K, H, G*H]; bias: float[K, G*H]; skip: float[K, T, B, H]; h_0, c_0: float[K, B, H], zeros if absent. G is the number of
    letters in cell.gates. Every direction runs from t = 0 upwards: the caller reverses the input of the backward one (reverse_padded).
    w_skip: float[K, H, H]: the exclusive gate of section 6.1.4, Wu 2016; the skip gate then reads skip instead of x, and w_in has
    one block less (cell.gates without g). sigmoid_skip: v = sigm(skip) instead of v = skip, same section.
    The final states are h[:, -1] and c[:, -1]. Without gradients nothing is kept for the backward pass. 
    Raises ValueError where the cell and the skip do not fit together; a backward pass with create_graph=True raises RuntimeError.
    """
    if cell.has_skip != (skip is not None):
        raise ValueError(f"this cell {'needs' if cell.has_skip else 'has no'} skip connection")
    if w_skip is not None and "g" not in cell.gates:
        raise ValueError("only a cell with a skip gate takes w_skip")
    tensors = (x, w_in, w_rec, bias, skip, w_skip, h_0, c_0)
    if torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors):
        return _Sweep.apply(cell, sigmoid_skip, *tensors)
    h, c, *_ = _run_forward(cell, sigmoid_skip, *tensors, keep=False)
    return h[:, 1:], c[:, 1:]


def reverse_padded(x: Tensor, lengths: Tensor) -> Tensor:
    """Reverses each sentence inside its own length; padding stays at the end. Its own inverse.

    x: float[T, B, D]; lengths: int64[B]. A sweep over the result is the backward direction and needs no mask: padding comes after
    the last word, so that it never reaches a word.
    """
    steps = torch.arange(x.shape[0], device=x.device)[:, None]  # int64[T, 1]
    source = torch.where(steps < lengths, lengths - 1 - steps, steps)  # int64[T, B]
    return x.gather(0, source[:, :, None].expand_as(x))


def _project_input(
    cell: Cell, x: Tensor, w_in: Tensor, bias: Tensor | None, skip: Tensor | None, w_skip: Tensor | None, sizes: tuple[int, ...]
) -> Tensor:
    """The part of all pre-activations that does not depend on h', float[K, T, B, G, H], as one product a direction."""
    K, T, B, H = sizes
    G = len(cell.gates)
    pre = w_in.new_empty(K, T * B, G * H)
    rows = x.reshape(-1, T * B, x.shape[-1]).expand(K, -1, -1)  # float[K, T*B, D]
    if w_skip is None:
        torch.bmm(rows, w_in, out=pre)
    else:  # section 6.1.4, Wu 2016: the skip gate reads h[l-2, t] where the others read h[l-1, t]
        g = cell.gates.index("g")
        blocks = pre.view(K, T * B, G, H)
        projected = torch.bmm(rows, w_in).view(K, T * B, G - 1, H)
        blocks[:, :, :g] = projected[:, :, :g]
        blocks[:, :, g + 1 :] = projected[:, :, g:]
        blocks[:, :, g] = torch.bmm(skip.reshape(K, T * B, H), w_skip)
    if bias is not None:
        pre.add_(bias[:, None])
    pre = pre.view(K, T, B, G, H)
    return pre.add_(skip.unsqueeze(3)) if cell.to_gates else pre  # eq. 10, Wu 2016


def _run_forward(
    cell: Cell,
    sigmoid_skip: bool,
    x: Tensor,
    w_in: Tensor,
    w_rec: Tensor,
    bias: Tensor | None,
    skip: Tensor | None,
    w_skip: Tensor | None,
    h_0: Tensor | None,
    c_0: Tensor | None,
    keep: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor | None]:
    """Returns (h: float[K, T+1, B, H] and c: float[K, T+1, B, H], both from the initial state on, the gates' values float[K, T, B, G, H],
    tanh(c): float[K, T, B, H] (only the last step unless keep), v)."""
    K, H = w_rec.shape[:2]
    T, B = x.shape[-3:-1]
    v = torch.sigmoid(skip) if sigmoid_skip else skip
    a = _project_input(cell, x, w_in, bias, v if cell.to_gates else skip, w_skip, (K, T, B, H))
    h, c = a.new_empty(K, T + 1, B, H), a.new_empty(K, T + 1, B, H)
    for states, initial in ((h, h_0), (c, c_0)):
        states[:, 0] = 0 if initial is None else initial
    gated, forgets = "g" in cell.gates, "f" in cell.gates
    add_to_state, add_to_output = cell.to_state and not gated, cell.to_output and not gated
    gate_state, gate_output = cell.to_state and gated, cell.to_output and gated
    if add_to_state:
        c[:, 1:] = v
    if add_to_output:
        h[:, 1:] = v
    tanh_c = a.new_empty(K, T if keep else 1, B, H)
    hs, cs = h.unbind(1), c.unbind(1)
    tanh_cs = tanh_c.unbind(1) if keep else tanh_c.unbind(1) * T
    vs = v.unbind(1) if gated else ()
    pre, sigmoids = a.flatten(3).unbind(1), a[:, :, :, 1:].flatten(3).unbind(1)
    gates = {name: a[:, :, :, n].unbind(1) for n, name in enumerate(cell.gates)}
    s, i, f, o, g = (gates.get(name, ()) for name in "sifog")
    for t in range(T):
        pre[t].baddbmm_(hs[t], w_rec)
        sigmoids[t].sigmoid_()
        s[t].tanh_()
        c_t, h_t = cs[t + 1], hs[t + 1]
        if add_to_state:
            c_t.addcmul_(s[t], i[t])  # eq. 11, Wu 2016
        else:
            torch.mul(s[t], i[t], out=c_t)  # eq. 9, 13, 15
        if forgets:
            c_t.addcmul_(f[t], cs[t])
        if gate_state:
            c_t.addcmul_(g[t], vs[t])
        torch.tanh(c_t, out=tanh_cs[t])
        if add_to_output:
            h_t.addcmul_(o[t], tanh_cs[t])  # eq. 14
        else:
            torch.mul(o[t], tanh_cs[t], out=h_t)  # eq. 9, 12, 15
        if gate_output:
            h_t.addcmul_(g[t], vs[t])
    return h, c, a, tanh_c, v


class _Sweep(torch.autograd.Function):
    """The whole layer as one autograd node."""

    @staticmethod
    def forward(ctx: Any, cell: Cell, sigmoid_skip: bool, *tensors: Tensor | None) -> tuple[Tensor, Tensor]:
        h, c, a, tanh_c, v = _run_forward(cell, sigmoid_skip, *tensors, keep=True)
        x, w_in, w_rec, bias, skip, w_skip, *_ = tensors
        ctx.cell, ctx.sigmoid_skip = cell, sigmoid_skip
        ctx.save_for_backward(x, w_in, w_rec, skip, w_skip, h, c, a, tanh_c, v)
        ctx.set_materialize_grads(False)
        return h[:, 1:], c[:, 1:]

    @staticmethod
    def backward(ctx: Any, grad_h: Tensor | None, grad_c: Tensor | None) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError("the recurrent sweep has no second derivative: call backward without create_graph=True")
        x, w_in, w_rec, skip, w_skip, h, c, a, tanh_c, v = ctx.saved_tensors
        cell, (K, T, B, G, H) = ctx.cell, a.shape
        _, _, x_wanted, _, _, bias_wanted, skip_wanted, _, h_0_wanted, c_0_wanted = ctx.needs_input_grad
        dh = torch.zeros_like(tanh_c) if grad_h is None else grad_h.clone(memory_format=torch.contiguous_format)
        da, dc, f = _run_backward(cell, dh, grad_c, w_rec, c, a, tanh_c, v)
        rows = da.view(K, T * B, G * H)
        d_w_rec = torch.bmm(h[:, :-1].reshape(K, T * B, H).transpose(1, 2), rows)
        d_bias = rows.sum(1) if bias_wanted else None
        d_h_0 = torch.bmm(da[:, 0].reshape(K, B, G * H), w_rec.transpose(1, 2)) if h_0_wanted else None
        d_c_0 = (dc[:, 0] * f[:, 0] if f is not None else torch.zeros_like(dc[:, 0])) if c_0_wanted else None
        d_skip = _compute_skip_gradient(cell, a, da, dc, dh) if skip_wanted else None
        if d_skip is not None and ctx.sigmoid_skip:
            d_skip = torch.ops.aten.sigmoid_backward(d_skip, v)
        d_w_skip = None
        if w_skip is not None:
            g = cell.gates.index("g")
            g_rows = da[:, :, :, g].reshape(K, T * B, H)
            d_w_skip = torch.bmm(skip.reshape(K, T * B, H).transpose(1, 2), g_rows)
            if d_skip is not None:
                d_skip = d_skip + torch.bmm(g_rows, w_skip.transpose(1, 2)).view(K, T, B, H)
            rows = torch.cat((da[:, :, :, :g], da[:, :, :, g + 1 :]), 3).view(K, T * B, -1)
        d_w_in = torch.bmm(x.reshape(-1, T * B, x.shape[-1]).expand(K, -1, -1).transpose(1, 2), rows)
        d_x = None
        if x_wanted:
            d_x = torch.bmm(rows, w_in.transpose(1, 2))
            d_x = (d_x.sum(0) if x.dim() == 3 else d_x).view_as(x)
        return None, None, d_x, d_w_in, d_w_rec, d_bias, d_skip, d_w_skip, d_h_0, d_c_0


def _run_backward(
    cell: Cell, dh: Tensor, grad_c: Tensor | None, w_rec: Tensor, c: Tensor, a: Tensor, tanh_c: Tensor, v: Tensor | None
) -> tuple[Tensor, Tensor, Tensor | None]:
    """Returns the gradients of the pre-activations, float[K, T, B, G, H], and of c, float[K, T, B, H]; and f. Completes dh in place.

    da and dc start as the local derivatives (of c and h by the pre-activations, of h by c), and are multiplied by what comes from
    above when the loop reaches their step.
    """
    T = dh.shape[1]
    gates = {name: a[:, :, :, n] for n, name in enumerate(cell.gates)}
    da, dc = torch.empty_like(a), torch.empty_like(tanh_c)
    d = {name: da[:, :, :, n] for n, name in enumerate(cell.gates)}
    _tanh_backward(gates["i"], gates["s"], grad_input=d["s"])
    _sigmoid_backward(gates["s"], gates["i"], grad_input=d["i"])
    _sigmoid_backward(tanh_c, gates["o"], grad_input=d["o"])
    if "f" in gates:
        _sigmoid_backward(c[:, :-1], gates["f"], grad_input=d["f"])
    if "g" in gates:
        _sigmoid_backward(v, gates["g"], grad_input=d["g"])
    _tanh_backward(gates["o"], tanh_c, grad_input=dc)
    through_both = "g" in gates and cell.to_state and cell.to_output
    n = cell.gates.index("o")  # the gates before it act on c, those from it on act on h (and, in the shortcut cell, g on both)
    by_c, by_h = da[:, :, :, :n].unbind(1), da[:, :, :, n : n + 1 if through_both else None].unbind(1)
    by_both = d["g"].unbind(1) if through_both else ()
    dhs, dcs, das = dh.unbind(1), dc.unbind(1), da.flatten(3).unbind(1)
    wide_dhs, wide_dcs = dh.unsqueeze(3).unbind(1), dc.unsqueeze(3).unbind(1)
    fs = gates["f"].unbind(1) if "f" in gates else ()
    grad_cs = () if grad_c is None else grad_c.unbind(1)
    w_back = w_rec.transpose(1, 2)
    for t in range(T - 1, -1, -1):
        dcs[t].mul_(dhs[t])
        if fs and t < T - 1:
            dcs[t].addcmul_(dcs[t + 1], fs[t + 1])
        if grad_cs:
            dcs[t].add_(grad_cs[t])
        by_c[t].mul_(wide_dcs[t])
        by_h[t].mul_(wide_dhs[t])
        if by_both:
            by_both[t].mul_(dhs[t] + dcs[t])
        if t:
            dhs[t - 1].baddbmm_(das[t], w_back)
    return da, dc, gates.get("f")


def _compute_skip_gradient(cell: Cell, a: Tensor, da: Tensor, dc: Tensor, dh: Tensor) -> Tensor:
    """The gradient of v, float[K, T, B, H]."""
    if cell.to_gates:
        return da.sum(3)
    if cell.to_state and cell.to_output:
        d_v = dc + dh
    else:
        d_v = dc if cell.to_state else dh
    return d_v * a[:, :, :, cell.gates.index("g")] if "g" in cell.gates else d_v
