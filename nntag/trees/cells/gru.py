"""Binary Tree-GRU: word vectors and a tree batch in, the hidden state of every node out.

Tsakalos 2017, "Sentiment classification using tree-based gated recurrent units", section 3.2.6, with N = 2. For an
inner node with the children's states h_1, h_2 (x = 0):
    z   = sigm(sum_l U^z_l h_l + b^z)                                    eq. 3.34, `update_gate="shared"`
    r_k = sigm(sum_l U^r_kl h_l + b^r)               k = 1, 2            eq. 3.35
    g   = tanh(sum_l U^h_l (h_l * r_l) + b^h)                            eq. 3.36 (h~ in the text)
    h   = (1 - z) * g + sum_l z/N * h_l                                  eq. 3.37
    z_k = sigm(sum_l U^z_kl h_l + b^z),  h = sum_l (1 - z_l)/N * g + sum_l z_l/N * h_l      `update_gate="per-child"`
For a leaf with word vector x: h = (1 - sigm(W^z x + b^z)) * tanh(W^h x + b^h).

Names: `gate_weight` holds the columns r_1, r_2, z (or r_1, r_2, z_1, z_2), `weight` those of g; rows are h_1 then h_2;
`leaf.weight` is W^z over W^h.
Where this differs from the paper: leaves and inner nodes have biases of their own and so has each r_k (the announced
270,900 parameters need both); a leaf under `per-child` uses the one update gate above, as it has no children to
divide by; `mix="sum"` (ours) drops the 1/N of the children, so that a leaf's state is not halved at every level.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from nntag.config.trees import TreeGRUConfig
from nntag.trees.batches import TreeBatch
from nntag.trees.cells.levels import child_rows, place_leaves, split_levels, sum_leaves
from nntag.trees.sizes import TreeSizes, make_weight


class TreeGRU(nn.Module):
    """The cell; `forward` gives the states of all nodes of a batch of binary trees."""

    def __init__(self, config: TreeGRUConfig, sizes: TreeSizes):
        super().__init__()
        hidden = config.hidden
        gates = 4 if config.update_gate == "per-child" else 3
        self.share = 0.5 if config.mix == "mean" else 1.0  # of each child's state in its parent's: 1/N
        self.leaf = nn.Linear(sizes.vector, 2 * hidden)
        self.gate_weight = make_weight(2 * hidden, gates * hidden)
        self.gate_bias = nn.Parameter(torch.zeros(gates * hidden))
        self.weight = make_weight(2 * hidden, hidden)
        self.bias = nn.Parameter(torch.zeros(hidden))

    def forward(self, vectors: Tensor, batch: TreeBatch) -> Tensor:
        """`vectors`: float[U, D], one for each of `batch.words` -> float[N, H] in the batch's node order."""
        weights = self.gate_weight, self.gate_bias, self.weight, self.bias
        return TreeGRUSweep.apply(self.leaf_states(vectors), *weights, batch, self.share)

    def leaf_states(self, vectors: Tensor) -> Tensor:
        """float[U, H]: h of a leaf for each word."""
        z, g = self.leaf(vectors).chunk(2, dim=1)
        return torch.sigmoid(-z) * torch.tanh(g)  # 1 - sigm(z) = sigm(-z)


class TreeGRUSweep(torch.autograd.Function):
    """All inner nodes, level by level, and their gradient: one node of the autograd graph for the whole batch."""

    @staticmethod
    def forward(
        ctx: Any,
        leaf_states: Tensor,
        gate_weight: Tensor,
        gate_bias: Tensor,
        weight: Tensor,
        bias: Tensor,
        batch: TreeBatch,
        share: float,
    ) -> Tensor:
        hidden, inner = leaf_states.shape[1], len(batch.inner)
        states = place_leaves(leaf_states, batch)
        gates = states.new_empty(inner, len(gate_bias))
        reset, candidates = states.new_empty(inner, 2 * hidden), states.new_empty(inner, hidden)
        columns = batch.inner, child_rows(states, batch), gates, reset, candidates
        # One level at a time, m nodes: child_h [m, 2H], gate [m, 3H or 4H], reset_h [m, 2H], g [m, H].
        for nodes, child_h, gate, reset_h, g in split_levels(batch, *columns):
            torch.addmm(gate_bias, child_h, gate_weight, out=gate).sigmoid_()  # eqs. 3.34-3.35
            torch.mul(child_h, gate[:, : 2 * hidden], out=reset_h)
            torch.addmm(bias, reset_h, weight, out=g).tanh_()  # eq. 3.36
            states.index_copy_(0, nodes, _mix(child_h, gate[:, 2 * hidden :], g, share))  # eq. 3.37
        ctx.save_for_backward(states, gates, reset, candidates, gate_weight, weight)
        ctx.batch, ctx.share = batch, share
        return states

    @staticmethod
    def backward(ctx: Any, grad_states: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        states, gates, reset, candidates, gate_weight, weight = ctx.saved_tensors
        batch, hidden = ctx.batch, states.shape[1]
        d_states = grad_states.clone(memory_format=torch.contiguous_format)
        d_gates, d_candidates = torch.empty_like(gates), torch.empty_like(candidates)
        columns = batch.inner, child_rows(states, batch), gates, candidates
        d_columns = d_gates, d_candidates, child_rows(d_states, batch)
        # From the roots down; shapes as in `forward`, a gradient like its value.
        levels = split_levels(batch, *columns, *d_columns)
        for nodes, child_h, gate, g, d_gate, d_g, d_child_h in reversed(levels):
            r, z = gate.split((2 * hidden, gate.shape[1] - 2 * hidden), dim=1)
            d_h = d_states.index_select(0, nodes)
            d_r, d_z = d_gate.split((2 * hidden, z.shape[1]), dim=1)
            _mix_backward(d_h, child_h, z, g, ctx.share, d_z, d_g, d_child_h)
            d_g.addcmul_(d_g * g, g, value=-1)  # through tanh, eq. 3.36
            d_reset_h = d_g @ weight.t()
            torch.mul(d_reset_h, child_h, out=d_r)
            d_child_h.addcmul_(d_reset_h, r)
            d_gate *= torch.addcmul(gate, gate, gate, value=-1)  # through sigm, eqs. 3.34-3.35
            d_child_h.addmm_(d_gate, gate_weight.t())
        # The weights are shared by all levels: one product for all inner nodes.
        d_gate_weight = child_rows(states, batch).t() @ d_gates
        d_weight = reset.t() @ d_candidates
        return sum_leaves(d_states, batch), d_gate_weight, d_gates.sum(0), d_weight, d_candidates.sum(0), None, None


def _mix(child_h: Tensor, z: Tensor, g: Tensor, share: float) -> Tensor:
    """Eq. 3.37: h from the children's states float[m, 2H], the update gate float[m, H] or float[m, 2H] and g."""
    left, right = child_h.chunk(2, dim=1)
    if z.shape[1] == g.shape[1]:
        return torch.lerp(g, (left + right).mul_(share), z)
    z_left, z_right = z.chunk(2, dim=1)
    kept = (z_left * left).addcmul_(z_right, right).mul_(share)
    return kept.add_(g).addcmul_(z_left + z_right, g, value=-0.5)


def _mix_backward(
    d_h: Tensor, child_h: Tensor, z: Tensor, g: Tensor, share: float, d_z: Tensor, d_g: Tensor, d_child_h: Tensor
) -> None:
    """The gradient of `_mix`: sets `d_z` and `d_g`, adds to `d_child_h`."""
    left, right = child_h.chunk(2, dim=1)
    if z.shape[1] == g.shape[1]:
        torch.mul((left + right).mul_(share).sub_(g), d_h, out=d_z)
        through = d_h * z
        torch.sub(d_h, through, out=d_g)
        d_child_h.add_(through.repeat(1, 2), alpha=share)
        return
    z_left, z_right = z.chunk(2, dim=1)
    torch.addcmul(d_h, z_left + z_right, d_h, value=-0.5, out=d_g)
    d_both = d_h.repeat(1, 2)
    torch.mul(torch.sub(child_h.mul(share), g.repeat(1, 2), alpha=0.5), d_both, out=d_z)
    d_child_h.addcmul_(d_both, z, value=share)
