"""Pre-trained word vectors -> the rows of an embedding table for a vocabulary."""

from __future__ import annotations

import logging

import torch
from torch import Tensor

from nntag.corpora.lines import open_lines
from nntag.corpora.vectors import load_vectors, read_vectors
from nntag.encoding.vocabulary import SPECIALS, Vocabulary
from nntag.errors import DataError

UNSEEN_RANGE = 0.05  # ours: words without a vector start uniform in (-0.05, 0.05), as Tai et al. 2015 do

logger = logging.getLogger("nntag")


def vector_size(path: str) -> int:
    """The dimension of the vectors in a file; raises `DataError` for a file without vectors."""
    for _, vector in read_vectors(open_lines(path)):
        return len(vector)
    raise DataError(path, None, "no word vectors in it")


def load_word_vectors(path: str, words: Vocabulary) -> Tensor:
    """float32[V, D]: the file's vectors; small random rows, from torch's random state, for words that it does not have.

    Raises `DataError` for a damaged file; warns where fewer than half of the words have a vector.
    """
    found = load_vectors(path, words)
    size = found.matrix.shape[1] or vector_size(path)
    table = torch.empty(len(words), size).uniform_(-UNSEEN_RANGE, UNSEEN_RANGE)
    for word, vector in zip(found.words, found.matrix, strict=True):
        table[words.id_of(word)] = torch.from_numpy(vector)
    known = len(words) - len(SPECIALS)
    if 2 * len(found.words) < known:
        logger.warning("%s: only %d of the %d words of the training data have a vector", path, len(found.words), known)
    return table
