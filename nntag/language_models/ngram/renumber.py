"""An n-gram model and a new id for each word in, the same model under the new ids out."""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from nntag.language_models.ngram.model import NgramModel


def renumber(model: NgramModel, new_ids: NDArray[np.int64]) -> NgramModel:
    """`new_ids: int64[base]` is a permutation under which <s> gets the last id, outside the vocabulary."""
    base = model.base
    ranks = np.asarray(new_ids, np.int64)  # new rank of every old one, order by order; a unigram's rank is its id
    keys, log_prob, log_backoff = [np.empty(0, np.int64)], [_move(model.log_prob[0], ranks)], []
    for k in range(1, model.order):
        log_backoff.append(_move(model.log_backoff[k - 1], ranks))
        old = np.asarray(model.keys[k])
        new = ranks[old // base] * base + new_ids[old % base]
        order = np.argsort(new)
        ranks = np.empty(len(order), np.int64)
        ranks[order] = np.arange(len(order))
        keys.append(new[order])
        log_prob.append(np.asarray(model.log_prob[k])[order])
    return dataclasses.replace(
        model,
        vocab_size=base - 1,
        bos=int(new_ids[model.bos]),
        eos=int(new_ids[model.eos]),
        keys=keys,
        log_prob=log_prob,
        log_backoff=log_backoff,
    )


def _move(values: NDArray[np.float32], ranks: NDArray[np.int64]) -> NDArray[np.float32]:
    moved = np.empty(len(values), np.float32)
    moved[ranks] = values
    return moved
