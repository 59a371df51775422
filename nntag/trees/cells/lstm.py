"""Binary Tree-LSTM: word vectors and a tree batch in, the hidden state of every node out.

Tai, Socher & Manning 2015, "Improved Semantic Representations From Tree-Structured Long Short-Term Memory Networks",
section 3.2, with N = 2. For an inner node with the children's states h_1, c_1, h_2, c_2 (x = 0):
    i   = sigm(sum_l U^i_l h_l + b^i)          o likewise                    eqs. 9, 11
    f_k = sigm(sum_l U^f_kl h_l + b^f)         k = 1, 2                      eq. 10
    u   = tanh(sum_l U^u_l h_l + b^u)                                        eq. 12
    c   = i * u + sum_l f_l * c_l;             h = o * tanh(c)               eqs. 13-14
For a leaf with word vector x, `leaf="projected"` (their code's leaf): c = W x + b, h = sigm(W_o x + b_o) * tanh(c);
`leaf="gated"` (their equations): c = i * u, h = o * tanh(c) with i, o = sigm(W x + b), u = tanh(W x + b).

Names: all U are the columns of `weight` in the order i, f_1, f_2, o, u, its rows are h_1 then h_2; W is `leaf.weight`.
Where this differs from the paper: leaves and inner nodes have biases of their own, as in the authors' code (the paper's
equations share them), and each f_k has its own b^f.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from nntag.config.trees import TreeLSTMConfig
from nntag.trees.batches import TreeBatch
from nntag.trees.cells.levels import child_rows, place_leaves, split_levels, sum_leaves
from nntag.trees.sizes import TreeSizes, make_weight


class TreeLSTM(nn.Module):
    """The cell; `forward` gives the states of all nodes of a batch of binary trees."""

    def __init__(self, config: TreeLSTMConfig, sizes: TreeSizes):
        super().__init__()
        hidden, self.gated_leaf = config.hidden, config.leaf == "gated"
        self.leaf = nn.Linear(sizes.vector, (3 if self.gated_leaf else 2) * hidden)
        self.weight = make_weight(2 * hidden, 5 * hidden)
        self.bias = nn.Parameter(torch.zeros(5 * hidden))
        with torch.no_grad():
            self.bias[hidden : 3 * hidden].fill_(config.forget_bias)

    def forward(self, vectors: Tensor, batch: TreeBatch) -> Tensor:
        """`vectors`: float[U, D], one for each of `batch.words` -> float[N, H] in the batch's node order."""
        states, cells = self.leaf_states(vectors)
        return TreeLSTMSweep.apply(states, cells, self.weight, self.bias, batch)

    def leaf_states(self, vectors: Tensor) -> tuple[Tensor, Tensor]:
        """float[U, H] each: h and c of a leaf for each word."""
        gates = self.leaf(vectors)
        if self.gated_leaf:
            i, o, u = gates.chunk(3, dim=1)
            cells = i.sigmoid() * u.tanh()
        else:
            cells, o = gates.chunk(2, dim=1)
        return o.sigmoid() * cells.tanh(), cells


class TreeLSTMSweep(torch.autograd.Function):
    """All inner nodes, level by level, and their gradient: one node of the autograd graph for the whole batch."""

    @staticmethod
    def forward(
        ctx: Any, leaf_states: Tensor, leaf_cells: Tensor, weight: Tensor, bias: Tensor, batch: TreeBatch
    ) -> Tensor:
        hidden, inner = leaf_states.shape[1], len(batch.inner)
        states, cells = place_leaves(leaf_states, batch), place_leaves(leaf_cells, batch)
        gates, squashed = states.new_empty(inner, 5 * hidden), states.new_empty(inner, hidden)
        columns = batch.inner, child_rows(states, batch), child_rows(cells, batch), gates, squashed
        # One level at a time, m nodes: child_h and child_c [m, 2H], gate [m, 5H], squash (tanh c) [m, H].
        for nodes, child_h, child_c, gate, squash in split_levels(batch, *columns):
            torch.addmm(bias, child_h, weight, out=gate)
            sigmoids, u = gate.split((4 * hidden, hidden), dim=1)
            i, f, o = sigmoids.sigmoid_().split((hidden, 2 * hidden, hidden), dim=1)  # eqs. 9-11
            kept = f * child_c  # [m, 2H]: f_1 * c_1 and f_2 * c_2
            c = torch.addcmul(kept[:, :hidden], i, u.tanh_()).add_(kept[:, hidden:])  # eqs. 12-13
            cells.index_copy_(0, nodes, c)
            states.index_copy_(0, nodes, torch.tanh(c, out=squash) * o)  # eq. 14
        ctx.save_for_backward(states, cells, gates, squashed, weight)
        ctx.batch = batch
        return states

    @staticmethod
    def backward(ctx: Any, grad_states: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        states, cells, gates, squashed, weight = ctx.saved_tensors
        batch, hidden = ctx.batch, states.shape[1]
        d_states = grad_states.clone(memory_format=torch.contiguous_format)
        d_cells = torch.empty_like(cells)
        d_cells[batch.nodes - batch.trees :] = 0.0  # nothing reads the cell of a root
        d_gates, transposed = torch.empty_like(gates), weight.t()
        columns = batch.inner, child_rows(cells, batch), gates, squashed
        d_columns = d_gates, child_rows(d_states, batch), child_rows(d_cells, batch)
        # From the roots down; shapes as in `forward`, a gradient like its value.
        levels = split_levels(batch, *columns, *d_columns)
        for nodes, child_c, gate, squash, d_gate, d_child_h, d_child_c in reversed(levels):
            i, f, o, u = gate.split((hidden, 2 * hidden, hidden, hidden), dim=1)
            d_i, d_f, d_o, d_u = d_gate.split((hidden, 2 * hidden, hidden, hidden), dim=1)
            d_h, d_c = d_states.index_select(0, nodes), d_cells.index_select(0, nodes)
            torch.mul(d_h, squash, out=d_o)
            d_h *= o
            d_c += d_h.addcmul_(d_h * squash, squash, value=-1)
            torch.mul(d_c, u, out=d_i)
            torch.mul(d_c, i, out=d_u)
            d_c = d_c.repeat(1, 2)  # [m, 2H], for both children
            torch.mul(d_c, child_c, out=d_f)
            torch.mul(d_c, f, out=d_child_c)
            # Through the gates' sigmoids and the tanh of u to the children's states.
            sigmoids = gate[:, : 4 * hidden]
            d_gate[:, : 4 * hidden] *= torch.addcmul(sigmoids, sigmoids, sigmoids, value=-1)
            d_u.addcmul_(d_u * u, u, value=-1)
            d_child_h.addmm_(d_gate, transposed)
        # The weights are shared by all levels: one product for all inner nodes.
        d_weight = child_rows(states, batch).t() @ d_gates
        return sum_leaves(d_states, batch), sum_leaves(d_cells, batch), d_weight, d_gates.sum(0), None
