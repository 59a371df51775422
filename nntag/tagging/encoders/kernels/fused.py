"""The plain LSTM layer by torch's own kernel, for prediction: input and weights of the sweep in, cell outputs out.

On a CPU torch hands the whole layer to oneDNN, which makes the gates of a step while their product is still in the
cache: in bf16 that takes less than half of the sweep's time, in float32 some four fifths. It computes what `run_layer`
does, to rounding; internal states of all steps, skips and gradients need the sweep.
"""

from __future__ import annotations

import torch
from torch import Tensor

from nntag.tagging.encoders.kernels.cells import CELLS, Cell

PLAIN = CELLS["none"]
TORCH_ORDER = "ifso"  # of the gates in torch.lstm, by the letters of cells.py; torch calls s "g"


def fits_fused(cell: Cell, x: Tensor) -> bool:
    """Whether the layer of such cells over x can be run here."""
    return cell == PLAIN and x.device.type == "cpu" and torch.backends.mkldnn.is_available()


def fuse_weights(w_in: Tensor, w_rec: Tensor, bias: Tensor | None, kind: torch.dtype) -> list[list[Tensor]]:
    """For each direction the parameters of `torch.lstm` in the type `kind`, out of those of `run_layer`."""
    K, H = w_rec.shape[:2]
    order = torch.tensor([PLAIN.gates.index(letter) for letter in TORCH_ORDER], device=w_rec.device)
    found = []
    for k in range(K):
        turned = [w[k].view(-1, 4, H)[:, order].flatten(1).t().to(kind).contiguous() for w in (w_in, w_rec)]
        zero = torch.zeros(4 * H, dtype=kind, device=w_rec.device)
        first = zero if bias is None else bias[k].view(4, H)[order].flatten().to(kind)
        found.append([*turned, first, zero])
    return found


def run_fused(x: Tensor, weights: list[list[Tensor]]) -> Tensor:
    """h: float[K, T, B, H] of all steps from x: float[K, T, B, D] and zero states, in the type of the weights."""
    kind, H = weights[0][0].dtype, weights[0][1].shape[1]
    state = torch.zeros(1, x.shape[2], H, dtype=kind, device=x.device)
    outputs = [
        torch.lstm(own, (state, state), parameters, True, 1, 0.0, False, False, False)[0]
        for own, parameters in zip(x.to(kind), weights, strict=True)
    ]
    return torch.stack(outputs)
