"""Stacked bidirectional LSTM with skip connections: float[T, B, D] in, both directions' outputs, float[T, B, 2H], out.

H. Wu, J. Zhang & C. Zong, "An Empirical Exploration of Skip Connections for Sequential Tagging", COLING 2016. In layer
l of L,

    i, f, o, g, s = sigm, sigm, sigm, sigm, tanh (W^l [h[l-1,t]; h[l,t-1]])             eq. 9; with g, eq. 15
    none            c = f * c' + i * s                  h = o * tanh(c)                 eq. 9
    gates           as none, with h[l-2,t] added to the pre-activations of i, f, o, s   eq. 10
    internal        c = f * c' + i * s + h[l-2,t]       h = o * tanh(c)                 eq. 11-12
    internal-gated  c = f * c' + i * s + g * h[l-2,t]   h = o * tanh(c)
    output          c = f * c' + i * s                  h = o * tanh(c) + h[l-2,t]      eq. 13-14
    output-gated    c = f * c' + i * s                  h = o * tanh(c) + g * h[l-2,t]  eq. 15

with c' = c[l,t-1]; the two directions have stacks of their own (eq. 16), which meet in the output layer above this
module (eq. 17). gate="exclusive": g = sigm(W_g h[l,t-1] + U_g h[l-2,t]); mapping="sigmoid": sigm(h[l-2,t]) in place of
h[l-2,t] (both section 6.1.4, where the formulas say l-1 and l-2 for the same thing; l-2 here).

W^l is kept as w_in (rows h[l-1,t]) and w_rec (rows h[l,t-1]), U_g as w_skip; see kernels/cells.py for the order of the
gates.

Where this differs from the paper: layers 1 and 2 have no layer l-2 and are plain LSTM layers without a gate g (ours:
the paper says nothing; h[0] is the input and of another width). Gates have biases (bias=False: none, as eq. 9 is
written). Dropout scales in training and not at test time, which is the same in expectation. The orthogonal matrices
come from the QR decomposition of a Gaussian matrix, not from its SVD: both are uniform over the orthogonal matrices,
and QR takes a fraction of the time. With `joined` (ours, as in nn.LSTM), each layer reads what both directions of the
layer below say, [h_fwd; h_bwd]; skips stay within a direction.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from nntag.config.tagging import SkipLSTMConfig
from nntag.tagging.encoders.kernels.cells import CELLS
from nntag.tagging.encoders.kernels.directions import exchange_directions, join_directions, split_directions
from nntag.tagging.encoders.kernels.layer import RecurrentLayer
from nntag.tagging.encoders.kernels.slots import FormSlots
from nntag.training.dropout import dropout_by_precision
from nntag.training.precision import product_type


class SkipLSTM(nn.Module):
    """The encoder between the input layer and the output layer of a tagger."""

    def __init__(self, config: SkipLSTMConfig, input_size: int):
        super().__init__()
        self.config, self.output_size = config, 2 * config.hidden
        self.layers = nn.ModuleList()
        for layer in range(config.layers):
            cell = CELLS[config.skip if layer >= 2 else "none"]
            width = input_size if layer == 0 else 2 * config.hidden if config.joined else config.hidden
            exclusive, sigmoid_skip = config.gate == "exclusive", config.mapping == "sigmoid"
            self.layers.append(RecurrentLayer(cell, width, config.hidden, config.bias, exclusive, sigmoid_skip))
        self.reset_parameters(config.init)

    def reset_parameters(self, init: str, generator: torch.Generator | None = None) -> None:
        """Draws all weights anew, by "default" or "wu2016", from the generator or from torch's global one."""
        for layer in self.layers:
            layer.reset_parameters(  # type: ignore[operator]
                init, self.config.forget_bias, generator, self.config.recurrent_init
            )

    @property
    def input_weight(self) -> Tensor:
        """float[2, D, W]: what x is multiplied with, and nothing else is done to it."""
        return self.layers[0].w_in  # type: ignore[return-value]

    def forward(self, x: Tensor | FormSlots, lengths: Tensor) -> Tensor:
        """[h_fwd; h_bwd] of the last layer, float[T, B, 2H], from x: float[T, B, D] and lengths: int64[B].

        Rows after the end of a sentence mean nothing, in x and in the result.
        """
        h: Any = split_directions(x, lengths)  # float[2, T, B, D] or what stands for it, then H
        previous = skip = None
        for n, layer in enumerate(self.layers):
            previous, skip = h if n else None, previous  # h[l-1] and h[l-2]
            if n and self.config.joined:
                h = exchange_directions(h, lengths, product_type(self.input_weight))  # float[2, T, B, 2H]
            h = layer.predict(h, skip)  # type: ignore[operator]
            if n in (0, self.config.layers - 1):  # section 6.1.3: the outputs of the first and of the last hidden layer
                h = dropout_by_precision(h, self.config.dropout, self.training)
        return join_directions(h, lengths)
