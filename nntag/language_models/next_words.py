"""A language model and a sentence, or its beginning, in; the probabilities of all words at each place of it out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from torch import Tensor

from nntag.language_models.models.language_model import NeuralLanguageModel
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.streams import BOUNDARY

ROWS = 128  # predictions of which all probabilities are held at a time


@torch.no_grad()
def next_word_probabilities(model: NeuralLanguageModel | NgramModel, ids: np.ndarray) -> np.ndarray:
    """float64[V]: p(w | ids) of every word w, where `ids: int[T]` are a sentence from its start on and T may be 0; at
    `BOUNDARY` that the sentence ends. Not for models that look ahead."""
    if isinstance(model, NgramModel):
        return _ngram_probabilities(model, ids)
    return _neural_probabilities(model, _states(model, ids)[-1:])[0]


@torch.no_grad()
def probabilities_by_place(model: NeuralLanguageModel | NgramModel, ids: np.ndarray) -> Iterator[np.ndarray]:
    """float64[V] for each of the T + 1 predictions of the sentence `ids: int[T]`, its end the last: p of every word
    there, given the words before (of a model that looks ahead, those about it)."""
    if isinstance(model, NgramModel):
        for place in range(len(ids) + 1):
            yield _ngram_probabilities(model, ids[:place])
        return
    for states in _states(model, ids).split(ROWS):
        yield from _neural_probabilities(model, states)


def _states(model: NeuralLanguageModel, ids: np.ndarray) -> Tensor:
    """float[T + 1, H]"""
    device = next(model.parameters()).device
    inputs = torch.tensor([BOUNDARY, *ids.tolist()], device=device)[:, None]  # int64[T + 1, B], B = 1
    return model.states(inputs)[:, 0]


def _neural_probabilities(model: NeuralLanguageModel, states: Tensor) -> np.ndarray:
    """float64[N, V] of `states: float[N, H]`."""
    return model.output.log_probabilities(states).double().exp().cpu().numpy()


def _ngram_probabilities(model: NgramModel, ids: np.ndarray) -> np.ndarray:
    return model.distribution([model.bos, *ids.tolist()])[: model.vocab_size]
