"""The word vectors below a tree model: word ids in, their vectors out; fixed, or tuned by sparse SGD."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nntag.training.model import GatherRows, keep_rows


class WordTable(nn.Module):
    """float[V, D], one row a word. With `rate` 0 it never changes; otherwise `step` moves the rows that a training
    batch has used by plain SGD at `rate`.

    That is Tai et al.'s rule for tuned vectors (rate 0.1, no L2). A dense optimiser over the table would spend
    most of an update on rows that the batch does not have: so the table is no parameter, and what has been looked up
    since the last step, with its gradient, is kept here.
    """

    def __init__(self, table: Tensor, rate: float = 0.0):
        super().__init__()
        self.register_buffer("table", table)
        self.table: Tensor
        self.rate = rate
        self._used: list[tuple[Tensor, Tensor]] = []  # word ids and their vectors, whose `grad` the backward pass fills

    def forward(self, words: Tensor) -> Tensor:
        """int64[U] -> float[U, D]."""
        vectors = self.table.index_select(0, words)
        if self.rate and self.training and torch.is_grad_enabled():
            self._used.append((words, vectors.requires_grad_()))
        return vectors

    @torch.no_grad()
    def step(self, gather: GatherRows = keep_rows) -> None:
        """Moves the rows that have been looked up since the last step, here and in other processes, against their
        gradients."""
        if not self.rate:
            return
        used = [(words, vectors.grad) for words, vectors in self._used if vectors.grad is not None]
        self._used.clear()
        words = torch.cat([torch.zeros(0, dtype=torch.int64, device=self.table.device), *(own for own, _ in used)])
        gradients = torch.cat([self.table.new_zeros(0, self.table.shape[1]), *(gradient for _, gradient in used)])
        words, gradients = gather(words, gradients)
        self.table.index_add_(0, words, gradients, alpha=-self.rate)
