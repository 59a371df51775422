"""One frozen dataclass for each model: its hyper-parameters, with the paper's symbols and defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.fields import option

SkipKind = Literal["none", "gates", "internal", "internal-gated", "output", "output-gated"]
RecurrentInit = Literal["orthogonal", "xavier"]


@dataclass(frozen=True, slots=True)
class SkipLSTMConfig:
    """Stacked bidirectional LSTM with skip connections (Wu, Zhang & Zong 2016)."""

    layers: int = option(2, "depth L", low=1)
    hidden: int = option(200, "cells n of a layer in each direction", low=1)
    skip: SkipKind = option("output-gated", "where the skip from layer l-2 arrives, eqs. 9-15")
    gate: Literal["plain", "exclusive"] = option(
        "plain", "what the skip's gate sees: eq. 15, or section 6.1.4's exclusive gate"
    )
    mapping: Literal["identity", "sigmoid"] = option("identity", "what is done to the skipped output (section 6.1.4)")
    joined: bool = option(False, "each layer reads both directions of the layer below (ours); false: eq. 16")
    forget_bias: float = option(0.0, "initial bias b_f of the forget gate")
    bias: bool = option(True, "gates have biases (eq. 9 writes none)")
    dropout: float = option(0.5, "dropout on the outputs of the first and of the last layer", low=0, high=0.99)
    init: Literal["default", "wu2016"] = option("default", "initialisation of the weights")
    recurrent_init: RecurrentInit = option("orthogonal", "initialisation of the recurrent weights (section 6.1.2)")
