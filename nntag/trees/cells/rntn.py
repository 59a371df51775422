"""Recursive neural tensor network: word vectors and a tree batch in, the state of every node out.

Tsakalos 2017, section 3.2 (after Socher et al. 2013b); x = [c_1; c_2] are the children's states:
    h = tanh(x^T V x + W x)          eq. 3.20, V in R^(2H x H x 2H)

Names: V is `tensor`, one [2H, 2H] slice for each of the H outputs side by side; W is `weight`.
Where this differs from the paper: W x has a bias, as in Socher et al.; a leaf is tanh(W_x x + b_x) and not the word
vector itself, so that vectors of any width fit.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nntag.config.trees import RNTNConfig
from nntag.trees.batches import TreeBatch
from nntag.trees.cells.sweep import Level, sweep_tree
from nntag.trees.sizes import TreeSizes, make_weight


class RNTN(nn.Module):
    """The cell; `forward` gives the states of all nodes of a batch of binary trees."""

    def __init__(self, config: RNTNConfig, sizes: TreeSizes):
        super().__init__()
        hidden = self.hidden = config.hidden
        self.leaf = nn.Linear(sizes.vector, hidden)
        self.tensor = nn.Parameter(torch.empty(2 * hidden, 2 * hidden * hidden).uniform_(-1, 1) / (2 * hidden))
        self.weight = make_weight(2 * hidden, hidden)
        self.bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, vectors: Tensor, batch: TreeBatch) -> Tensor:
        """`vectors`: float[U, D], one for each of `batch.words` -> float[N, H] in the batch's node order."""

        def compose(level: Level, children: Tensor, inputs: Tensor | None) -> Tensor:
            x = children.view(len(level.nodes), -1)  # float[m, 2H]
            slices = (x @ self.tensor).view(len(x), self.hidden, -1)  # float[m, H, 2H]: x^T V
            bilinear = torch.bmm(slices, x.unsqueeze(2)).squeeze(2)  # float[m, H]: x^T V x
            return torch.tanh(bilinear + torch.addmm(self.bias, x, self.weight))  # eq. 3.20

        parameters = [self.tensor, self.weight, self.bias]
        return sweep_tree(compose, self.leaf(vectors).tanh(), None, parameters, batch)
