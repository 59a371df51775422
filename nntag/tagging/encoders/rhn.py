"""One bidirectional recurrent highway layer: float[T, B, D] in, both directions' outputs, float[T, B, 2H], out.

J. G. Zilly, R. K. Srivastava, J. Koutnik & J. Schmidhuber, "Recurrent Highway Networks", arXiv 1607.03474, 2016, as
compared with in section 6.1.4 of H. Wu, J. Zhang & C. Zong 2016. Each time step takes L highway steps, from s_0 =
y[t-1]:

    h_l = tanh(W_H x_t [if l = 1] + R_Hl s_{l-1} + b_Hl)     eq. 7, Zilly 2016
    t_l = sigm(W_T x_t [if l = 1] + R_Tl s_{l-1} + b_Tl)     eq. 8
    c_l = 1 - t_l                                            the coupling of section 5
    s_l = h_l * t_l + s_{l-1} * c_l                          eq. 6
    y[t] = s_L, or o * tanh(s_L) with output_gate            footnote 2, Wu 2016

W_H, W_T are blocks of w_in; R_H1, R_T1 of w_first; R_Hl, R_Tl of w_deep[l-2]; see kernels/highway.py.

Where this differs from the papers: footnote 2 names no formula for o; ours is the output gate of eq. 9, Wu 2016,
o = sigm(W_O x_t + R_O y[t-1] + b_O). The transform gates' biases start at -2 (Zilly 2016 sets them by task). Dropout is
on the outputs, as in Wu 2016, whose first and last hidden layer are here the same one. Initialisation as in
skip_lstm.py.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nntag.config.tagging import RHNConfig
from nntag.tagging.encoders.kernels.directions import join_directions, split_directions
from nntag.tagging.encoders.kernels.highway import run_highway_layer
from nntag.tagging.encoders.kernels.initialise import fill_input, fill_recurrent
from nntag.training.dropout import dropout_by_precision


class RHN(nn.Module):
    """The encoder between the input layer and the output layer of a tagger."""

    def __init__(self, config: RHNConfig, input_size: int):
        super().__init__()
        self.config, self.output_size = config, 2 * config.hidden
        H, deeper = config.hidden, config.depth - 1
        width = (3 if config.output_gate else 2) * H
        self.w_in = nn.Parameter(torch.empty(2, input_size, width))
        self.w_first = nn.Parameter(torch.empty(2, H, width))
        self.b_first = nn.Parameter(torch.empty(2, width))
        self.w_deep = nn.Parameter(torch.empty(2, deeper, H, 2 * H)) if deeper else None
        self.b_deep = nn.Parameter(torch.empty(2, deeper, 2 * H)) if deeper else None
        self.reset_parameters(config.init)

    @torch.no_grad()
    def reset_parameters(self, init: str, generator: torch.Generator | None = None) -> None:
        """Draws all weights anew, by "default" or "wu2016", from the generator or from torch's global one."""
        H = self.config.hidden
        fill_input(self.w_in, H, init, generator)
        for weight, bias in ((self.w_first, self.b_first), (self.w_deep, self.b_deep)):
            if weight is not None and bias is not None:
                fill_recurrent(weight, self.config.recurrent_init, generator)
                bias.zero_()
                bias[..., H : 2 * H] = self.config.transform_bias

    def forward(self, x: Tensor, lengths: Tensor) -> Tensor:
        """[h_fwd; h_bwd], float[T, B, 2H], from x: float[T, B, D] and lengths: int64[B].

        Rows after the end of a sentence mean nothing, in x and in the result.
        """
        x = split_directions(x, lengths)  # float[2, T, B, D]
        y = run_highway_layer(x, self.w_in, self.w_first, self.b_first, self.w_deep, self.b_deep)
        return join_directions(dropout_by_precision(y, self.config.dropout, self.training), lengths)
