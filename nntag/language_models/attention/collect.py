"""Runs a model with a memory block over a stream: its attention, its log-probabilities and its likeliest words out."""

from __future__ import annotations

import numpy as np
import torch

from nntag.encoding.batching import sorted_batches
from nntag.errors import UsageError
from nntag.language_models.attention.statistics import Attention
from nntag.language_models.models.language_model import NeuralLanguageModel
from nntag.language_models.models.memory_network import MemoryNetwork
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.streams import StreamVocabulary, TokenStream, make_batch
from nntag.progress import Progress, ProgressCallback, ignore_progress

BATCH_SIZE, BATCH_TOKENS = 64, 4096
ROWS = 128  # predictions whose whole distributions are held at once

Guess = tuple[str, float]  # a word and its log-probability, nats


def collect_attention(
    model: NeuralLanguageModel, stream: TokenStream, progress: ProgressCallback = ignore_progress
) -> Attention:
    """The attention at every prediction of the stream; raises `UsageError` for a model without a memory block."""
    if not isinstance(model, RecurrentMemory | MemoryNetwork):
        raise UsageError(f"{type(model).__name__} has no memory block to analyse; train rm, rmr or memn")
    device = next(model.parameters()).device
    weights = np.zeros((len(stream.ids), model.block.memory), np.float32)
    nats = np.empty(len(stream.ids))
    done = 0
    for chosen in sorted_batches(stream.lengths, BATCH_SIZE, BATCH_TOKENS):
        batch = make_batch([stream[number] for number in chosen]).to(device)
        found = model.attention(batch.inputs).cpu().numpy()
        scored = model.token_nats(batch).cpu().numpy()
        for column, number in enumerate(chosen):
            start, stop = stream.starts[number], stream.starts[number + 1]
            weights[start:stop] = found[: stop - start, column]
            nats[start:stop] = scored[: stop - start, column]
            done += int(stop - start)
        progress(Progress("attending", done, len(nats), "tokens"))
    return Attention(stream, weights, nats)


@torch.no_grad()
def find_likeliest(
    model: NeuralLanguageModel, stream: TokenStream, places: np.ndarray, vocabulary: StreamVocabulary, count: int = 5
) -> list[list[Guess]]:
    """The `count` likeliest words at each of `places`, indices into `stream.ids`, most probable first."""
    device = next(model.parameters()).device
    sentences = np.searchsorted(stream.starts, places, side="right") - 1
    guesses: list[list[Guess]] = [[] for _ in places]
    for sentence in np.unique(sentences):
        wanted = np.flatnonzero(sentences == sentence)
        states = model.states(make_batch([stream[sentence]]).to(device).inputs)[:, 0]
        steps = torch.from_numpy(places[wanted] - stream.starts[sentence]).to(device)
        for start in range(0, len(wanted), ROWS):
            logs = model.output.log_probabilities(states[steps[start : start + ROWS]])
            values, ids = logs.topk(min(count, logs.shape[1]), dim=1)
            for place, row, words in zip(wanted[start : start + ROWS], values.tolist(), ids.tolist(), strict=True):
                guesses[place] = [(vocabulary.words[word], log) for word, log in zip(words, row, strict=True)]
    return guesses
