"""The word vectors below a tree model: word ids in, their vectors out; fixed, or tuned by sparse SGD."""

from __future__ import annotations

import torch
from torch import Tensor, nn


class WordTable(nn.Module):
    """float[V, D], one row a word. With `rate` 0 it never changes; otherwise the rows that a training batch used take
    one step of plain SGD at `rate` in its backward pass.

    That is Tai et al.'s rule for tuned vectors (rate 0.1, no L2). A dense optimiser over the table would spend
    most of an update on rows that the batch does not have.
    """

    def __init__(self, table: Tensor, rate: float = 0.0):
        super().__init__()
        self.register_buffer("table", table)
        self.table: Tensor
        self.rate = rate

    def forward(self, words: Tensor) -> Tensor:
        """int64[U], distinct ids -> float[U, D]."""
        vectors = self.table.index_select(0, words)
        if self.rate and self.training and torch.is_grad_enabled():
            vectors.requires_grad_().register_hook(lambda grad: self._step(words, grad))
        return vectors

    @torch.no_grad()
    def _step(self, words: Tensor, grad: Tensor) -> None:
        self.table.index_add_(0, words, grad, alpha=-self.rate)
