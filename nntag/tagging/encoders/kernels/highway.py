"""One recurrent highway layer over all time steps and K directions at once: input and weights in, outputs out.

The layer of Zilly et al. 2016 with recurrence depth L and coupled gates; y' is the output of step t-1, and s_0 = y':

    h_1, t_1, o = tanh, sigm, sigm (x W_in + s_0 W_first + b_first)        o only with the output change of Wu 2016
    h_l, t_l    = tanh, sigm       (s_{l-1} W_deep[l] + b_deep[l])         l = 2 .. L
    s_l = h_l * t_l + s_{l-1} * (1 - t_l)
    y = s_L    or    y = o * tanh(s_L)

The layer is one autograd node with a backward pass written by hand, built like the one of sweep.py.
"""

from typing import Any

import torch
from torch import Tensor

from nntag.training.precision import products_in

_sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
_tanh_backward = torch.ops.aten.tanh_backward.grad_input


def run_highway_layer(
    x: Tensor, w_in: Tensor, w_first: Tensor, b_first: Tensor, w_deep: Tensor | None, b_deep: Tensor | None
) -> Tensor:
    """Runs one layer and returns its outputs y: float[K, T, B, H].

    x: float[K, T, B, D]; w_in: float[K, D, G*H]; w_first: float[K, H, G*H]; b_first: float[K, G*H], with the blocks h,
    t and, for the output gate, o: G = 3 with it and 2 without; w_deep: float[K, L-1, H, 2H] and b_deep: float[K, L-1,
    2H], blocks h and t, or None for L = 1. Every direction runs from t = 0 upwards, from y = 0.
    Where no gradient is wanted, nothing is kept for the backward pass. Raises RuntimeError on backward with
    create_graph=True.
    Products are in the type of the weights, also inside `products_in("bf16", ...)`.
    """
    with products_in("float32", x.device):
        return _run_layer(x.to(w_in.dtype), w_in, w_first, b_first, w_deep, b_deep)


def _run_layer(*tensors: Any) -> Tensor:
    if torch.is_grad_enabled() and any(tensor is not None and tensor.requires_grad for tensor in tensors):
        return _HighwaySweep.apply(*tensors)
    return _run_forward(False, *tensors)[0][:, 1:]


def _run_forward(
    keep: bool,
    x: Tensor,
    w_in: Tensor,
    w_first: Tensor,
    b_first: Tensor,
    w_deep: Tensor | None,
    b_deep: Tensor | None,
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Returns y: float[K, T+1, B, H] from the start on, s: float[K, L, T, B, H], and the gates.

    The gates are those of the first highway step, float[K, T, B, G, H], and of the others, float[K, L-1, T, B, 2, H].
    Unless keep, s and the latter hold the last time step alone.
    """
    (K, T, B, D), H = x.shape, w_first.shape[1]
    L = 1 if w_deep is None else 1 + w_deep.shape[1]
    first = torch.baddbmm(b_first[:, None], x.reshape(K, T * B, D), w_in).view(K, T, B, -1, H)
    kept = T if keep else 1
    y, s = first.new_empty(K, T + 1, B, H), first.new_empty(K, L, kept, B, H)
    deep = first.new_empty(K, L - 1, kept, B, 2, H)
    y[:, 0] = 0
    with torch.inference_mode():
        # Views of every step, cut once; those of what is not kept all show the same memory (`repeats`).
        ys, pre, repeats = y.unbind(1), first.flatten(3).unbind(1), T // kept  # float[K, B, H] and float[K, B, G*H]
        h, t, sigmoids = first[:, :, :, 0].unbind(1), first[:, :, :, 1].unbind(1), first[:, :, :, 1:].unbind(1)
        o = first[:, :, :, 2].unbind(1) if first.shape[3] == 3 else ()
        ss = [level.unbind(1) * repeats for level in s.unbind(1)]
        deep_pre = [level.flatten(3).unbind(1) * repeats for level in deep.unbind(1)]
        deep_h, deep_t = ([level[:, :, :, n].unbind(1) * repeats for level in deep.unbind(1)] for n in (0, 1))
        weights = () if w_deep is None else w_deep.unbind(1)
        biases = () if b_deep is None else b_deep.unsqueeze(2).unbind(1)
        for step in range(T):
            # The first highway step reads the input and the output of the time step before ...
            pre[step].baddbmm_(ys[step], w_first)
            h[step].tanh_()
            sigmoids[step].sigmoid_()
            torch.lerp(ys[step], h[step], t[step], out=ss[0][step])  # s_0 + t_1 * (h_1 - s_0): eq. 6, Zilly 2016
            # ... and the others read the state of the one below.
            for level in range(L - 1):
                torch.baddbmm(biases[level], ss[level][step], weights[level], out=deep_pre[level][step])
                deep_h[level][step].tanh_()  # eq. 7
                deep_t[level][step].sigmoid_()  # eq. 8
                torch.lerp(ss[level][step], deep_h[level][step], deep_t[level][step], out=ss[level + 1][step])
            if o:
                torch.mul(o[step], ss[-1][step].tanh(), out=ys[step + 1])  # footnote 2, Wu 2016
            else:
                ys[step + 1].copy_(ss[-1][step])
    return y, s, first, deep


class _HighwaySweep(torch.autograd.Function):
    """The whole layer as one autograd node."""

    @staticmethod
    def forward(ctx: Any, *tensors: Any) -> Tensor:
        y, s, first, deep = _run_forward(True, *tensors)
        ctx.save_for_backward(*tensors, y, s, first, deep)
        return y[:, 1:]

    @staticmethod
    def backward(ctx: Any, grad_y: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():
            raise RuntimeError("the highway sweep has no second derivative: call backward without create_graph=True")
        x, w_in, w_first, _, w_deep, _, y, s, first, deep = ctx.saved_tensors
        (K, T, B, D), H, L = x.shape, w_first.shape[1], s.shape[1]
        d_first, d_deep = _run_backward(grad_y, w_first, w_deep, y, s, first, deep)
        rows = d_first.view(K, T * B, -1)  # float[K, T*B, G*H]
        d_w_first = torch.bmm(y[:, :-1].reshape(K, T * B, H).transpose(1, 2), rows)
        d_w_in = torch.bmm(x.reshape(K, T * B, D).transpose(1, 2), rows)
        d_x = torch.bmm(rows, w_in.transpose(1, 2)).view_as(x) if ctx.needs_input_grad[0] else None
        d_w_deep = d_b_deep = None
        if w_deep is not None:
            deep_rows = d_deep.view(K, L - 1, T * B, 2 * H)
            d_w_deep = torch.matmul(s[:, :-1].reshape(K, L - 1, T * B, H).transpose(2, 3), deep_rows)
            d_b_deep = deep_rows.sum(2)
        return d_x, d_w_in, d_w_first, rows.sum(1), d_w_deep, d_b_deep


def _run_backward(
    grad_y: Tensor, w_first: Tensor, w_deep: Tensor | None, y: Tensor, s: Tensor, first: Tensor, deep: Tensor
) -> tuple[Tensor, Tensor]:
    """Returns the gradients of the pre-activations, in the shapes of first and deep.

    They start as the local derivatives, for all steps at once, and the loop multiplies them by what arrives at their
    step.
    """
    T, L = y.shape[1] - 1, s.shape[1]
    d_first, d_deep = torch.empty_like(first), torch.empty_like(deep)
    below = torch.cat((y[:, None, :-1], s[:, :-1]), 1)  # s_{l-1} of every level, float[K, L, T, B, H]
    # Local derivatives of all steps at once.
    gates, d_gates = [first, *deep.unbind(1)], [d_first, *d_deep.unbind(1)]  # L of float[K, T, B, G or 2, H]
    for level in range(L):
        h, t = gates[level][:, :, :, 0], gates[level][:, :, :, 1]
        _tanh_backward(t, h, grad_input=d_gates[level][:, :, :, 0])
        _sigmoid_backward(h - below[:, level], t, grad_input=d_gates[level][:, :, :, 1])
    dy = grad_y.clone(memory_format=torch.contiguous_format)
    ds = dy
    if first.shape[3] == 3:
        o, tanh_s = first[:, :, :, 2], s[:, -1].tanh()
        ds = torch.empty_like(dy)
        _sigmoid_backward(tanh_s, o, grad_input=d_first[:, :, :, 2])
        _tanh_backward(o, tanh_s, grad_input=ds)
    # From here on, what depends on the step after.
    weights = [w_first.transpose(1, 2)] + ([] if w_deep is None else list(w_deep.transpose(2, 3).unbind(1)))
    if dy.shape[2] > 1:  # as in steps.py, the copy pays from two sentences on
        weights = [weight.contiguous() for weight in weights]
    with torch.inference_mode():
        carries = [(1 - level[:, :, :, 1]).unbind(1) for level in gates]  # 1 - t_l, float[K, B, H]
        d_states = [level[:, :, :, :2].unbind(1) for level in d_gates]  # of h and t, float[K, B, 2, H]
        d_pre = [level.flatten(3).unbind(1) for level in d_gates]  # float[K, B, G*H or 2H]
        d_o = d_first[:, :, :, 2].unbind(1) if ds is not dy else ()
        dys, dss, wide_dss = dy.unbind(1), ds.unbind(1), ds.unsqueeze(3).unbind(1)
        for step in range(T - 1, -1, -1):
            if d_o:
                d_o[step].mul_(dys[step])
                dss[step].mul_(dys[step])
            for level in range(L - 1, 0, -1):
                d_states[level][step].mul_(wide_dss[step])
                dss[step].mul_(carries[level][step]).baddbmm_(d_pre[level][step], weights[level])
            d_states[0][step].mul_(wide_dss[step])
            if step:
                dys[step - 1].addcmul_(dss[step], carries[0][step]).baddbmm_(d_pre[0][step], weights[0])
    return d_first, d_deep
