"""Token ids in, an n-gram model out, estimated order by order; what is found lies on disk until the model is saved."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nntag.encoding.spilled import SpilledArray
from nntag.errors import UsageError
from nntag.language_models.ngram.count import NgramCounts, count_ngrams, insert_bos
from nntag.language_models.ngram.kneser_ney import Discounts, estimate_discounts, smooth_order, smooth_unigrams
from nntag.language_models.ngram.model import LOG_ZERO, NgramModel
from nntag.language_models.ngram.pieces import Corpus
from nntag.progress import ProgressCallback, ignore_progress

MOST_TOKENS = (1 << 31) - 1  # ranks and positions are int32


def estimate_ngrams(
    tokens: NDArray[np.integer],
    eos: int,
    bos: int,
    vocab_size: int,
    order: int = 5,
    folder: Path | None = None,
    progress: ProgressCallback = ignore_progress,
) -> NgramModel:
    """The model of sentences that each end with `eos` and do not hold `bos`, whose id may be `vocab_size`.

    `tokens` may be memory-mapped and of any integer type. Needs 12 bytes a token and 20 for each n-gram of one order in
    memory, and 20 an n-gram in files without names in `folder` (the folder for temporary files without one), where the
    arrays of a large model stay mapped. Raises UsageError for an order below 1, no tokens or too many, ValueError for
    ids outside the vocabulary, OSError where the disk is full.
    """
    if order < 1:
        raise UsageError(f"order must be at least 1, not {order}")
    if not len(tokens):
        raise UsageError("an n-gram model needs at least one training sentence")
    if int(tokens.min()) < 0 or int(tokens.max()) >= vocab_size:
        raise ValueError(f"token ids must lie in 0 .. {vocab_size - 1}")
    model = NgramModel(vocab_size, bos, eos, [], [], [], [])
    corpus = Corpus(insert_bos(tokens, bos, eos), model.base, bos, eos)
    if len(corpus.words) > MOST_TOKENS:
        raise UsageError(
            f"an n-gram model counts {MOST_TOKENS:,} tokens at most, <s> and </s> included; found {len(corpus.words):,}"
        )
    orders = count_ngrams(corpus, order, folder, progress)
    del corpus
    lower = np.empty(0)
    for grams in orders:
        discounts = estimate_discounts(grams)
        model.discounts.append(discounts)
        if grams.order == 1:
            lower = smooth_unigrams(grams, np.arange(model.base) != bos, discounts)
            model.keys.append(np.empty(0, np.int64))
            model.log_prob.append(_log(lower))
        else:
            lower = _add_order(model, grams, discounts, lower, folder, is_last=grams.order == order)
    return model


def _add_order(
    model: NgramModel,
    grams: NgramCounts,
    discounts: Discounts,
    lower: NDArray[np.float64],
    folder: Path | None,
    is_last: bool,
) -> NDArray[np.float64]:
    """Appends the arrays of order k to a model of order k - 1, whose probabilities are `lower`; gives those of order k,
    none for the last."""
    probability = np.empty(0 if is_last else len(grams.raw))
    log_prob, log_backoff = SpilledArray("f", folder), SpilledArray("f", folder)
    for piece in smooth_order(grams, model.base, discounts, lower):
        log_prob.extend_array(_log(piece.probability))
        log_backoff.extend_array(piece.log_gamma)
        if not is_last:
            probability[piece.ngrams.start : piece.ngrams.stop] = piece.probability
    model.keys.append(grams.key.map())
    model.log_prob.append(log_prob.map())
    model.log_backoff.append(log_backoff.map())
    for written in (grams.key, grams.suffix, log_prob, log_backoff):
        written.close()
    return probability


def _log(probability: NDArray[np.float64]) -> NDArray[np.float32]:
    log_prob = np.full(len(probability), LOG_ZERO, np.float32)
    return np.log(probability, out=log_prob, where=probability > 0, casting="same_kind")
