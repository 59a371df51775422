"""The bi-directional recurrent memory network: ids of words in, the log-probability of each given its neighbours out.

After section 6 of Tran, Bisazza & Monz, "Recurrent Memory Networks for Language Modeling" (NAACL 2016).

The LSTM layers read from left to right as in RM (`rmn.py`). To predict x_{t+1}, the memory block sees the n words up
to x_t and the n words from x_{t+2} on, so M_i, C_i and T have 2n rows in eqs. 1-3; composition and softmax are those
of RM.

    p_t = softmax((M_i + T) h_t),  {x_i} = x_{t-n+1} .. x_t, x_{t+2} .. x_{t+n+1}         eqs. 1 and 2, Tran 2016

What comes out is not a normalised language model: every word is predicted from words that are predicted in turn, so
that the sum of log-probabilities of a sentence is a pseudo-likelihood (Besag 1975). Sentences that differ in one word
can be compared by it; its perplexity cannot be compared with that of a language model.

Names: M `memory_input`, C `memory_output`, T `temporal`; `weights` has 2n + 1 columns, of which the middle one, the
predicted word, is always 0.

Where this differs from the paper: it says no more than that the block sees both sides. ours: words beyond the
sentence's ends and `</s>` are masked, `<s>` is seen; T has a row for each distance on either side; there is no RMR
variant, since an LSTM layer on top would carry a word seen ahead to the step that predicts it.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

from nntag.config.language_models import BidirectionalRMNConfig
from nntag.language_models.models.language_model import initialise
from nntag.language_models.models.rmn import BLOCK, MemoryBlock, RecurrentMemory, band, unband
from nntag.language_models.streams import BOUNDARY


class TwoSidedMemoryBlock(MemoryBlock):
    """Attention of each state over the n words up to the current one and the n words after the predicted one."""

    def __init__(self, vocabulary: int, size: int, memory: int, temporal: bool, temporal_output: bool, dropout: float):
        super().__init__(vocabulary, size, 2 * memory, temporal, temporal_output, dropout)
        self.reach = memory  # n

    def forward(self, states: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Attends from `states: float[T, B, H]` over the words around each of `words: int64[T, B]`.

        Gives the contexts s, `float[T, B, H]`, and the weights p, `float[T, B, 2n + 1]`: column n - 1 belongs to the
        current word, column n to the predicted one (always 0); columns from beyond the sentence hold 0.
        """
        before, behind, width = self.reach - 1, self.reach + 1, 2 * self.reach + 1
        padded = F.pad(words.t(), (before, behind))
        keys = self.dropout(self.memory_input(padded))  # float[B, T + 2n, H]
        values = self.dropout(self.memory_output(padded))
        queries, visible = states.transpose(0, 1), self._find_visible(words)
        bias = None if self.temporal is None else self._spread(states @ self.temporal.t()).transpose(0, 1)
        contexts, weights = [], []
        # A block of S steps at a time: all pairs of its states and of the words that any of them sees.
        for start in range(0, len(words), BLOCK):
            stop = min(start + BLOCK, len(words))
            pairs = torch.bmm(queries[:, start:stop], keys[:, start : stop + width - 1].transpose(1, 2))
            scores = band(pairs, width)  # [B, S, 2n + S] -> [B, S, 2n + 1]
            if bias is not None:
                scores = scores + bias[:, start:stop]  # eq. 2
            p = torch.softmax(scores.masked_fill(~visible[:, start:stop], -torch.inf), dim=-1)  # eq. 1
            weights.append(p)
            contexts.append(torch.bmm(unband(p), values[:, start : stop + width - 1]))  # eq. 3
        weight = torch.cat(weights, dim=1).transpose(0, 1)  # float[T, B, 2n + 1]
        context = torch.cat(contexts, dim=1).transpose(0, 1)  # float[T, B, H]
        if self.temporal_output is not None:
            sides = torch.cat((weight[..., : self.reach], weight[..., self.reach + 1 :]), dim=-1)
            context = context + sides @ self.temporal_output
        return context, weight

    def _spread(self, sides: Tensor) -> Tensor:
        """Puts a column of zeros for the predicted word between the two sides: [T, B, 2n] -> [T, B, 2n + 1]."""
        return torch.cat((sides[..., : self.reach], torch.zeros_like(sides[..., :1]), sides[..., self.reach :]), dim=-1)

    def _find_visible(self, words: Tensor) -> Tensor:
        """bool[B, T, 2n + 1]: the columns that hold a word of the sentence, other than the predicted one."""
        inside = words != BOUNDARY
        inside[0] = True  # <s>; later boundaries are padding
        windows = F.pad(inside.t(), (self.reach - 1, self.reach + 1)).unfold(1, 2 * self.reach + 1, 1)
        visible = windows.clone()
        visible[..., self.reach] = False
        visible[..., self.reach - 1] = True  # padding sees itself, so that no softmax is empty
        return visible


class BidirectionalRecurrentMemory(RecurrentMemory):
    """RM whose memory sees both sides of the predicted word."""

    looks_ahead = True

    def __init__(self, config: BidirectionalRMNConfig, vocabulary: int):
        super().__init__(config, vocabulary)
        sizes = vocabulary, config.hidden, config.memory
        self.block = TwoSidedMemoryBlock(*sizes, config.temporal, config.temporal_output, config.input_dropout)
        initialise(self, config.init_range, config.forget_bias)
