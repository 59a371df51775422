"""The loops over time steps of the recurrent sweep: buffers in, the same buffers filled.

Both loops work in place on views that are cut beforehand, and run in inference mode: that alone takes a seventh off the
cost of a call, and calls are what a step at small batches consists of. Nothing made inside leaves them.
"""

from collections.abc import Callable

import torch
from torch import Tensor

from nntag.tagging.encoders.kernels.cells import Cell

_sigmoid_backward = torch.ops.aten.sigmoid_backward.grad_input
_tanh_backward = torch.ops.aten.tanh_backward.grad_input


def cut_gates(cell: Cell, a: Tensor) -> dict[str, Tensor]:
    """The block of each gate, {letter: float[K, T, B, H]}, out of a: float[K, T, B, G, H]."""
    return {name: a[:, :, :, n] for n, name in enumerate(cell.gates)}


def _add_products(factors: tuple[Tensor, ...], weight: Tensor) -> Callable[[Tensor, int], None]:
    """The function that adds factors[t] @ weight to a tensor, in place.

    factors: T of float[K, B, N]; weight: float[K, N, M]. Where the weight has fewer bits than they, they are rounded to
    its type, step by step, and what comes out of the product is added in theirs.
    """
    if weight.dtype == factors[0].dtype:

        def add_whole(target: Tensor, t: int) -> None:
            target.baddbmm_(factors[t], weight)

        return add_whole
    rounded = torch.empty_like(factors[0], dtype=weight.dtype)
    product = weight.new_empty(*rounded.shape[:2], weight.shape[2])
    wide = torch.empty_like(product, dtype=factors[0].dtype)

    def add(target: Tensor, t: int) -> None:
        torch.bmm(rounded.copy_(factors[t]), weight, out=product)
        target.add_(wide.copy_(product))  # torch's sum of two types takes three times as long as both

    return add


def run_forward_steps(
    cell: Cell,
    a: Tensor,
    h: Tensor,
    c: Tensor,
    tanh_c: Tensor,
    v: Tensor | None,
    w_rec: Tensor,
    w_peep: Tensor | None,
    drawn: Tensor | None,
    first: tuple[Tensor, Tensor | None] | None = None,
) -> None:
    """Turns the pre-activations a: float[K, T, B, G, H] into the values of the gates and fills h, c and tanh_c.

    h, c: float[K, T+1, B, H], with the initial state at 0 and, where an ungated skip ends there, v: float[K, T, B, H]
    at the rest; tanh_c: float[K, T, B, H], or float[K, 1, B, H] if only the last one is wanted. w_peep:
    float[K, 1, H]; drawn: float[K, T, B, H], uniform draws that become 1 where they are below g, and 0 elsewhere.

    With `first`, which is what each step starts from, float[K, T, B, G*H] of any type, and the bias, float[K, G*H], a
    is float[K, 1, B, G, H] and holds one step at a time, which stays in the cache.
    """
    T = h.shape[1] - 1
    gated, forgets = "g" in cell.gates, "f" in cell.gates
    add_to_state, gate_state = cell.to_state and not gated, cell.to_state and gated
    add_to_output, gate_output = cell.to_output and not gated, cell.to_output and gated
    with torch.inference_mode():
        # Views of every step, cut once: each name is T tensors, float[K, B, H] where nothing else is said.
        hs, cs, tanh_cs = h.unbind(1), c.unbind(1), tanh_c.unbind(1) * (T // tanh_c.shape[1])
        vs = v.unbind(1) if gated and v is not None else ()
        again = T // a.shape[1]
        pre = a.flatten(3)[..., : w_rec.shape[2]].unbind(1) * again  # float[K, B, G*H]
        sigmoids = a[:, :, :, 1:].flatten(3).unbind(1) * again  # float[K, B, (G-1)*H]: all gates but s
        gates = {name: value.unbind(1) * again for name, value in cut_gates(cell, a).items()}
        starts, bias = (first[0].unbind(1), first[1]) if first is not None else ((), None)
        wide_bias = None if bias is None else bias.unsqueeze(1)
        s, i, f, o, g = (gates.get(name, ()) for name in "sifog")
        switch = g if drawn is None else drawn.unbind(1)
        add_recurrent = _add_products(hs, w_rec)
        for t in range(T):
            c_t, h_t, tanh_c_t = cs[t + 1], hs[t + 1], tanh_cs[t]
            if starts:
                pre[t].copy_(starts[t])
                if wide_bias is not None:
                    pre[t].add_(wide_bias)
            add_recurrent(pre[t], t)  # the recurrent half of W [h[l-1,t]; h[l,t-1]], eq. 9, Wu 2016
            if w_peep is not None:
                g[t].addcmul_(w_peep, cs[t])  # w_cd * c', Zhang 2016
            sigmoids[t].sigmoid_()
            if drawn is not None:
                switch[t].lt_(g[t])
            s[t].tanh_()
            # The gates are complete: now the internal state ...
            if add_to_state:
                c_t.addcmul_(s[t], i[t])  # eq. 11
            else:
                torch.mul(s[t], i[t], out=c_t)  # eq. 9, 13, 15
            if forgets:
                c_t.addcmul_(f[t], cs[t])
            if gate_state:
                c_t.addcmul_(switch[t], vs[t])
            # ... and the cell output.
            torch.tanh(c_t, out=tanh_c_t)
            if add_to_output:
                h_t.addcmul_(o[t], tanh_c_t)  # eq. 14
            else:
                torch.mul(o[t], tanh_c_t, out=h_t)  # eq. 9, 12, 15
            if gate_output:
                h_t.addcmul_(switch[t], vs[t])


def run_backward_steps(
    cell: Cell,
    a: Tensor,
    c: Tensor,
    tanh_c: Tensor,
    v: Tensor | None,
    w_rec: Tensor,
    w_peep: Tensor | None,
    dh: Tensor,
    grad_c: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Returns the gradients of the pre-activations, da: float[K, T, B, G, H], and of the states, dc: float[K, T, B, H].

    dh: float[K, T, B, H] comes in as the gradient from the layers above and is completed in place by the steps to come;
    grad_c: the same for c. da and dc start as local derivatives (of c and h by the pre-activations, and of h by c), for
    all steps at once; the loop multiplies them by what arrives at their step.
    """
    T, B = dh.shape[1:3]
    da, dc = torch.empty_like(a), torch.empty_like(tanh_c)
    # Local derivatives of all steps at once.
    values, d = cut_gates(cell, a), cut_gates(cell, da)
    _tanh_backward(values["i"], values["s"], grad_input=d["s"])
    _sigmoid_backward(values["s"], values["i"], grad_input=d["i"])
    _sigmoid_backward(tanh_c, values["o"], grad_input=d["o"])
    _tanh_backward(values["o"], tanh_c, grad_input=dc)
    if "f" in values:
        _sigmoid_backward(c[:, :-1], values["f"], grad_input=d["f"])
    if "g" in values:
        _sigmoid_backward(v, values["g"], grad_input=d["g"])
    # From here on, what depends on the step after: gates before o get their gradient through c, o and later ones
    # through h.
    n = cell.gates.index("o")
    g_apart = cell.to_state and "g" in cell.gates[n:]  # the shortcut and the highway cell
    # A product with a transposed matrix is up to twice as slow; one sentence at a time does not earn the copy back.
    w_back = w_rec.transpose(1, 2) if B == 1 else w_rec.transpose(1, 2).contiguous()
    with torch.inference_mode():
        by_c = da[:, :, :, :n].unbind(1)  # T of float[K, B, n, H]
        by_h = da[:, :, :, n : n + 1 if g_apart else None].unbind(1)  # T of float[K, B, 1 or G - n, H]
        d_g = d["g"].unsqueeze(3).unbind(1) if g_apart else ()
        dhs, dcs = dh.unsqueeze(3).unbind(1), dc.unsqueeze(3).unbind(1)  # float[K, B, 1, H], spread over the gates
        fs = values["f"].unsqueeze(3).unbind(1) if "f" in values else ()
        grad_cs = () if grad_c is None else grad_c.unsqueeze(3).unbind(1)
        flat_das, flat_dhs = (
            da.flatten(3)[..., : w_rec.shape[2]].unbind(1),
            dh.unbind(1),
        )  # float[K, B, G*H] and [K, B, H]
        add_backward = _add_products(flat_das, w_back)
        wide_w_peep = None if w_peep is None else w_peep.unsqueeze(1)
        for t in range(T - 1, -1, -1):
            # The gradient of c[t]: through h[t], through c[t+1], and from the layers above.
            dcs[t].mul_(dhs[t])
            if fs and t < T - 1:
                dcs[t].addcmul_(dcs[t + 1], fs[t + 1])
            if wide_w_peep is not None and t < T - 1:
                dcs[t].addcmul_(d_g[t + 1], wide_w_peep)
            if grad_cs:
                dcs[t].add_(grad_cs[t])
            # The gradients of the pre-activations, and through them that of h[t-1].
            by_c[t].mul_(dcs[t])
            by_h[t].mul_(dhs[t])
            if g_apart:
                d_g[t].mul_(dhs[t] + dcs[t] if cell.to_output else dcs[t])
            if t:
                add_backward(flat_dhs[t - 1], t)
    return da, dc
