"""One recurrent layer as a module: a cell and sizes in, parameters in the layout of the sweep out, ready to be run."""

import torch
from torch import Tensor, nn

from nntag.models.kernels.cells import Cell
from nntag.models.kernels.sweep import run_layer

WU2016_SCALE = 0.1  # section 6.1.2, Wu 2016: N(0, 1/sqrt(fan-in)) "scaled by a factor of 0.1"


class RecurrentLayer(nn.Module):
    """w_in: float[K, D, G*H], w_rec: float[K, H, G*H], bias: float[K, G*H] or None, w_skip: float[K, H, H] or None.

    exclusive: the skip gate g reads the skip through w_skip, and has no block in w_in; sigmoid_skip: sigm(skip) is
    skipped.
    """

    def __init__(
        self,
        cell: Cell,
        input_size: int,
        hidden: int,
        bias: bool = True,
        exclusive: bool = False,
        sigmoid_skip: bool = False,
        directions: int = 2,
    ):
        super().__init__()
        self.cell, self.hidden, self.sigmoid_skip = cell, hidden, sigmoid_skip
        exclusive = exclusive and "g" in cell.gates
        width, in_width = len(cell.gates) * hidden, (len(cell.gates) - exclusive) * hidden
        self.w_in = nn.Parameter(torch.empty(directions, input_size, in_width))
        self.w_rec = nn.Parameter(torch.empty(directions, hidden, width))
        self.bias = nn.Parameter(torch.empty(directions, width)) if bias else None
        self.w_skip = nn.Parameter(torch.empty(directions, hidden, hidden)) if exclusive else None

    @torch.no_grad()
    def reset_parameters(self, init: str, forget_bias: float = 0, generator: torch.Generator | None = None) -> None:
        """Draws the weights: recurrent blocks orthogonal; biases 0 but for the forget gate's.

        The other blocks: N(0, 1/sqrt(fan-in)) * 0.1 for "wu2016", Xavier uniform for "default".
        """
        for matrix in self._blocks(self.w_rec):
            nn.init.orthogonal_(matrix, generator=generator)
        for matrix in self._blocks(self.w_in) + ([] if self.w_skip is None else self._blocks(self.w_skip)):
            if init == "wu2016":
                matrix.normal_(0, WU2016_SCALE / matrix.shape[0] ** 0.5, generator=generator)
            else:
                nn.init.xavier_uniform_(matrix, generator=generator)
        if self.bias is not None:
            self.bias.zero_()
            if "f" in self.cell.gates:
                start = self.cell.gates.index("f") * self.hidden
                self.bias[:, start : start + self.hidden] = forget_bias

    def _blocks(self, weight: Tensor) -> list[Tensor]:
        """The matrix of each direction and gate, float[D or H, H], as views."""
        return [block for direction in weight for block in direction.split(self.hidden, 1)]

    def forward(
        self, x: Tensor, skip: Tensor | None = None, h_0: Tensor | None = None, c_0: Tensor | None = None
    ) -> tuple[Tensor, Tensor]:
        """(h: float[K, T, B, H], c: float[K, T, B, H]) of all steps; the skip is left out where the cell has none."""
        skip = skip if self.cell.has_skip else None
        sigmoid_skip = self.sigmoid_skip and self.cell.has_skip
        return run_layer(self.cell, x, self.w_in, self.w_rec, self.bias, skip, self.w_skip, sigmoid_skip, h_0, c_0)
