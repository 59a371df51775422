"""The sizes that a tree model is built with, and its initial weights."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True, slots=True)
class TreeSizes:
    """Those sizes of a tree model that the data decides."""

    words: int  # V: entries of the word table
    vector: int  # D: width of the word vectors
    classes: int  # outputs of the classifier


def make_weight(inputs: int, outputs: int) -> nn.Parameter:
    """float[inputs, outputs], uniform in +-1/sqrt(inputs): what `nn.Linear` starts from, as Tai et al. do."""
    bound = inputs**-0.5
    return nn.Parameter(torch.empty(inputs, outputs).uniform_(-bound, bound))
