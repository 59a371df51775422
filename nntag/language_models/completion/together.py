"""Several language models and completion questions in, the score of every candidate by each and by all together out.

`words`: the mean of the models' probabilities of each word, as everywhere in nntag; only for models of one vocabulary
that read in one direction. `sentences`: the sum of their log-probabilities of whole sentences, for any models.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nntag.config.fields import unknown_name
from nntag.errors import UsageError
from nntag.language_models.completion.candidates import score_candidates
from nntag.language_models.completion.questions import LETTERS, ClozeQuestion
from nntag.language_models.mixture import LanguageModel, can_be_mixed
from nntag.language_models.perplexity import mix_nats, sum_by_sentence
from nntag.language_models.streams import UNKNOWN
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.task import Run

WORDS, SENTENCES = "words", "sentences"


def choose_combination(runs: Sequence[Run], wanted: str | None) -> str:
    """`words` where the models allow it, unless the other is wanted; raises `UsageError`."""
    if wanted not in (None, WORDS, SENTENCES):
        raise UsageError(unknown_name("--combine", wanted, (WORDS, SENTENCES)))
    return wanted or (WORDS if can_be_mixed(runs) else SENTENCES)


def score_together(
    runs: Sequence[Run],
    questions: Sequence[ClozeQuestion],
    weights: Sequence[float],
    combination: str,
    progress: ProgressCallback = ignore_progress,
) -> tuple[np.ndarray, np.ndarray]:
    """Nats of the candidates by each of K models, float64[K, Q, 5], and by all together, float64[Q, 5]. `weights`: one
    for each, or none. Raises `UsageError` for models that cannot be mixed by words."""
    shares = np.asarray(weights or [1.0] * len(runs), float)
    if len(runs) > 1 and combination == WORDS:
        return _mix_words(LanguageModel(runs, shares / shares.sum()), questions, progress)
    each = np.stack(
        [
            score_candidates(run.model, run.task.vocabulary, questions, run.task.backward, progress=progress)
            for run in runs
        ]
    )
    return each, np.tensordot(shares, each, axes=1)


def _mix_words(
    model: LanguageModel, questions: Sequence[ClozeQuestion], progress: ProgressCallback
) -> tuple[np.ndarray, np.ndarray]:
    """As `score_candidates` for each; an unknown word is shared out among its class in the same way."""
    sentences = (question.sentence(option) for question in questions for option in range(len(LETTERS)))
    stream = model.vocabulary.encode_sentences(sentences)
    unknown = sum_by_sentence(stream, (stream.ids == UNKNOWN) * math.log(len(model.vocabulary)))
    each = model.score_each(stream, progress)
    together = sum_by_sentence(stream, mix_nats(each, model.weights)) + unknown
    alone = np.stack([sum_by_sentence(stream, nats) + unknown for nats in each])
    shape = (len(questions), len(LETTERS))
    return alone.reshape(-1, *shape), together.reshape(shape)
