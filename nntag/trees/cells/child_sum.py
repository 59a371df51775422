"""Child-sum Tree-LSTM and Tree-GRU, for nodes with any number of unordered children and with or without a word.

Word vectors and a tree batch in, the hidden state of every node out. x is the node's own word vector (0 where it has
none, as in the inner nodes of constituency trees), h_k and c_k are the states of its children (none: the sums are 0).

Tree-LSTM (Tai, Socher & Manning 2015, eqs. 2-8; Tsakalos 2017, eqs. 3.21-3.27):
    h~ = sum_k h_k;   i, o = sigm(W x + U h~ + b);   u = tanh(W x + U h~ + b);   f_k = sigm(W x + U h_k + b)
    c = i * u + sum_k f_k * c_k;   h = o * tanh(c)
Tree-GRU (Zhou, Liu & Pan 2016; the dissertation's open work):
    z = sigm(W_z x + U_z sum_k h_k + b_z);   r_k = sigm(W_r x + U_r h_k + b_r)
    g = tanh(W x + U sum_k r_k * h_k + b);   h = (1 - z) * g + z * sum_k h_k

Names: `word` holds every W with its b, in the order i, o, u, f and z, g, r; `weight` every U that multiplies a sum,
`child_weight` U_f or U_r.
Where this differs from the papers: the GRU's gates have biases; `mix="mean"` (ours, the default) averages the
children's states in h, so that |h| <= 1 whatever their number; `mix="sum"` is the paper's.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nntag.config.trees import ChildSumGRUConfig, ChildSumLSTMConfig
from nntag.trees.batches import TreeBatch
from nntag.trees.cells.sweep import Level, inner_inputs, sweep_tree
from nntag.trees.sizes import TreeSizes, make_weight


class ChildSumLSTM(nn.Module):
    """The cell; `forward` gives the states of all nodes of a batch of trees of any shape."""

    def __init__(self, config: ChildSumLSTMConfig, sizes: TreeSizes):
        super().__init__()
        hidden = self.hidden = config.hidden
        self.word = nn.Linear(sizes.vector, 4 * hidden)
        self.weight = make_weight(hidden, 3 * hidden)
        self.child_weight = make_weight(hidden, hidden)
        with torch.no_grad():
            self.word.bias[3 * hidden :] = config.forget_bias

    def forward(self, vectors: Tensor, batch: TreeBatch) -> Tensor:
        """`vectors`: float[U, D], one for each of `batch.words` -> float[N, H] in the batch's node order."""
        n = self.hidden
        by_word = self.word(vectors)  # [U, 4H]: i, o, u, f

        def combine(gates: Tensor, kept: Tensor | float) -> Tensor:
            """h and c side by side from what stands in the brackets of i, o, u and from sum_k f_k * c_k."""
            i, o, u = gates.chunk(3, dim=1)
            c = i.sigmoid() * u.tanh() + kept  # eq. 7
            return torch.cat([o.sigmoid() * c.tanh(), c], 1)  # eq. 8

        def compose(level: Level, children: Tensor, inputs: Tensor | None) -> Tensor:
            h, c = children.split(n, dim=1)  # [K, 2H] -> [K, H] each
            own = self.word.bias.expand(len(level.nodes), -1) if inputs is None else inputs
            f = torch.addmm(own[:, 3 * n :].index_select(0, level.parents), h, self.child_weight).sigmoid()  # eq. 4
            gates = torch.addmm(own[:, : 3 * n], level.sum_children(h), self.weight)  # eqs. 2-3, 5-6
            return combine(gates, level.sum_children(f * c))

        parameters = [self.word.bias, self.weight, self.child_weight]
        inputs = inner_inputs(by_word, self.word.bias, batch)
        return sweep_tree(compose, combine(by_word[:, : 3 * n], 0.0), inputs, parameters, batch)[:, :n]


class ChildSumGRU(nn.Module):
    """The cell; `forward` gives the states of all nodes of a batch of trees of any shape."""

    def __init__(self, config: ChildSumGRUConfig, sizes: TreeSizes):
        super().__init__()
        hidden = self.hidden = config.hidden
        self.mean = config.mix == "mean"
        self.word = nn.Linear(sizes.vector, 3 * hidden)
        self.weight = make_weight(hidden, 2 * hidden)  # U_z, U
        self.child_weight = make_weight(hidden, hidden)  # U_r

    def forward(self, vectors: Tensor, batch: TreeBatch) -> Tensor:
        """`vectors`: float[U, D], one for each of `batch.words` -> float[N, H] in the batch's node order."""
        n = self.hidden
        by_word = self.word(vectors)  # [U, 3H]: z, g, r
        leaves = torch.sigmoid(-by_word[:, :n]) * by_word[:, n : 2 * n].tanh()  # 1 - sigm(z) = sigm(-z)

        def compose(level: Level, h: Tensor, inputs: Tensor | None) -> Tensor:
            own = self.word.bias.expand(len(level.nodes), -1) if inputs is None else inputs
            r = torch.addmm(own[:, 2 * n :].index_select(0, level.parents), h, self.child_weight).sigmoid()
            total = level.sum_children(h)  # [K, H] -> [m, H]
            z = torch.addmm(own[:, :n], total, self.weight[:, :n]).sigmoid()
            g = torch.addmm(own[:, n : 2 * n], level.sum_children(r * h), self.weight[:, n:]).tanh()
            if self.mean:
                total = total / level.sum_children(torch.ones_like(h[:, :1]))
            return torch.lerp(g, total, z)

        parameters = [self.word.bias, self.weight, self.child_weight]
        return sweep_tree(compose, leaves, inner_inputs(by_word, self.word.bias, batch), parameters, batch)
