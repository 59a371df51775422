"""What a tagger or tree model learns on top of an encoder: its hidden states in, one vector a word out.

    m_t = sum_l s_l h_{t,l},  s = softmax(w)            eq. 1 of Peters et al. 2018 (ELMo)
    c_t = drop(relu(W drop(norm(m_t)) + b))

Where this differs from the paper: no factor gamma, as layer normalisation would undo it; the normalisation, the
projection and its dropout are ours. With one layer there is nothing to mix.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from nntag.config.contextual import ContextualInput
from nntag.encoding.contextual.batch import WordBatch
from nntag.encoding.contextual.encoder import ContextualEncoder


class ContextualLayer(nn.Module):
    """`output_size` is the width of c_t."""

    def __init__(self, settings: ContextualInput, layers: int, size: int, encoder: ContextualEncoder | None = None):
        """`layers` L and `size` D of the encoder's states; `encoder` only where it is tuned."""
        super().__init__()
        self.settings, self.encoder = settings, encoder
        self.output_size, self.dropout = settings.contextual_size, settings.contextual_dropout
        self.mix = nn.Parameter(torch.zeros(layers)) if layers > 1 else None  # w: at first the plain mean
        self.norm = nn.LayerNorm(size)
        self.projection = nn.Linear(size, settings.contextual_size)

    def forward(self, batch: WordBatch) -> Tensor:
        """float32[N, output_size]."""
        states = batch.states if self.encoder is None else self.encoder(batch.windows, batch.words)
        assert states is not None
        mixed = self.norm(self._mix(states.to(self.projection.weight.dtype)))
        projected = torch.relu(self.projection(functional.dropout(mixed, self.dropout, self.training)))
        return functional.dropout(projected, self.dropout, self.training)

    def _mix(self, states: Tensor) -> Tensor:
        """[N, L, D] -> [N, D]."""
        if self.mix is None:
            return states.squeeze(1)
        return torch.softmax(self.mix, 0) @ states
