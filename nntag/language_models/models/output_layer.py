"""The full softmax over a vocabulary: states and targets in, negative log-probabilities out, never all logits at once.

`-log softmax(W h + b)[target]`. The logits of a batch (N states, V words) are the largest array of a language model;
here they exist for a few rows at a time. Because the loss is a plain sum, the gradient of a chunk's logits (softmax
minus one-hot) is known as soon as the chunk's loss is, so one pass over the chunks gives the loss and all gradients, in
less memory and less time than a graph that keeps the logits for later. rounded_output.py does the same inside
`products_in("bf16", ...)`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

from nntag.language_models.models.rounded_output import compute_rounded
from nntag.training.precision import product_type

CPU_CHUNK_ROWS = 128  # measured: best at V = 10,000 and at V = 100,000 on one core
ACCELERATOR_CHUNK_ROWS = 2048


def sum_nats(states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
    """The summed negative log-probability of `targets: int64[N]`, a differentiable scalar.

    `states: float[N, H]`, `weight: float[V, H]`, `bias: float[V]`.
    """
    return _ChunkedNats.apply(states, weight, bias, targets)


@torch.no_grad()
def token_nats(states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
    """The negative log-probability of each target, `float[N]`; not differentiable."""
    nats = states.new_empty(len(states))
    logits = _chunk_buffer(states, weight)
    for rows in _chunks(states):
        nats[rows] = _chunk_nats(states[rows], weight, bias, targets[rows], logits)[0]
    return nats


def log_probabilities(states: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """The log-probabilities of all words, `float[..., V]`, not in chunks: for few states only."""
    return torch.log_softmax(nn.functional.linear(states, weight, bias), dim=-1)


class FullSoftmax(NamedTuple):
    """The output layer of a language model with one matrix for all its words."""

    weight: Tensor  # float[V, H]
    bias: Tensor  # float[V]

    def sum_nats(self, states: Tensor, targets: Tensor) -> Tensor:
        """See the function of that name."""
        return sum_nats(states, self.weight, self.bias, targets)

    def token_nats(self, states: Tensor, targets: Tensor) -> Tensor:
        """See the function of that name."""
        return token_nats(states, self.weight, self.bias, targets)

    def log_probabilities(self, states: Tensor) -> Tensor:
        """See the function of that name."""
        return log_probabilities(states, self.weight, self.bias)


def _chunk_rows(states: Tensor) -> int:
    return CPU_CHUNK_ROWS if states.device.type == "cpu" else ACCELERATOR_CHUNK_ROWS


def _chunks(states: Tensor) -> list[slice]:
    step = _chunk_rows(states)
    return [slice(start, start + step) for start in range(0, len(states), step)]


def _chunk_buffer(states: Tensor, weight: Tensor) -> Tensor:
    """Room for one chunk's logits; every chunk uses it again, since new memory costs as much time as filling it."""
    return states.new_empty(min(_chunk_rows(states), len(states)), len(weight))


def _chunk_nats(states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor, logits: Tensor) -> tuple[Tensor, Tensor]:
    """The rows' negative log-probabilities `float[R]` and, in the memory of `logits`, probabilities `float[R, V]`."""
    scores = torch.addmm(bias, states, weight.t(), out=logits[: len(states)])  # [R, H] -> [R, V]
    gold = scores.gather(1, targets[:, None])  # [R, 1], read before the scores are overwritten
    highest = scores.amax(dim=1, keepdim=True)
    scores.sub_(highest).exp_()
    total = scores.sum(dim=1, keepdim=True)
    return (total.log() + highest - gold)[:, 0], scores.div_(total)


class _ChunkedNats(torch.autograd.Function):
    """The loss of all rows, with the gradients of states, weight and bias computed on the way."""

    @staticmethod
    def forward(ctx: Any, states: Tensor, weight: Tensor, bias: Tensor, targets: Tensor) -> Tensor:
        if product_type(weight) != weight.dtype:
            nats, *gradients = compute_rounded(states, weight, bias, targets, product_type(weight), _chunk_rows(states))
            ctx.save_for_backward(*gradients)
            return nats
        nats = states.new_zeros(())
        d_states, d_weight, d_bias = torch.empty_like(states), torch.empty_like(weight), torch.zeros_like(bias)
        logits = _chunk_buffer(states, weight)
        for rows in _chunks(states):
            chunk_nats, d_logits = _chunk_nats(states[rows], weight, bias, targets[rows], logits)
            nats += chunk_nats.sum()
            gold = targets[rows, None]
            d_logits.scatter_add_(1, gold, d_logits.new_full((), -1).expand_as(gold))  # softmax - one-hot
            torch.mm(d_logits, weight, out=d_states[rows])
            begun = min(rows.start, 1)  # 0: the first chunk overwrites what the new memory holds
            torch.addmm(d_weight, d_logits.t(), states[rows], beta=begun, out=d_weight)
            d_bias += d_logits.sum(0)
        if len(states) == 0:
            d_weight.zero_()
        ctx.save_for_backward(d_states, d_weight, d_bias)
        return nats

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, d_nats: Tensor) -> tuple[Tensor | None, ...]:
        return *(gradient * d_nats for gradient in ctx.saved_tensors), None
