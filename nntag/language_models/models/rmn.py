"""Recurrent memory networks after Tran, Bisazza & Monz, "Recurrent Memory Networks for Language Modeling" (NAACL 2016).

h_t is the state of the LSTM layers below, {x_i} the last n words up to x_t, M_i and C_i their rows in two tables:

    p_t = softmax(M_i h_t)                  eq. 1    without temporal matrix
    p_t = softmax((M_i + T) h_t)            eq. 2    with it
    s_t = C_i^T p_t                         eq. 3
    z_t = sigm(W_sz s_t + U_hz h_t)         eq. 4    composition "gating"
    r_t = sigm(W_sr s_t + U_hr h_t)         eq. 5
    h~  = tanh(W s_t + U (r_t * h_t))       eq. 6
    h^m = (1 - z_t) * h_t + z_t * h~        eq. 7

RM: the softmax over words predicts from h^m. RMR: from the states of one more LSTM layer over h^m.

Names: M `memory_input`, C `memory_output`, T `temporal`, n `memory`, [W_sz; W_sr; W] `context_gates`, [U_hz; U_hr]
`state_gates`, U `candidate`, A `linear`, p `weights`, s `context`.

How it is computed: the rows of M and C are looked up once for every input, not for every window; one matrix product
gives the scores of all pairs of a block of steps, of which a band n wide is used. That wastes a few multiplications and
saves the copies of T windows of n rows.

Where this differs from the paper (what it leaves open is settled as in the authors' code):
- In the first n - 1 steps the window is the t words that there are, never padded. The newest word always meets the last
  row of T, so that a row of T is a distance; the paper writes T[1:t].
- "linear" is h^m = A h + s with a square matrix A and no bias; the paper's plain addition is "sum".
- With a temporal matrix, a second one is added to the rows of C, as the authors' code does and eq. 3 does not
  (`temporal_output`).
- The input embedding, M, C and the output matrix are four tables; no gate has a bias, as printed.
- Dropout on embeddings, memories and under the softmax, and tying, are ours and off unless asked for.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from nntag.config.language_models import Composition, RMNConfig
from nntag.language_models.models.language_model import NeuralLanguageModel, initialise
from nntag.language_models.models.lstm_lm import LSTMStack
from nntag.training.dropout import Dropout
from nntag.training.precision import products_in

BLOCK = 128  # steps whose scores are computed together; bounds memory for very long sentences


class MemoryBlock(nn.Module):
    """Attention of each state over the last n words, and its composition with the state."""

    def __init__(self, vocabulary: int, size: int, memory: int, temporal: bool, temporal_output: bool, dropout: float):
        super().__init__()
        self.memory = memory
        self.memory_input = nn.Embedding(vocabulary, size)
        self.memory_output = nn.Embedding(vocabulary, size)
        self.temporal = nn.Parameter(torch.empty(memory, size)) if temporal else None
        self.temporal_output = nn.Parameter(torch.empty(memory, size)) if temporal and temporal_output else None
        self.dropout = Dropout(dropout)

    def forward(self, states: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Attends from `states: float[T, B, H]` over the windows of `words: int64[T, B]`.

        Gives the contexts s, `float[T, B, H]`, and the weights p, `float[T, B, M]`: the last column belongs to the
        current word, the one before it to the word before; columns from before the sentence hold 0.
        """
        ahead = self.memory - 1
        padded = F.pad(words.t(), (ahead, 0))  # any word will do: its weight is exactly 0
        keys = self.dropout(self.memory_input(padded))  # float[B, M - 1 + T, H]
        values = self.dropout(self.memory_output(padded))
        queries = states.transpose(0, 1)  # float[B, T, H]
        bias = None if self.temporal is None else states @ self.temporal.t()  # float[T, B, M]: T h of eq. 2
        contexts, weights = [], []
        # A block of S steps at a time: all pairs of its states and of the words that any of them sees.
        for start in range(0, len(words), BLOCK):
            stop = min(start + BLOCK, len(words))
            pairs = torch.bmm(queries[:, start:stop], keys[:, start : stop + ahead].transpose(1, 2))
            scores = band(pairs, self.memory)  # [B, S, M - 1 + S] -> [B, S, M]
            if bias is not None:
                scores = scores + bias[start:stop].transpose(0, 1)  # eq. 2
            if start < ahead:
                scores = scores.masked_fill(self._before_sentence(start, stop, words.device), -torch.inf)
            p = torch.softmax(scores, dim=-1)  # eq. 1
            weights.append(p)
            contexts.append(torch.bmm(unband(p), values[:, start : stop + ahead]))  # eq. 3
        weight = torch.cat(weights, dim=1).transpose(0, 1)  # float[T, B, M]
        context = torch.cat(contexts, dim=1).transpose(0, 1)  # float[T, B, H]
        if self.temporal_output is not None:
            context = context + weight @ self.temporal_output
        return context, weight

    def _before_sentence(self, start: int, stop: int, device: torch.device) -> Tensor:
        """bool[S, M]: the columns of steps start..stop that lie before the first word."""
        steps = torch.arange(start, stop, device=device)[:, None]
        return steps + torch.arange(self.memory, device=device) < self.memory - 1


def band(scores: Tensor, width: int) -> Tensor:
    """`scores[b, i, i + c]` for c < width: float[B, S, S + width - 1] -> float[B, S, width]."""
    batch, steps, columns = scores.shape
    skewed = F.pad(scores.flatten(1), (0, steps)).view(batch, steps, columns + 1)  # each row begins one place later
    return skewed[:, :, :width]


def unband(banded: Tensor) -> Tensor:
    """The inverse of `band`, zeros outside the band: float[B, S, width] -> float[B, S, S + width - 1]."""
    batch, steps, width = banded.shape
    columns = steps + width - 1
    return F.pad(banded, (0, steps)).flatten(1)[:, : steps * columns].view(batch, steps, columns)


class Composer(nn.Module):
    """g(s, h): the context and the state to the block's output, both float[T, B, H]."""

    def __init__(self, kind: Composition, size: int):
        super().__init__()
        self.kind = kind
        if kind == "gating":
            self.context_gates = nn.Linear(size, 3 * size, bias=False)  # W_sz, W_sr, W
            self.state_gates = nn.Linear(size, 2 * size, bias=False)  # U_hz, U_hr
            self.candidate = nn.Linear(size, size, bias=False)  # U
        elif kind == "linear":
            self.linear = nn.Linear(size, size, bias=False)  # A

    def forward(self, context: Tensor, state: Tensor) -> Tensor:
        """float[T, B, H] from two tensors of that shape."""
        if self.kind == "sum":
            return state + context
        if self.kind == "linear":
            return self.linear(state) + context
        size = state.shape[-1]
        from_context = self.context_gates(context).to(state.dtype)  # products may come in fewer bits than the rest
        z, r = torch.sigmoid(from_context[..., : 2 * size] + self.state_gates(state)).chunk(2, dim=-1)  # eqs. 4, 5
        candidate = torch.tanh(from_context[..., 2 * size :] + self.candidate(r * state))  # eq. 6
        return torch.lerp(state, candidate, z)  # eq. 7


class RecurrentMemory(NeuralLanguageModel):
    """RM, or RMR with `recurrent_top`."""

    def __init__(self, config: RMNConfig, vocabulary: int):
        super().__init__(vocabulary, config)
        if not config.tie:
            self.embedding = nn.Embedding(vocabulary, config.hidden)
        self.input_dropout = Dropout(config.input_dropout)
        self.stack = LSTMStack(config.layers, config.hidden, config.dropout)
        self.block = MemoryBlock(
            vocabulary, config.hidden, config.memory, config.temporal, config.temporal_output, config.input_dropout
        )
        self.composer = Composer(config.composition, config.hidden)
        self.top = LSTMStack(1, config.hidden, config.dropout) if config.recurrent_top else None
        initialise(self, config.init_range, config.forget_bias)

    def states(self, inputs: Tensor) -> Tensor:
        """float[T, B, H] of `inputs: int64[T, B]`: see `NeuralLanguageModel.states`."""
        return self._run(inputs)[0]

    @torch.no_grad()
    def attention(self, inputs: Tensor) -> Tensor:
        """The weights `float[T, B, M]` of the last M inputs at each step; the last column is the newest."""
        return self._run(inputs)[1]

    def _run(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        states = self.stack(self.input_dropout(self.embed(inputs)))
        with products_in("float32", states.device):  # scores of attention
            context, weights = self.block(states, inputs)
        states = self.composer(context, states)
        return (states if self.top is None else self.top(states)), weights
