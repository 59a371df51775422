"""A language model and the words so far in, the probability of every word that may follow out."""

from __future__ import annotations

import numpy as np
import torch

from nntag.language_models.models.language_model import NeuralLanguageModel
from nntag.language_models.models.output_layer import log_probabilities
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.streams import BOUNDARY


@torch.no_grad()
def next_word_probabilities(model: NeuralLanguageModel | NgramModel, ids: np.ndarray) -> np.ndarray:
    """float64[V]: p(w | ids) of every word w, where `ids: int[T]` are a sentence from its start on and T may be 0; at
    `BOUNDARY` that the sentence ends. Not for models that look ahead."""
    if isinstance(model, NgramModel):
        return model.distribution([model.bos, *ids.tolist()])[: model.vocab_size]
    device = next(model.parameters()).device
    inputs = torch.tensor([BOUNDARY, *ids.tolist()], device=device)[:, None]  # int64[T + 1, B], B = 1
    state = model.states(inputs)[-1, 0]  # float[H]
    return log_probabilities(state, model.output_weight, model.output_bias).double().exp().cpu().numpy()
