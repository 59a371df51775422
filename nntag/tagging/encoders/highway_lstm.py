"""Stacked bidirectional highway LSTM: float[T, B, D] in, both directions' outputs, float[T, B, 2H], out.

Y. Zhang et al., "Highway Long Short-Term Memory RNNs for Distant Speech Recognition", ICASSP 2016, as compared with in
section 6.1.4 of H. Wu, J. Zhang & C. Zong 2016. The internal states of neighbouring layers are linked through a carry
gate d: from layer 2 on,

    i, f, o, s = sigm, sigm, sigm, tanh (W [h[l-1,t]; h[l,t-1]] + b)
    d[l,t] = sigm(b_d + W_xd h[l-1,t] + w_cd * c[l,t-1] + w_ld * c[l-1,t])
    c[l,t] = d[l,t] * c[l-1,t] + f * c[l,t-1] + i * s
    h[l,t] = o * tanh(c[l,t])

(`*` is element-wise). d is the gate g of kernels/sweep.py, W_xd a block of w_in, and (w_cd, w_ld) are w_peep.

Where this differs from the papers: i, f and o have no peepholes and h is not projected, so that all but the carry gate
is the LSTM of eq. 9, Wu 2016, whose stacks it is compared with. Layer 1 is a plain LSTM layer. The two directions have
stacks of their own, as in Wu 2016. Dropout and initialisation as in skip_lstm.py; b_d starts at 0 (ours; neither paper
says).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from nntag.config.tagging import HighwayLSTMConfig
from nntag.tagging.encoders.kernels.cells import CELLS
from nntag.tagging.encoders.kernels.directions import join_directions, split_directions
from nntag.tagging.encoders.kernels.layer import RecurrentLayer
from nntag.tagging.encoders.kernels.slots import FormSlots
from nntag.training.dropout import dropout_by_precision


class HighwayLSTM(nn.Module):
    """The encoder between the input layer and the output layer of a tagger."""

    def __init__(self, config: HighwayLSTMConfig, input_size: int):
        super().__init__()
        self.config, self.output_size = config, 2 * config.hidden
        self.layers = nn.ModuleList()
        for layer in range(config.layers):
            cell = CELLS["highway" if layer else "none"]
            self.layers.append(RecurrentLayer(cell, config.hidden if layer else input_size, config.hidden))
        self.reset_parameters(config.init)

    def reset_parameters(self, init: str, generator: torch.Generator | None = None) -> None:
        """Draws all weights anew, by "default" or "wu2016", from the generator or from torch's global one."""
        for layer in self.layers:
            layer.reset_parameters(  # type: ignore[operator]
                init, self.config.forget_bias, generator, self.config.recurrent_init
            )
        for layer in self.layers[1:]:
            with torch.no_grad():
                layer.bias[:, -self.config.hidden :] = self.config.carry_bias  # type: ignore[index, operator]

    @property
    def input_weight(self) -> Tensor:
        """float[2, D, W]: what x is multiplied with, and nothing else is done to it."""
        return self.layers[0].w_in  # type: ignore[return-value]

    def forward(self, x: Tensor | FormSlots, lengths: Tensor) -> Tensor:
        """[h_fwd; h_bwd] of the last layer, float[T, B, 2H], from x: float[T, B, D] and lengths: int64[B].

        Rows after the end of a sentence mean nothing, in x and in the result.
        """
        h: Any = split_directions(x, lengths)  # float[2, T, B, D] or what stands for it, then H
        c = None
        for n, layer in enumerate(self.layers):
            h, c = layer(h, c)
            if n in (0, self.config.layers - 1):
                h = dropout_by_precision(h, self.config.dropout, self.training)
        return join_directions(h, lengths)
