"""Memory network language model of one hop (Sukhbaatar et al. 2015): the MemN baseline of Tran, Bisazza & Monz (2016).

    p_t  = softmax((M_i + T) u)                eqs. 1-2 of Tran 2016 with a constant query u
    u'_t = H u + sum_i p_t,i (C x_i + T_C,i)

over the last n words x_i up to the current one; softmax over W u' + b.

Names: M, T, C, T_C in `block` (rmn.py), H `composer.linear`, u `query`.

Where this differs from the paper: Sukhbaatar's model applies a ReLU to half of the units and reads 100 words across
sentences; like the baseline of the comparison, this one has no ReLU, n = 15 and never looks beyond its sentence.
"""

from __future__ import annotations

import torch
from torch import Tensor

from nntag.config.language_models import MemNConfig
from nntag.language_models.models.language_model import NeuralLanguageModel, initialise
from nntag.language_models.models.rmn import Composer, MemoryBlock
from nntag.training.precision import products_in


class MemoryNetwork(NeuralLanguageModel):
    """The memory block of RMN under a query that is the same at every step."""

    def __init__(self, config: MemNConfig, vocabulary: int):
        super().__init__(vocabulary, config)
        self.query = config.query
        self.size = config.hidden
        self.block = MemoryBlock(vocabulary, config.hidden, config.memory, True, True, config.input_dropout)
        self.composer = Composer("linear", config.hidden)
        initialise(self, config.init_range)

    def states(self, inputs: Tensor) -> Tensor:
        """float[T, B, H] of `inputs: int64[T, B]`: see `NeuralLanguageModel.states`."""
        return self._run(inputs)[0]

    @torch.no_grad()
    def attention(self, inputs: Tensor) -> Tensor:
        """The weights `float[T, B, M]` of the last M inputs at each step; the last column is the newest."""
        return self._run(inputs)[1]

    def _run(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        query = self.block.memory_input.weight.new_full((*inputs.shape, self.size), self.query)
        with products_in("float32", query.device):  # scores of attention
            context, weights = self.block(query, inputs)
        return self.composer(context, query), weights
