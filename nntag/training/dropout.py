"""Dropout with a mask of 16 random bits an entry: on a CPU several times faster than `torch.nn.functional.dropout`."""

from __future__ import annotations

import torch
from torch import Tensor

STEPS = 1 << 16  # the probability is rounded to a multiple of 1/STEPS


def dropout(x: Tensor, probability: float, training: bool) -> Tensor:
    """`x` with entries set to zero with `probability`, the others scaled so that the mean stays.

    Out of training `x` itself.
    """
    zeros = round(probability * STEPS)
    if not training or zeros == 0:
        return x
    bits = torch.empty(-(-x.numel() // 4), dtype=torch.int64, device=x.device).random_(-(2**63), None)
    mask = bits.view(torch.int16)[: x.numel()].view(x.shape) >= zeros - STEPS // 2
    return x * mask.to(x.dtype).mul_(STEPS / (STEPS - zeros))
