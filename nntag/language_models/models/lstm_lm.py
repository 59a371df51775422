"""Stacked LSTM language model: the baseline of Tran, Bisazza & Monz, "Recurrent Memory Networks" (NAACL 2016).

    i, f, o = sigm(W x_t + U h_{t-1} + b)     c_t = c_{t-1} * f + i * j
    j       = tanh(W x_t + U h_{t-1} + b)     h_t = tanh(c_t) * o

x_t is the embedding of the word before the one to predict; a layer's h is the next one's x; softmax over W_y h + b_y.

Names: x `embed(inputs)`, layers `layers`, W_y and b_y `output_weight` and `output_bias` (language_model.py).

Where this differs from the paper: it prints j = sigm and o = tanh, a slip; the standard cell is meant and used. Dropout
after every LSTM layer is the paper's section 6; dropout on the embeddings and before the softmax, and an output matrix
tied to the embedding, are ours and off unless asked for.
"""

from __future__ import annotations

from torch import Tensor, nn

from nntag.config.language_models import LSTMLMConfig
from nntag.language_models.models.language_model import NeuralLanguageModel, initialise
from nntag.training.dropout import Dropout


class LSTMStack(nn.Module):
    """L LSTM layers of one width with dropout after each: float[T, B, H] -> float[T, B, H], from zero states."""

    def __init__(self, layers: int, size: int, dropout: float):
        super().__init__()
        # nn.LSTM: measured at twice the speed of a sweep of our own on a CPU (oneDNN runs all steps in one call)
        self.layers = nn.ModuleList(nn.LSTM(size, size) for _ in range(layers))
        self.dropout = Dropout(dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        """float[T, B, H] -> float[T, B, H]."""
        for layer in self.layers:
            inputs = self.dropout(layer(inputs)[0].to(inputs.dtype))
        return inputs


class LSTMLM(NeuralLanguageModel):
    """Embeddings, an `LSTMStack`, the softmax."""

    def __init__(self, config: LSTMLMConfig, vocabulary: int):
        super().__init__(vocabulary, config)
        if not config.tie:
            self.embedding = nn.Embedding(vocabulary, config.hidden)
        self.input_dropout = Dropout(config.input_dropout)
        self.stack = LSTMStack(config.layers, config.hidden, config.dropout)
        initialise(self, config.init_range, config.forget_bias)

    def states(self, inputs: Tensor) -> Tensor:
        """float[T, B, H] of `inputs: int64[T, B]`: see `NeuralLanguageModel.states`."""
        return self.stack(self.input_dropout(self.embed(inputs)))
