"""Stacked bidirectional shortcut blocks: float[T, B, D] in, both directions' outputs, float[T, B, 2H], out.

H. Wu, J. Zhang & C. Zong, "Shortcut Sequence Tagging", arXiv 1701.00576, 2017. In a layer l that shortcuts reach,

    i, o, s = sigm, sigm, tanh (W [h[l-1,t]; h[l,t-1]])
    m[l,t] = i * s + g * h[-l,t]
    h[l,t] = o * tanh(m[l,t]) + g * h[-l,t]

with h[-l,t] the output of a lower layer and g the shortcut gate:

    linear              g * h becomes the product W_g h[-l,t]
    nonlinear           g = sigm(W_g [h[l-1,t]; h[l,t-1]]), as the gates i and o
    stochastic          g: independent draws that are 1 with probability p; at test time p * h[-l,t]
    stochastic-learned  the same with p = sigm(W_g [h[l-1,t]; h[l,t-1]]); at test time equal to nonlinear

What the two computed gates read is our reading: the text has "similar to the computation of gates in LSTM", whose gates
read both, and "here we use the output of layer l-1 to control the shortcuts". With gate_reads="below" it is h[l-1,t]
alone, g = sigm(W_g h[l-1,t] + b_g).

The gradient reaches a learned p straight through the draw: the draw enters the forward pass, and the backward pass
takes dg/dp = 1 (Bengio, Leonard & Courville 2013). That is biased, since tanh(m) is not linear in g, but of low
variance; the score-function estimator would be unbiased and need a loss for each word of each draw. Draws come from
torch's global generator.

m is the c of kernels/sweep.py (whose forget gate is absent), and g * h[-l,t] its skip. Which layers h[-l,t] are,
topologies.py says.

Where this differs from the paper (whose equations 7 onwards are known from its prose only): layer 1, and any layer that
no shortcut reaches, is a plain LSTM layer with its self-connection. If several shortcuts reach a layer, h[-l,t] is the
sum of their sources, under one gate (g has no index of a source). Gates have biases. Dropout and initialisation as in
skip_lstm.py.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from nntag.config.tagging import ShortcutConfig
from nntag.tagging.encoders.kernels.cells import CELLS
from nntag.tagging.encoders.kernels.directions import join_directions, split_directions
from nntag.tagging.encoders.kernels.initialise import fill_input
from nntag.tagging.encoders.kernels.layer import RecurrentLayer
from nntag.tagging.encoders.kernels.slots import FormSlots
from nntag.tagging.encoders.topologies import resolve_links
from nntag.training.dropout import dropout_by_precision


class Shortcut(nn.Module):
    """The encoder between the input layer and the output layer of a tagger.

    Raises UsageError for links that do not fit the number of layers.
    """

    def __init__(self, config: ShortcutConfig, input_size: int):
        super().__init__()
        self.config, self.output_size = config, 2 * config.hidden
        self.links = resolve_links(config.topology, config.links, config.layers)
        self.layers = nn.ModuleList()
        for layer in range(1, config.layers + 1):
            width = config.hidden if layer > 1 else input_size
            if self.find_sources(layer):
                self.layers.append(ShortcutBlock(config, width))
            else:
                self.layers.append(RecurrentLayer(CELLS["none"], width, config.hidden, config.bias))
        self.reset_parameters(config.init)

    def find_sources(self, layer: int) -> list[int]:
        """The layers whose outputs shortcuts bring to this one; both count from 1."""
        return [source for source, target in self.links if target == layer]

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
        outputs: list[Tensor] = []
        h: Any = split_directions(x, lengths)  # float[2, T, B, D] or what stands for it, then H
        for n, layer in enumerate(self.layers):
            sources = [outputs[source - 1] for source in self.find_sources(n + 1)]
            h, _ = layer(h, sum(sources[1:], sources[0])) if sources else layer(h)
            if n in (0, self.config.layers - 1):
                h = dropout_by_precision(h, self.config.dropout, self.training)
            outputs.append(h)
        return join_directions(h, lengths)


class ShortcutBlock(nn.Module):
    """One layer with its shortcut gate."""

    def __init__(self, config: ShortcutConfig, input_size: int):
        super().__init__()
        self.gate, self.p = config.gate, config.p
        computed, H = self.gate in ("nonlinear", "stochastic-learned"), config.hidden
        below = computed and config.gate_reads == "below"
        cell = CELLS["shortcut-gated" if computed and not below else "shortcut"]
        self.recurrent = RecurrentLayer(cell, input_size, H, config.bias)
        self.w_gate = nn.Parameter(torch.empty(2, H, H)) if self.gate == "linear" or below else None
        self.b_gate = nn.Parameter(torch.empty(2, H)) if below and config.bias else None

    def reset_parameters(
        self,
        init: str,
        forget_bias: float = 0,
        generator: torch.Generator | None = None,
        recurrent_init: str = "orthogonal",
    ) -> None:
        """As RecurrentLayer; a W_g of its own is drawn as the other non-recurrent weights."""
        self.recurrent.reset_parameters(init, forget_bias, generator, recurrent_init)
        if self.w_gate is not None:
            fill_input(self.w_gate, self.w_gate.shape[-1], init, generator)
        if self.b_gate is not None:
            nn.init.zeros_(self.b_gate)

    def forward(self, x: Tensor, source: Tensor) -> tuple[Tensor, Tensor]:
        """(h, m), both float[2, T, B, H], from x: float[2, T, B, D] and source, h[-l]: float[2, T, B, H]."""
        if self.w_gate is not None and self.gate == "linear":
            return self.recurrent(x, torch.matmul(source, self.w_gate[:, None]))
        if self.w_gate is not None:
            return self.recurrent(x, self._gate_from_below(x) * source)
        if self.gate == "stochastic":
            g = torch.empty_like(source).bernoulli_(self.p) if self.training else self.p
            return self.recurrent(x, g * source)
        draws = torch.rand_like(source) if self.gate == "stochastic-learned" and self.training else None
        return self.recurrent(x, source, draws=draws)

    def _gate_from_below(self, x: Tensor) -> Tensor:
        """g = sigm(W_g h[l-1,t] + b_g), or draws with that probability, straight through: float[2, T, B, H]."""
        assert self.w_gate is not None
        scores = torch.matmul(x, self.w_gate[:, None])
        g = torch.sigmoid(scores if self.b_gate is None else scores + self.b_gate[:, None, None])
        if self.gate == "stochastic-learned" and self.training:
            return g + (torch.bernoulli(g) - g).detach()
        return g
