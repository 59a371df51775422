"""Matrix-vector recursive network: word vectors and a tree batch in, the state of every node out.

Tsakalos 2017, section 3.2 (after Socher et al. 2012); every node has a vector c and a matrix C:
    h = tanh(W [C_2 c_1; C_1 c_2] + b)          eq. 3.19
    C = W_M [C_1; C_2]
The matrix of a word is C = U V + diag(a) with U in R^(H x r), V in R^(r x H), as Socher et al. 2012 have it.

Names: W is `weight`, W_M `matrix_weight`; U, V and a of all words are the rows of `matrices`.
Where this differs from the paper: a leaf's vector is tanh(W_x x + b_x) and not the word vector itself, so that vectors
of any width fit; the words' matrices are updated by sparse SGD like tuned word vectors.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nntag.config.trees import MatrixVectorConfig
from nntag.trees.batches import TreeBatch
from nntag.trees.cells.sweep import Level, sweep_tree
from nntag.trees.sizes import TreeSizes, make_weight
from nntag.trees.word_table import WordTable

NOISE = 0.01  # ours: words begin near the identity matrix, as in Socher et al. 2012, with U and V of this size


class MatrixVector(nn.Module):
    """The cell; `forward` gives the states of all nodes of a batch of binary trees."""

    def __init__(self, config: MatrixVectorConfig, sizes: TreeSizes):
        super().__init__()
        hidden, rank = config.hidden, config.rank
        self.hidden, self.rank = hidden, rank
        self.leaf = nn.Linear(sizes.vector, hidden)
        factors = torch.empty(sizes.words, 2 * rank * hidden).uniform_(-NOISE, NOISE)
        diagonals = torch.ones(sizes.words, hidden)
        self.matrices = WordTable(torch.cat([factors, diagonals], 1), config.matrix_lr)
        self.weight = make_weight(2 * hidden, hidden)
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.matrix_weight = nn.Parameter(torch.cat([torch.eye(hidden), torch.eye(hidden)], 1) / 2)  # float[H, 2H]

    def forward(self, vectors: Tensor, batch: TreeBatch) -> Tensor:
        """`vectors`: float[U, D], one for each of `batch.words` -> float[N, H] in the batch's node order."""
        n = self.hidden
        leaves = torch.cat([self.leaf(vectors).tanh(), self.word_matrices(batch.words).flatten(1)], 1)

        def compose(level: Level, children: Tensor, inputs: Tensor | None) -> Tensor:
            m = len(level.nodes)
            c_1, c_2 = children[:, :n].view(m, 2, n, 1).unbind(1)  # float[m, H, 1] each
            both = children[:, n:].view(m, 2, n, n)  # float[m, 2, H, H]: C_1, C_2
            crossed = torch.cat([both[:, 1] @ c_1, both[:, 0] @ c_2], 1).squeeze(2)  # float[m, 2H]: C_2 c_1, C_1 c_2
            h = torch.tanh(torch.addmm(self.bias, crossed, self.weight))  # eq. 3.19
            matrix = self.matrix_weight @ both.reshape(m, 2 * n, n)  # eq. 3 of Socher et al. 2012
            return torch.cat([h, matrix.flatten(1)], 1)

        parameters = [self.weight, self.bias, self.matrix_weight]
        return sweep_tree(compose, leaves, None, parameters, batch)[:, :n]

    def word_matrices(self, words: Tensor) -> Tensor:
        """int64[U] -> float[U, H, H]."""
        rows, size = self.matrices(words), self.rank * self.hidden
        left, right, diagonal = rows.split((size, size, self.hidden), dim=1)
        product = left.view(-1, self.hidden, self.rank) @ right.view(-1, self.rank, self.hidden)
        return product + torch.diag_embed(diagonal)
