"""The configs of the tree models: one frozen dataclass for each, with the papers' symbols and defaults."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.fields import option


@dataclass(frozen=True, slots=True)
class TreeLSTMConfig:
    """Binary Tree-LSTM (Tai, Socher & Manning 2015)."""

    hidden: int = option(150, "width H of a node's state", low=1)
    leaf: Literal["projected", "gated"] = option("projected", "leaf cells: c = W x + b (the authors' code) or c = i * u (eq. 13)")
    forget_bias: float = option(0.0, "initial bias of the forget gates")
    dropout: float = option(0.5, "dropout on the states that the classifier sees", low=0, high=0.99)


@dataclass(frozen=True, slots=True)
class TreeGRUConfig:
    """Binary Tree-GRU (Tsakalos 2017, section 3.2.6)."""

    hidden: int = option(150, "width H of a node's state", low=1)
    update_gate: Literal["shared", "per-child"] = option("shared", "one update gate z (eq. 3.34), or one for each child")
    mix: Literal["mean", "sum"] = option("mean", "children's states in eq. 3.37: averaged, or summed (ours)")
    dropout: float = option(0.5, "dropout on the states that the classifier sees", low=0, high=0.99)
