"""One LSTM-like layer over all time steps and K directions at once: input and weights in, cell outputs and states out.

The cell is that of Wu, Zhang & Zong 2016 (and, without a forget gate, of Wu et al. 2017); `x * y` is element-wise, h'
and c' are those of step t-1, and v is what comes over the skip connection:

    s, i, f, o, g = tanh, sigm, sigm, sigm, sigm (x W_in + h' W_rec + b [+ v where the skip goes to the gates])
    c = s * i [+ f * c'] [+ v or g * v where the skip goes to the internal state]
    h = o * tanh(c)      [+ v or g * v where the skip goes to the cell output]

In the highway cell of Zhang et al. 2016, v is c[l-1,t] and g = sigm(x W_in + w_peep_0 * c' + w_peep_1 * v + b).

The layer is one autograd node with a backward pass written by hand. Whatever does not depend on the step before is done
for all steps at once: the input projection and each weight gradient are one product. steps.py holds the two loops that
remain. Inside `products_in("bf16", ...)` the factors of all products are rounded to bf16; gates, states and what is
summed over steps keep the type of the weights.
"""

from typing import Any

import torch
from torch import Tensor

from nntag.tagging.encoders.kernels.cells import Cell
from nntag.tagging.encoders.kernels.steps import cut_gates, run_backward_steps, run_forward_steps
from nntag.training.precision import even_rows, product_type


def run_layer(
    cell: Cell,
    x: Tensor,
    w_in: Tensor | None,
    w_rec: Tensor,
    bias: Tensor | None = None,
    skip: Tensor | None = None,
    w_skip: Tensor | None = None,
    sigmoid_skip: bool = False,
    h_0: Tensor | None = None,
    c_0: Tensor | None = None,
    w_peep: Tensor | None = None,
    draws: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Runs one layer and returns its cell outputs and internal states, (h: float[K, T, B, H], c: float[K, T, B, H]).

    x: float[K, T, B, D], or float[T, B, D] where all K directions read the same input; w_in: float[K, D, G*H]; w_rec:
    float[K, H, G*H]; bias: float[K, G*H]; skip: float[K, T, B, H]; h_0, c_0: float[K, B, H], zeros if absent. G is the
    number of letters in cell.gates. Every direction runs from t = 0 upwards: the caller reverses what the backward one
    reads (directions.py). The final states are h[:, -1] and c[:, -1].
    w_in None: x is x W_in already, float[K, T, B, G*H], of any type, which may be overwritten; for prediction alone.
    w_skip: float[K, H, H]: the exclusive gate of section 6.1.4, Wu 2016: the skip gate reads skip instead of x, and
    w_in has one block less (cell.gates without g). sigmoid_skip: v = sigm(skip) instead of v = skip, same section.
    w_peep: float[K, 2, H], for the highway cell alone, whose w_rec has no block for g. draws: float[K, T, B, H],
    uniform in [0, 1): the skip gate becomes a draw, 1 where draws < g, and 0 elsewhere; its gradient goes straight
    through to g, as if the draw were g.
    Where no gradient is wanted, nothing is kept for the backward pass.
    Raises ValueError where the cell and the skip do not fit together, and RuntimeError on backward with
    create_graph=True.
    """
    if cell.has_skip != (skip is not None):
        raise ValueError(f"this cell {'needs' if cell.has_skip else 'has no'} skip connection")
    if (w_skip is not None or draws is not None) and ("g" not in cell.gates or cell.peephole):
        raise ValueError("only a cell with a skip gate and without peepholes takes w_skip or draws")
    if cell.peephole != (w_peep is not None):
        raise ValueError(f"this cell {'needs' if cell.peephole else 'has no'} peepholes")
    state, factor = w_rec.dtype, product_type(w_rec)  # types of what is kept and of what is multiplied
    skip, w_skip = skip if skip is None else skip.to(state), w_skip if w_skip is None else w_skip.to(factor)
    x, w_in = (x, None) if w_in is None else (x.to(factor), w_in.to(factor))
    tensors = (x, w_in, w_rec.to(factor), bias, skip, w_skip, h_0, c_0, w_peep, draws)
    if torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors):
        if w_in is None:
            raise ValueError("an input that is multiplied already is for prediction: run it under torch.no_grad()")
        return _Sweep.apply(cell, sigmoid_skip, state, *tensors)
    h, c, *_ = _run_forward(cell, sigmoid_skip, False, state, *tensors)
    return h[:, 1:], c[:, 1:]


def _flatten_rows(x: Tensor, K: int) -> Tensor:
    """float[K, N, D] out of float[K, T, B, D] or float[T, B, D]; N is T*B, in bf16 `even_rows` of them."""
    return even_rows(x.reshape(-1, x.shape[-3] * x.shape[-2], x.shape[-1])).expand(K, -1, -1)


def _project_input(
    cell: Cell,
    state: torch.dtype,
    x: Tensor,
    w_in: Tensor | None,
    bias: Tensor | None,
    skip: Tensor | None,
    w_skip: Tensor | None,
    K: int,
    H: int,
) -> Tensor:
    """The part of the pre-activations that does not depend on h', float[K, T, B, G, H]: one product for all steps."""
    G = len(cell.gates)
    T, B = x.shape[-3:-1]
    pre = x if w_in is None else torch.bmm(_flatten_rows(x, K), w_in)[:, : T * B]  # [K, T*B, D] -> [K, T*B, G*H]
    pre = pre.view(K, T, B, -1, H)  # G-1 blocks where g does not read x
    if skip is not None and w_skip is not None:  # section 6.1.4, Wu 2016: g reads h[l-2,t], not h[l-1,t]
        g = cell.gates.index("g")
        from_skip = torch.bmm(_flatten_rows(skip.to(w_skip.dtype), K), w_skip)[:, : T * B].view(K, T, B, 1, H)
        pre = torch.cat((pre[:, :, :, :g], from_skip, pre[:, :, :, g:]), 3)
    pre = pre.to(state)
    if bias is not None:
        pre.add_(bias.view(K, 1, 1, G, H))
    return pre


def _run_forward(
    cell: Cell,
    sigmoid_skip: bool,
    keep: bool,
    state: torch.dtype,
    x: Tensor,
    w_in: Tensor | None,
    w_rec: Tensor,
    bias: Tensor | None,
    skip: Tensor | None,
    w_skip: Tensor | None,
    h_0: Tensor | None,
    c_0: Tensor | None,
    w_peep: Tensor | None,
    draws: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor | None, Tensor | None]:
    """Returns h and c from the initial state on (float[K, T+1, B, H]), the gates a, tanh(c), v and the drawn gates.

    Unless keep, tanh(c) holds the last step alone.
    """
    K, H = w_rec.shape[:2]
    T, B = x.shape[-3:-1]
    v = torch.sigmoid(skip) if skip is not None and sigmoid_skip else skip
    by_step = w_in is None and v is None  # a holds one step, made from x when its turn comes
    if by_step:
        a = x.new_empty(K, 1, B, len(cell.gates), H, dtype=state)
    else:
        a = _project_input(cell, state, x, w_in, bias, skip, w_skip, K, H)
    if v is not None and cell.to_gates:
        a.add_(v.unsqueeze(3))  # eq. 10, Wu 2016
    # The buffers of the states; a skip that is added without a gate is there before the loop starts.
    h, c = a.new_empty(K, T + 1, B, H), a.new_empty(K, T + 1, B, H)
    h[:, 0] = 0 if h_0 is None else h_0
    c[:, 0] = 0 if c_0 is None else c_0
    if v is not None and "g" not in cell.gates:
        if cell.to_state:
            c[:, 1:] = v
        if cell.to_output:
            h[:, 1:] = v
    tanh_c = a.new_empty(K, T if keep else 1, B, H)
    if v is not None and w_peep is not None:
        cut_gates(cell, a)["g"].addcmul_(w_peep[:, 1, None, None], v)  # w_ld * c[l-1,t], Zhang 2016
    drawn = None if draws is None else draws.clone()
    first = (x, bias) if by_step else None
    run_forward_steps(cell, a, h, c, tanh_c, v, w_rec, None if w_peep is None else w_peep[:, :1], drawn, first)
    return h, c, a, tanh_c, v, drawn


class _Sweep(torch.autograd.Function):
    """The whole layer as one autograd node."""

    @staticmethod
    def forward(ctx: Any, cell: Cell, sigmoid_skip: bool, state: torch.dtype, *tensors: Any) -> tuple[Tensor, Tensor]:
        h, c, a, tanh_c, v, drawn = _run_forward(cell, sigmoid_skip, True, state, *tensors)
        x, w_in, w_rec, _, skip, w_skip, _, _, w_peep, _ = tensors
        ctx.cell, ctx.sigmoid_skip = cell, sigmoid_skip
        ctx.save_for_backward(x, w_in, w_rec, skip, w_skip, w_peep, h, c, a, tanh_c, v, drawn)
        ctx.set_materialize_grads(False)
        return h[:, 1:], c[:, 1:]

    @staticmethod
    def backward(ctx: Any, grad_h: Tensor | None, grad_c: Tensor | None) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError("the recurrent sweep has no second derivative: call backward without create_graph=True")
        x, w_in, w_rec, skip, w_skip, w_peep, h, c, a, tanh_c, v, drawn = ctx.saved_tensors
        cell, (K, T, B, G, H) = ctx.cell, a.shape
        x_wanted, _, _, bias_wanted, skip_wanted, _, h_0_wanted, c_0_wanted, _, _ = ctx.needs_input_grad[3:]
        # Back through the time steps: da float[K, T, B, G, H], dc float[K, T, B, H].
        dh = torch.zeros_like(tanh_c) if grad_h is None else grad_h.clone(memory_format=torch.contiguous_format)
        w_peep_own = None if w_peep is None else w_peep[:, :1]
        da, dc = run_backward_steps(cell, a, c, tanh_c, v, w_rec, w_peep_own, dh, grad_c)
        # What goes round the loop: recurrent weights, biases, initial states.
        factor = w_rec.dtype
        d, rows = cut_gates(cell, da), da.view(K, T * B, G * H)
        d_bias = rows.sum(1) if bias_wanted else None
        rows = even_rows(rows.to(factor))  # as those of `_flatten_rows`
        rec_rows = rows[..., : w_rec.shape[2]]  # without g where it has peepholes
        d_w_rec = torch.bmm(_flatten_rows(h[:, :-1].to(factor), K).transpose(1, 2), rec_rows)
        d_h_0 = torch.bmm(rec_rows[:, :B], w_rec.transpose(1, 2)) if h_0_wanted else None
        d_c_0 = None
        if c_0_wanted:
            d_c_0 = dc[:, 0] * cut_gates(cell, a)["f"][:, 0] if "f" in cell.gates else torch.zeros_like(dc[:, 0])
            d_c_0 = d_c_0 if w_peep_own is None else d_c_0.addcmul_(d["g"][:, 0], w_peep_own)
        # The skip connection, and what only some cells have.
        d_skip: Any = None
        d_w_skip = d_w_peep = None
        if skip_wanted:
            d_skip = _compute_skip_gradient(cell, a, drawn, da, dc, dh, w_peep)
            d_skip = torch.ops.aten.sigmoid_backward(d_skip, v) if ctx.sigmoid_skip else d_skip
        if w_peep is not None:
            d_w_peep = torch.stack(((d["g"] * c[:, :-1]).sum((1, 2)), (d["g"] * v).sum((1, 2))), 1)
        if w_skip is not None:
            g, g_rows = cell.gates.index("g"), even_rows(d["g"].reshape(K, T * B, H).to(factor))
            d_w_skip = torch.bmm(_flatten_rows(skip.to(factor), K).transpose(1, 2), g_rows)
            d_skip = d_skip + torch.bmm(g_rows, w_skip.transpose(1, 2))[:, : T * B].view_as(dh) if skip_wanted else None
            rows = even_rows(torch.cat((da[:, :, :, :g], da[:, :, :, g + 1 :]), 3).view(K, T * B, -1).to(factor))
        # The input and its weights: one product each, as in the forward pass.
        d_w_in = torch.bmm(_flatten_rows(x, K).transpose(1, 2), rows)
        d_x = None
        if x_wanted:
            d_x = torch.bmm(rows, w_in.transpose(1, 2))[:, : T * B]
            d_x = (d_x.sum(0) if x.dim() == 3 else d_x).view_as(x)
        return None, None, None, d_x, d_w_in, d_w_rec, d_bias, d_skip, d_w_skip, d_h_0, d_c_0, d_w_peep, None


def _compute_skip_gradient(
    cell: Cell, a: Tensor, drawn: Tensor | None, da: Tensor, dc: Tensor, dh: Tensor, w_peep: Tensor | None
) -> Tensor:
    """The gradient of v, float[K, T, B, H]."""
    if cell.to_gates:
        return da.sum(3)
    d_v = dc + dh if cell.to_state and cell.to_output else dc if cell.to_state else dh
    if "g" not in cell.gates:
        return d_v
    d_v = d_v * (cut_gates(cell, a)["g"] if drawn is None else drawn)
    return d_v if w_peep is None else d_v.addcmul_(cut_gates(cell, da)["g"], w_peep[:, 1, None, None])
