"""A tree batch in, class log-probabilities at every node out: word vectors, a tree cell, dropout and a softmax.

Tsakalos 2017, eqs. 5.1-5.3, after Tai et al. 2015, section 4.1: p(y | subtree j) = softmax(W_p h_j + b_p) and
cost = -sum log p(y_j) over the nodes with a label; the L2 term is the optimiser's `weight_decay`.

Names: W_p and b_p are `classifier`, h_j the rows of what the cell returns.
Where this differs from the paper: word vectors have no L2 term when they are tuned; `input_dropout` (ours) drops
entries of word vectors, the same in all occurrences of a word in the batch.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from nntag.config.settings import Settings
from nntag.encoding.contextual.layer import ContextualLayer
from nntag.training.dropout import dropout
from nntag.training.model import GatherRows, Loss, Model, PretrainedPart, keep_rows
from nntag.training.pretrained import encoder_part
from nntag.trees.batches import NO_LABEL, TreeBatch
from nntag.trees.sizes import TreeSizes
from nntag.trees.word_table import WordTable


class TreeClassifier(Model):
    """`settings.row` names the cell."""

    def __init__(self, settings: Settings, sizes: TreeSizes, table: Tensor, contextual: ContextualLayer | None = None):
        """`table: float[V, D]` of word vectors, or [V, 0]; `contextual` gives each leaf a vector of its own beside
        its word's, both counted in `sizes`."""
        super().__init__()
        self.contextual = contextual
        tuned = settings.input.tune_vectors or not settings.input.word_vectors
        self.words = WordTable(table, settings.input.vector_lr if tuned else 0.0)
        self.cell = settings.row.load_class()(settings.model, sizes)
        self.classifier = nn.Linear(settings.model.hidden, sizes.classes)
        self.dropout, self.input_dropout = settings.model.dropout, settings.input.dropout

    def states(self, batch: TreeBatch) -> Tensor:
        """float[N, H]: the state of every node, in the batch's order."""
        vectors = dropout(self.words(batch.words), self.input_dropout, self.training)
        if self.contextual is not None and batch.contextual is not None:
            vectors = torch.cat([vectors, self.contextual(batch.contextual)], 1)
        return self.cell(vectors, batch)

    def scores(self, batch: TreeBatch) -> Tensor:
        """float[N, classes], unnormalised."""
        return self.classifier(dropout(self.states(batch), self.dropout, self.training))

    def log_probabilities(self, batch: TreeBatch) -> Tensor:
        """float[N, classes] in the batch's order."""
        return self.scores(batch).log_softmax(1)

    def step_tables(self, gather: GatherRows = keep_rows) -> None:
        """Steps the tables of word vectors and of words' matrices, each at its own rate."""
        for module in self.modules():
            if isinstance(module, WordTable):
                module.step(gather)

    def pretrained_part(self) -> PretrainedPart | None:
        return encoder_part(self.contextual)

    def loss(self, batch: TreeBatch) -> Loss:
        """The negative log-likelihood of the labels, summed over the labelled nodes."""
        nats = F.cross_entropy(self.scores(batch), batch.labels, ignore_index=NO_LABEL, reduction="sum")
        return Loss(nats, batch.count, batch.trees)
