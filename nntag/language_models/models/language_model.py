"""What all neural language models share: ids of words in, the loss or the log-probabilities of the next words out.

A subclass gives `states`, the vectors from which the softmax predicts; output layer, loss and scores are here.
Sentences are scored one by one: states start at zero, the first input is the boundary (read as <s>, predicted as </s>),
and since no model looks to its right, padding after a sentence's end changes nothing inside it.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nntag.config.language_models import NeuralConfig
from nntag.language_models.models.adaptive_softmax import AdaptiveSoftmax
from nntag.language_models.models.output_layer import FullSoftmax
from nntag.language_models.streams import Batch
from nntag.training.dropout import Dropout
from nntag.training.model import Loss, Model


class NeuralLanguageModel(Model):
    """A distribution over the next word at every step, `softmax(W h + b)` or what stands for it with many words."""

    looks_ahead = False  # whether a prediction depends on words after the predicted one

    def __init__(self, vocabulary: int, config: NeuralConfig):
        super().__init__()
        self.adaptive: AdaptiveSoftmax | None = None
        if config.softmax == "adaptive":
            self.adaptive = AdaptiveSoftmax(config.hidden, vocabulary, config.cutoffs, config.shrink)
        else:
            self.output_weight = nn.Parameter(torch.empty(vocabulary, config.hidden))  # float[V, H]
            self.output_bias = nn.Parameter(torch.empty(vocabulary))  # float[V]
        self.output_dropout = Dropout(config.output_dropout)
        self.embedding: nn.Embedding | None = None  # the input table; None where the output matrix serves as that too

    @property
    def output(self) -> FullSoftmax | AdaptiveSoftmax:
        """The layer that makes probabilities of words of `states`."""
        return self.adaptive or FullSoftmax(self.output_weight, self.output_bias)

    def embed(self, inputs: Tensor) -> Tensor:
        """The input embeddings `float[T, B, H]` of `inputs: int64[T, B]`."""
        if self.embedding is None:
            return nn.functional.embedding(inputs, self.output_weight)
        return self.embedding(inputs)

    def states(self, inputs: Tensor) -> Tensor:
        """The vectors `float[T, B, H]` that predict the word after each of `inputs: int64[T, B]`."""
        raise NotImplementedError

    def loss(self, batch: Batch) -> Loss:
        """The negative log-likelihood of all targets that are not padding."""
        states, targets = self._predictions(batch)
        return Loss(self.output.sum_nats(states, targets), len(targets), batch.inputs.shape[1])

    @torch.no_grad()
    def token_nats(self, batch: Batch) -> Tensor:
        """The negative log-probability of each target, `float[T, B]`; 0 at padding."""
        states, targets = self._predictions(batch)
        nats = states.new_zeros(batch.targets.shape)
        nats[batch.targets >= 0] = self.output.token_nats(states, targets)
        return nats

    @torch.no_grad()
    def log_probabilities(self, inputs: Tensor) -> Tensor:
        """The log-probabilities `float[T, B, V]` of every word after each input: whole, so for few inputs only."""
        return self.output.log_probabilities(self.states(inputs))

    def _predictions(self, batch: Batch) -> tuple[Tensor, Tensor]:
        """The states `float[N, H]` and targets `int64[N]` of all steps that predict something."""
        states = self.output_dropout(self.states(batch.inputs)).flatten(0, 1)  # [T, B, H] -> [T*B, H]
        targets = batch.targets.flatten()
        if batch.padded:
            real = targets >= 0
            return states[real], targets[real]
        return states, targets


def initialise(model: nn.Module, init_range: float, forget_bias: float = 1.0) -> None:
    """All parameters uniform in (-init_range, init_range), but one of the two forget biases of every LSTM layer."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.uniform_(-init_range, init_range)
        for module in model.modules():
            if isinstance(module, nn.LSTM):
                size = module.hidden_size
                module.get_parameter("bias_ih_l0")[size : 2 * size] = (
                    forget_bias  # one of the two, as in the authors' code
                )
