"""The adaptive softmax: states and targets in, exact negative log-probabilities out, at a tenth of the work or less.

Grave et al. 2017, "Efficient softmax approximation for GPUs". Words are ordered by frequency. The c most frequent ones
stand in the head, beside one entry for each cluster of rarer words; a cluster is a softmax of its own, which only the
targets in it need:

    p(w | h) = p_head(w | h)                                 for a word of the head
    p(w | h) = p_head(cluster k | h) p_k(w | P_k h)          for a word of cluster k

P_k makes the state `shrink`^k times as narrow, since a rare word has too few examples for a vector of full width. No
probability is approximated: those of all words sum to 1. Each part is a full softmax (output_layer.py), and the
negative log-probabilities of the two factors are summed.

Names: `head_weight`, `head_bias`, P_k `projections`, `cluster_weights`, `cluster_biases`.
Where this differs from the paper: every part has biases; cutoffs are settings, not computed from a GPU's costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from nntag.language_models.models.output_layer import log_probabilities, sum_nats, token_nats

LARGEST_CUTOFF = 0.8  # ours: of the vocabulary; a cluster of few words would save nothing
SMALLEST_WIDTH = 4  # ours: of a projected state


def fit_cutoffs(cutoffs: Sequence[int], vocabulary: int) -> list[int]:
    """Those that leave words behind them; where none does, the first fifth of the vocabulary is the head."""
    fitting = [cutoff for cutoff in cutoffs if cutoff <= LARGEST_CUTOFF * vocabulary]
    return fitting or [max(1, vocabulary // 5)]


class AdaptiveSoftmax(nn.Module):
    """The output layer of a language model over `vocabulary` words, from states of width `size`."""

    def __init__(self, size: int, vocabulary: int, cutoffs: Sequence[int], shrink: float):
        super().__init__()
        self.borders = [*fit_cutoffs(cutoffs, vocabulary), vocabulary]  # cluster k: from borders[k] to borders[k + 1]
        clusters = list(pairwise(self.borders))
        widths = [max(min(SMALLEST_WIDTH, size), int(size / shrink ** (k + 1))) for k in range(len(clusters))]
        self.head_weight = nn.Parameter(torch.empty(self.borders[0] + len(clusters), size))
        self.head_bias = nn.Parameter(torch.empty(len(self.head_weight)))
        self.projections = nn.ModuleList(nn.Linear(size, width, bias=False) for width in widths)
        sizes = [(stop - start, width) for (start, stop), width in zip(clusters, widths, strict=True)]
        self.cluster_weights = nn.ParameterList(torch.empty(words, width) for words, width in sizes)
        self.cluster_biases = nn.ParameterList(torch.empty(words) for words, _ in sizes)

    def sum_nats(self, states: Tensor, targets: Tensor) -> Tensor:
        """The summed negative log-probability of `targets: int64[N]` after `states: float[N, H]`, differentiable."""
        nats = sum_nats(states, self.head_weight, self.head_bias, self._head_targets(targets))
        for k, rows in enumerate(self._rows_of_clusters(targets)):
            narrow = self.projections[k](states[rows]).to(states.dtype)  # products may come in fewer bits
            words = targets[rows] - self.borders[k]
            nats = nats + sum_nats(narrow, self.cluster_weights[k], self.cluster_biases[k], words)
        return nats

    @torch.no_grad()
    def token_nats(self, states: Tensor, targets: Tensor) -> Tensor:
        """The negative log-probability of each target, `float[N]`; not differentiable."""
        nats = token_nats(states, self.head_weight, self.head_bias, self._head_targets(targets))
        for k, rows in enumerate(self._rows_of_clusters(targets)):
            narrow = self.projections[k](states[rows])
            words = targets[rows] - self.borders[k]
            nats[rows] += token_nats(narrow, self.cluster_weights[k], self.cluster_biases[k], words)
        return nats

    def log_probabilities(self, states: Tensor) -> Tensor:
        """The log-probabilities of all words, `float[..., V]`: for few states only."""
        first = self.borders[0]
        head = log_probabilities(states, self.head_weight, self.head_bias)
        parts = [head[..., :first]]
        for k, projection in enumerate(self.projections):
            inside = log_probabilities(projection(states), self.cluster_weights[k], self.cluster_biases[k])
            parts.append(head[..., first + k, None] + inside)
        return torch.cat(parts, dim=-1)

    def _head_targets(self, targets: Tensor) -> Tensor:
        """int64[N]: each target's entry in the head, its own or that of its cluster."""
        borders = torch.tensor(self.borders[:-1], device=targets.device)
        cluster = torch.bucketize(targets, borders, right=True) - 1
        return torch.where(cluster >= 0, self.borders[0] + cluster, targets)

    def _rows_of_clusters(self, targets: Tensor) -> list[Tensor]:
        """For each cluster the numbers of the targets in it: int64[N_k]."""
        return [((targets >= start) & (targets < stop)).nonzero()[:, 0] for start, stop in pairwise(self.borders)]
