"""The full softmax with products in bf16: what output_layer.py takes in, the loss and all of its gradients out.

States, weights, bias and logits are rounded; the softmax of a row is computed in float32 in one fused pass, and its
result rounded for the gradient's products, which torch sums in float32. So the loss of a token is off by some
thousandths of a nat, as often up as down. Where products are this fast, the passes over the logits are what is left to
save, hence logits of half the size, and gradients of several chunks of rows in one product.
"""

from __future__ import annotations

import torch
from torch import Tensor

from nntag.training.precision import even_rows

EVEN = 64  # ours: rows are a multiple of it, so that products have few shapes
GROUP = 4  # chunks whose probabilities exist at a time
LEAST = torch.finfo(torch.float32).tiny  # a smaller probability may be rounded to zero, which has no logarithm


def compute_rounded(
    states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, rounded: torch.dtype, chunk_rows: int
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """The loss summed over `targets: int64[N]`, and its gradients by states, weight and bias.

    `states: float[N, H]`, `weight: float[V, H]`, `bias: float[V]`; `rounded` is the type of the factors.
    """
    nats, d_bias = bias.new_zeros(()), torch.zeros_like(bias)
    d_weight, kind = None, states.dtype
    states, weight, bias = even_rows(states.to(rounded), EVEN), weight.to(rounded), bias.to(rounded)
    d_states = torch.empty_like(states, dtype=kind)
    group_rows = GROUP * chunk_rows
    logits = weight.new_empty(min(chunk_rows, len(states)), len(weight))
    group = weight.new_empty(min(group_rows, len(states)), len(weight))
    for rows in _cut(0, len(states), group_rows):
        p = group[: rows.stop - rows.start]
        for chunk in _cut(rows.start, rows.stop, chunk_rows):
            scores = torch.addmm(bias, states[chunk], weight.t(), out=logits[: chunk.stop - chunk.start])
            torch.softmax(scores, 1, out=p[chunk.start - rows.start : chunk.stop - rows.start])
        answers = targets[rows]
        gold = torch.arange(len(answers), device=p.device), answers
        nats -= p[gold].float().clamp(min=LEAST).log().sum()
        d_logits = p
        d_logits[gold] -= 1  # softmax - one-hot; scatter_add_ is slow in bf16
        d_logits[len(answers) :] = 0  # of rows that even_rows has added
        d_bias += d_logits.sum(0)
        d_states[rows] = torch.mm(d_logits, weight)
        product = torch.mm(d_logits.t(), states[rows]).to(kind)
        d_weight = product if d_weight is None else d_weight.add_(product)
    if d_weight is None:  # there are no rows
        d_weight = torch.zeros_like(weight, dtype=kind)
    return nats, d_states[: len(targets)], d_weight, d_bias


def _cut(start: int, stop: int, step: int) -> list[slice]:
    return [slice(first, min(first + step, stop)) for first in range(start, stop, step)]
