"""The hyper-parameters of the deep taggers that skip connections are compared with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.fields import option
from nntag.config.taggers import RecurrentInit

ShortcutGate = Literal["linear", "nonlinear", "stochastic", "stochastic-learned"]


@dataclass(frozen=True, slots=True)
class ShortcutConfig:
    """Stacked bidirectional shortcut blocks (Wu, Zhang & Zong 2017)."""

    layers: int = option(2, "depth L", low=1)
    hidden: int = option(200, "cells n of a layer in each direction", low=1)
    gate: ShortcutGate = option("nonlinear", "what the shortcut gate g is")
    gate_reads: Literal["both", "below"] = option(
        "both", "what a computed gate reads: h[l-1,t] and h[l,t-1], as the LSTM's gates do, or h[l-1,t] alone"
    )
    p: float = option(0.5, "probability that a gate of kind stochastic is open", low=0, high=1)
    topology: int = option(2, "where the shortcuts run: types 1 to 5, 0 for none", low=0, high=5)
    links: tuple[tuple[int, int], ...] = option((), "shortcuts of your own, such as 1-3,2-4, in place of a topology")
    forget_bias: float = option(0.0, "initial bias of the forget gate, in layers without a shortcut")
    bias: bool = option(True, "gates have biases")
    dropout: float = option(0.5, "dropout on the outputs of the first and of the last layer", low=0, high=0.99)
    init: Literal["default", "wu2016"] = option("default", "initialisation of the weights")
    recurrent_init: RecurrentInit = option("orthogonal", "initialisation of the recurrent weights (section 6.1.2)")


@dataclass(frozen=True, slots=True)
class HighwayLSTMConfig:
    """Stacked bidirectional LSTM with gated links between internal states (Zhang et al. 2016)."""

    layers: int = option(2, "depth L", low=1)
    hidden: int = option(200, "cells n of a layer in each direction", low=1)
    forget_bias: float = option(0.0, "initial bias b_f of the forget gate")
    carry_bias: float = option(0.0, "initial bias b_d of the carry gate d")
    dropout: float = option(0.5, "dropout on the outputs of the first and of the last layer", low=0, high=0.99)
    init: Literal["default", "wu2016"] = option("default", "initialisation of the weights")
    recurrent_init: RecurrentInit = option("orthogonal", "initialisation of the recurrent weights (section 6.1.2)")


@dataclass(frozen=True, slots=True)
class RHNConfig:
    """One bidirectional recurrent highway layer (Zilly et al. 2016)."""

    depth: int = option(3, "recurrence depth L: highway steps within one time step", low=1)
    hidden: int = option(200, "units n in each direction", low=1)
    output_gate: bool = option(True, "o * tanh(s_L) in place of s_L in the last step (footnote 2, Wu 2016)")
    transform_bias: float = option(-2.0, "initial bias b_T of the transform gate")
    dropout: float = option(0.5, "dropout on the output", low=0, high=0.99)
    init: Literal["default", "wu2016"] = option("default", "initialisation of the weights")
    recurrent_init: RecurrentInit = option("orthogonal", "initialisation of the recurrent weights (section 6.1.2)")
