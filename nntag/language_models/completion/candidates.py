"""A language model and completion questions in, the negative log-probability of every candidate's whole sentence out.

What the five sentences of a question begin with is scored once: they share its states' softmax, which is most of the
work, and only what follows differs. A model that looks ahead of the word it predicts has no such part.

ours: an unknown candidate. `<unk>` stands for all words that training has seen too rarely, so that its probability is
that of a class. To be compared with known words it is shared out among the words of the class, taken to be as many as
the vocabulary has (by Zipf's law about half of all types are seen once). Without that a model prefers whatever it does
not know: a 5-gram model on 24 novels whose vocabulary leaves out words seen once falls from 36 % to 33 %.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from nntag.language_models.completion.questions import ClozeQuestion
from nntag.language_models.models.language_model import NeuralLanguageModel
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.streams import BOUNDARY, NO_TARGET, UNKNOWN, Batch, StreamVocabulary, make_batch
from nntag.progress import Progress, ProgressCallback, ignore_progress

BATCH_QUESTIONS = 32  # questions whose candidates are scored together

Ids = np.ndarray


def score_candidates(
    model: NeuralLanguageModel | NgramModel,
    vocabulary: StreamVocabulary,
    questions: Sequence[ClozeQuestion],
    backward: bool = False,
    progress: ProgressCallback = ignore_progress,
) -> np.ndarray:
    """float64[Q, 5] nats; with `backward` the model reads sentences from right to left."""
    groups = [_encode(vocabulary, question, backward) for question in questions]
    unknown = np.array([[int((ids == UNKNOWN).sum()) for ids in group] for group in groups])
    if isinstance(model, NgramModel):
        flat = np.concatenate([ids for group in groups for ids in group])
        nats = model.score_sentences(flat).reshape(unknown.shape)
    else:
        nats = _score_groups(model, groups, progress)
    return nats + unknown * math.log(len(vocabulary))


def _encode(vocabulary: StreamVocabulary, question: ClozeQuestion, backward: bool) -> list[Ids]:
    """The ids of the candidates' sentences in the model's order, each with the boundary after it."""
    encoded = (vocabulary.encode(question.sentence(option)) for option in range(len(question.options)))
    return [np.append(ids[::-1] if backward else ids, np.int32(BOUNDARY)) for ids in encoded]


def _score_groups(model: NeuralLanguageModel, groups: list[list[Ids]], progress: ProgressCallback) -> np.ndarray:
    device = next(model.parameters()).device
    nats = np.empty((len(groups), len(groups[0])))
    by_length = sorted(range(len(groups)), key=lambda number: max(map(len, groups[number])))
    for begin in range(0, len(by_length), BATCH_QUESTIONS):
        numbers = by_length[begin : begin + BATCH_QUESTIONS]
        chosen = [groups[number] for number in numbers]
        shared = [0 if model.looks_ahead else _shared_length(group) for group in chosen]
        batch = make_batch([ids for group in chosen for ids in group])
        scored = model.token_nats(_mask_shared(batch, shared, nats.shape[1]).to(device)).double().cpu().numpy()
        sums = scored.sum(axis=0).reshape(len(numbers), -1)
        for row, (number, length) in enumerate(zip(numbers, shared, strict=True)):
            nats[number] = sums[row]
            nats[number, 1:] += scored[:length, row * nats.shape[1]].sum()
        progress(Progress("scoring", begin + len(numbers), len(groups), "questions"))
    return nats


def _shared_length(group: list[Ids]) -> int:
    """How many ids all candidates' sentences begin with."""
    shortest = min(map(len, group))
    differs = np.any([group[0][:shortest] != ids[:shortest] for ids in group[1:]], axis=0)
    return int(differs.argmax()) if differs.any() else shortest


def _mask_shared(batch: Batch, shared: list[int], options: int) -> Batch:
    """The batch without the targets that a question's later candidates share with its first one."""
    targets = batch.targets.clone()
    steps = torch.arange(len(targets))
    for row, length in enumerate(shared):
        columns = slice(row * options + 1, (row + 1) * options)
        targets[:, columns][steps < length] = NO_TARGET
    return Batch(batch.inputs, targets, padded=True)
