"""Starting values of recurrent layers: a parameter of several blocks in, filled in place with one matrix per block."""

import torch
from torch import Tensor, nn

WU2016_SCALE = 0.1  # section 6.1.2, Wu 2016: N(0, 1/sqrt(fan-in)) "scaled by a factor of 0.1"


@torch.no_grad()
def fill_recurrent(weight: Tensor, init: str = "orthogonal", generator: torch.Generator | None = None) -> None:
    """A matrix for each H columns of weight: float[..., H, G*H], orthogonal or "xavier" (section 6.1.2, Wu 2016)."""
    fill = nn.init.xavier_uniform_ if init == "xavier" else nn.init.orthogonal_
    for matrix in _cut_blocks(weight, weight.shape[-2]):
        fill(matrix, generator=generator)


@torch.no_grad()
def fill_input(weight: Tensor, hidden: int, init: str, generator: torch.Generator | None = None) -> None:
    """Non-recurrent weights, float[..., D, G*H]: N(0, 1/sqrt(D)) * 0.1 for "wu2016", Xavier uniform for "default"."""
    if init == "wu2016":
        weight.normal_(0, WU2016_SCALE / weight.shape[-2] ** 0.5, generator=generator)
        return
    for matrix in _cut_blocks(weight, hidden):
        nn.init.xavier_uniform_(matrix, generator=generator)


def _cut_blocks(weight: Tensor, hidden: int) -> list[Tensor]:
    """The matrix of each direction and gate, float[D or H, H], as views."""
    return [block for rows in weight.view(-1, *weight.shape[-2:]) for block in rows.split(hidden, 1)]
