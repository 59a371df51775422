"""One recurrent layer as a module: a cell and sizes in, parameters in the layout of the sweep out, ready to be run."""

import torch
from torch import Tensor, nn

from nntag.tagging.encoders.kernels.cells import Cell
from nntag.tagging.encoders.kernels.fused import fits_fused, fuse_weights, run_fused
from nntag.tagging.encoders.kernels.initialise import WU2016_SCALE, fill_input, fill_recurrent
from nntag.tagging.encoders.kernels.slots import FormSlots
from nntag.tagging.encoders.kernels.sweep import run_layer
from nntag.training.precision import product_type


class RecurrentLayer(nn.Module):
    """w_in: float[K, D, G*H], w_rec: float[K, H, G*H], bias: float[K, G*H] or None, w_skip: float[K, H, H] or None.

    For the highway cell, w_peep: float[K, 2, H], and one block less in w_rec.
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
        self.w_rec = nn.Parameter(torch.empty(directions, hidden, width - hidden * cell.peephole))
        self.bias = nn.Parameter(torch.empty(directions, width)) if bias else None
        self.w_skip = nn.Parameter(torch.empty(directions, hidden, hidden)) if exclusive else None
        self.w_peep = nn.Parameter(torch.empty(directions, 2, hidden)) if cell.peephole else None
        self._fused: list[list[Tensor]] = []  # what `predict` has made of the weights ...
        self._fused_of: tuple[tuple[int, int], ...] = ()  # ... that were these

    @torch.no_grad()
    def reset_parameters(
        self,
        init: str,
        forget_bias: float = 0,
        generator: torch.Generator | None = None,
        recurrent_init: str = "orthogonal",
    ) -> None:
        """Draws the weights (init: "default" or "wu2016"); biases are 0 but for the forget gate's."""
        fill_recurrent(self.w_rec, recurrent_init, generator)
        fill_input(self.w_in, self.hidden, init, generator)
        if self.w_skip is not None:
            fill_input(self.w_skip, self.hidden, init, generator)
        if self.w_peep is not None:
            self.w_peep.normal_(0, WU2016_SCALE, generator=generator)  # ours: as section 6.1.2 for a fan-in of 1
        if self.bias is not None:
            self.bias.zero_()
            if "f" in self.cell.gates:
                start = self.cell.gates.index("f") * self.hidden
                self.bias[:, start : start + self.hidden] = forget_bias

    def train(self, mode: bool = True) -> "RecurrentLayer":
        """As every module's; weights change in between, which fused optimisers do not count as a change."""
        self._fused_of = ()
        super().train(mode)
        return self

    def predict(self, x: Tensor | FormSlots, skip: Tensor | None) -> Tensor:
        """h: float[K, T, B, H], as `forward` gives, for those who do not want c: quicker in bf16 without gradients."""
        kind = product_type(self.w_rec)
        wanted = kind == torch.bfloat16 and not torch.is_grad_enabled() and not self.training
        if not wanted or isinstance(x, FormSlots) or not fits_fused(self.cell, x):
            h, _ = self(x, skip)
            return h  # type: ignore[no-any-return]
        state = tuple((weight.data_ptr(), weight._version) for weight in self.parameters())
        if state != self._fused_of:
            self._fused_of, self._fused = state, fuse_weights(self.w_in, self.w_rec, self.bias, kind)
        return run_fused(x, self._fused).to(self.w_rec.dtype)

    def forward(
        self,
        x: Tensor | FormSlots,
        skip: Tensor | None = None,
        h_0: Tensor | None = None,
        c_0: Tensor | None = None,
        draws: Tensor | None = None,
    ) -> tuple[Tensor, Tensor]:
        """(h: float[K, T, B, H], c: float[K, T, B, H]) of all steps; the skip is left out where the cell has none."""
        skip = skip if self.cell.has_skip else None
        sigmoid_skip = self.sigmoid_skip and self.cell.has_skip
        w_in = None if isinstance(x, FormSlots) else self.w_in
        x = x.multiply() if isinstance(x, FormSlots) else x
        weights = (w_in, self.w_rec, self.bias)
        return run_layer(self.cell, x, *weights, skip, self.w_skip, sigmoid_skip, h_0, c_0, self.w_peep, draws)
