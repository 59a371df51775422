"""Pre-trained word vectors: a file and the wanted words in, their vectors and an embedding table out.

The file may have gigabytes, of which a corpus needs a small part: it is read once, and only the vectors of wanted words
are kept.
"""

from __future__ import annotations

import logging

import numpy as np
import torch
from torch import Tensor

from nntag.corpora.lines import open_lines
from nntag.corpora.vectors import WordSet, WordVectors, load_vectors, read_vectors
from nntag.encoding.vocabulary import Vocabulary
from nntag.errors import DataError, UsageError

UNSEEN_RANGE = 0.05  # ours: words without a vector start uniform in (-0.05, 0.05), as Tai et al. 2015 do

logger = logging.getLogger("nntag")


def vector_size(path: str) -> int:
    """The dimension of the vectors in a file; raises `DataError` for a file without vectors."""
    for _, vector in read_vectors(open_lines(path)):
        return len(vector)
    raise DataError(path, None, "no word vectors in it")


def find_word_vectors(path: str, wanted: WordSet, others: int = 0) -> WordVectors:
    """The file's vectors of the `wanted` words and of the first `others` besides them: float32[words, D].

    Raises `DataError` for a damaged file and for one without vectors.
    """
    found = load_vectors(path, wanted, others=others)
    if found.words:
        return found
    return WordVectors((), np.zeros((0, vector_size(path)), np.float32))  # the width is needed all the same


def warn_if_few(path: str, found: int, known: int) -> None:
    """Warns where fewer than half of the `known` words of the training data were found in the file; raises `UsageError`
    where none was, since training would not notice the file at all."""
    if known and not found:
        raise UsageError(
            f"{path}: not one of the {known} words of the training data has a vector there; is it of another language, "
            "or in another case?"
        )
    if 2 * found < known:
        logger.warning("%s: only %d of the %d words of the training data have a vector", path, found, known)


def build_table(words: Vocabulary, size: int, vectors: WordVectors | None = None) -> Tensor:
    """float32[V, size]: the vectors, all of known words; small rows from torch's random state for the other words."""
    table = torch.empty(len(words), size).uniform_(-UNSEEN_RANGE, UNSEEN_RANGE)
    if vectors is not None and vectors.words:
        table[[words.id_of(word) for word in vectors.words]] = torch.from_numpy(vectors.matrix)
    return table
