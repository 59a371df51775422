"""Plain and syntactically untied recursive networks: word vectors and a tree batch in, the state of every node out.

Tsakalos 2017, section 3.2 (after Socher et al. 2011 and 2013a); c_1, c_2 are the children's states:
    h = tanh(W [c_1; c_2] + b)                                          eq. 3.16
    h = tanh(W^(A,B) [c_1; c_2] + b)      syntactically untied: A, B are the categories of the children

Names: W is `weight`, or a matrix of `weight` for each pair (A, B).
Where this differs from the paper: a leaf is tanh(W_x x + b_x) and not the word vector itself, so that vectors of any
width fit; the sentiment treebank has no syntactic categories: A and B say whether a child is a word or a phrase.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nntag.config.trees import TreeRNNConfig
from nntag.trees.batches import TreeBatch
from nntag.trees.cells.levels import child_rows
from nntag.trees.cells.sweep import Level, sweep_tree
from nntag.trees.sizes import TreeSizes, make_weight

PAIRS = 4  # word-word, word-phrase, phrase-word, phrase-phrase


class TreeRNN(nn.Module):
    """The cell; `forward` gives the states of all nodes of a batch of binary trees."""

    def __init__(self, config: TreeRNNConfig, sizes: TreeSizes):
        super().__init__()
        self.leaf = nn.Linear(sizes.vector, config.hidden)
        weights: list[Tensor] = [
            make_weight(2 * config.hidden, config.hidden) for _ in range(PAIRS if config.untied else 1)
        ]
        self.weight = nn.Parameter(torch.stack(weights))  # float[1 or 4, 2H, H]
        self.bias = nn.Parameter(torch.zeros(config.hidden))

    def forward(self, vectors: Tensor, batch: TreeBatch) -> Tensor:
        """`vectors`: float[U, D], one for each of `batch.words` -> float[N, H] in the batch's node order."""
        pairs = find_pairs(batch) if len(self.weight) > 1 else None

        def compose(level: Level, children: Tensor, inputs: Tensor | None) -> Tensor:
            both = children.view(len(level.nodes), -1)  # float[2m, H] -> float[m, 2H]
            if pairs is None:
                return torch.tanh(torch.addmm(self.bias, both, self.weight[0]))  # eq. 3.16
            return torch.tanh(self._untied(both, pairs[level.rows]) + self.bias)

        return sweep_tree(compose, self.leaf(vectors).tanh(), None, [self.weight, self.bias], batch)

    def _untied(self, both: Tensor, pairs: Tensor) -> Tensor:
        """float[m, 2H], int64[m] -> float[m, H]: each row times the matrix of its pair."""
        found = both.new_zeros(len(both), self.weight.shape[2])
        for pair, weight in enumerate(self.weight):
            rows = (pairs == pair).nonzero().squeeze(1)
            if len(rows):
                found = found.index_copy(0, rows, both.index_select(0, rows) @ weight)
        return found


def find_pairs(batch: TreeBatch) -> Tensor:
    """int64[M]: 2 * (is the left child a phrase) + (is the right child a phrase), for each inner node."""
    is_phrase = torch.ones(batch.nodes, 1, dtype=torch.int64, device=batch.leaves.device)
    is_phrase[batch.leaves] = 0
    left, right = child_rows(is_phrase, batch).unbind(1)
    return 2 * left + right
