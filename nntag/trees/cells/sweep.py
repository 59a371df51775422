"""Any tree cell over a tree batch, level by level: leaf states and the function of one level in, all states out.

The slower but general counterpart of the hand-written sweeps of `lstm` and `gru`: the gradient of each level is
autograd's, yet the states live in one buffer, so that memory and time grow with the nodes alone, not with nodes times
levels. A state is one row of S numbers, whatever the cell keeps in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from nntag.trees.batches import TreeBatch
from nntag.trees.cells.levels import place_leaves, sum_leaves


@dataclass(frozen=True, slots=True)
class Level:
    """The m nodes of one height and their K children."""

    nodes: Tensor  # int64[m]: batch numbers
    rows: slice  # their places among the inner nodes
    children: slice  # the children's places among all nodes
    parents: Tensor  # int64[K]: place of each child's parent among the m nodes

    def sum_children(self, values: Tensor) -> Tensor:
        """float[K, X] -> float[m, X]: summed over the children of each node."""
        return values.new_zeros(len(self.nodes), values.shape[1]).index_add(0, self.parents, values)


def find_levels(batch: TreeBatch) -> list[Level]:
    """The levels of a batch, lowest first."""
    levels = []
    for number, (start, end) in enumerate(zip(batch.levels, batch.levels[1:], strict=False)):
        children = slice(batch.child_levels[number], batch.child_levels[number + 1])
        rows = slice(start, end)
        levels.append(Level(batch.inner[rows], rows, children, batch.child_parents[children] - start))
    return levels


Compose = Callable[[Level, Tensor, Tensor | None], Tensor]  # (level, children [K, S], inputs [m, G]) -> states [m, S]


def sweep_tree(
    compose: Compose, leaf_states: Tensor, inputs: Tensor | None, parameters: Sequence[Tensor], batch: TreeBatch
) -> Tensor:
    """float[N, S] in the batch's node order.

    `leaf_states`: float[U, S], one for each word; `inputs`: float[M, G], what each inner node's own word gives it, or
    None; `parameters`: everything with a gradient that `compose` uses besides its arguments.
    """
    return _Sweep.apply(compose, batch, leaf_states, inputs, *parameters)


class _Sweep(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        compose: Compose,
        batch: TreeBatch,
        leaf_states: Tensor,
        inputs: Tensor | None,
        *parameters: Tensor,
    ) -> Tensor:
        states = place_leaves(leaf_states, batch)  # float[N, S]; inner nodes follow level by level
        record = any(ctx.needs_input_grad)
        ctx.batch, ctx.parameters, ctx.has_inputs = batch, parameters, inputs is not None
        ctx.graphs = []
        for level in find_levels(batch):
            with torch.set_grad_enabled(record):
                children = states[level.children].clone().requires_grad_(record)  # float[K, S]
                own = None if inputs is None else inputs[level.rows].detach().requires_grad_(record)
                found = compose(level, children, own)  # float[m, S]
            states.index_copy_(0, level.nodes, found.detach())
            if record:
                ctx.graphs.append((level, children, own, found))
        return states

    @staticmethod
    def backward(ctx: Any, grad_states: Tensor) -> tuple[Any, ...]:  # type: ignore[override]
        # From the roots down: each level's own small graph gives the gradients of its children and of the parameters.
        d_states = grad_states.clone(memory_format=torch.contiguous_format)
        trained = [parameter for parameter in ctx.parameters if parameter.requires_grad]
        sums = [torch.zeros_like(parameter) for parameter in trained]
        d_inputs = []
        for level, children, own, found in reversed(ctx.graphs):
            wanted = [children, *([] if own is None else [own]), *trained]
            grads = list(
                torch.autograd.grad(
                    found, wanted, d_states.index_select(0, level.nodes), retain_graph=True, allow_unused=True
                )
            )
            d_states[level.children] += grads.pop(0)
            if own is not None:
                d_inputs.append(grads.pop(0))
            for total, grad in zip(sums, grads, strict=True):
                if grad is not None:
                    total += grad
        by_parameter = iter(sums)
        d_parameters = [next(by_parameter) if parameter.requires_grad else None for parameter in ctx.parameters]
        d_own = torch.cat(d_inputs[::-1]) if d_inputs else None
        return None, None, sum_leaves(d_states, ctx.batch), d_own, *d_parameters


def inner_inputs(by_word: Tensor, bias: Tensor, batch: TreeBatch) -> Tensor | None:
    """float[U, G], W x + b of each word -> float[M, G]: that of each inner node's own word, b where it has none.

    None where no inner node has a word: then each node's input is b.
    """
    words = batch.inner_words
    if len(words) == 0 or int(words.max()) < 0:
        return None
    own = by_word.index_select(0, words.clamp(min=0))
    return torch.where((words >= 0).unsqueeze(1), own, bias)
