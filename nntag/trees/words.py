"""The words that a tree model knows and their initial vectors: training words and a vector file in, a table out.

A vector file is knowledge from outside, so that its words are known whether the training trees have them or not; of
the words without a vector only those of the training trees are known.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

import torch
from torch import Tensor

from nntag.config.trees import SentimentInput
from nntag.corpora.lines import open_lines
from nntag.corpora.vectors import load_vectors, read_vectors
from nntag.encoding.vocabulary import Vocabulary
from nntag.encoding.word_vectors import UNSEEN_RANGE, vector_size

logger = logging.getLogger("nntag")


class TreeWords:
    """Words -> ids: as written, else in lower case, else unknown."""

    def __init__(self, vocabulary: Vocabulary, lowercase: bool = False):
        self.vocabulary, self.lowercase = vocabulary, lowercase

    def __len__(self) -> int:
        return len(self.vocabulary)

    def id_of(self, word: str) -> int:
        """The id of the word, or that of `<unk>`."""
        if self.lowercase or word not in self.vocabulary:
            word = word.lower()
        return self.vocabulary.id_of(word)


class _Wanted:
    """The words of the training trees, in any case, and the first `others` that are asked for."""

    def __init__(self, words: Iterable[str], others: int):
        self._words = {form for word in words for form in (word, word.lower())}
        self._others = others

    def __contains__(self, word: str) -> bool:
        if word in self._words:
            return True
        self._others -= 1
        return self._others >= 0


def build_tree_words(train_words: Iterable[str], settings: SentimentInput) -> TreeWords:
    """The training words, in lower case where only that form has a vector, then other words of the vector file.

    Warns where fewer than half of the training words have a vector.
    """
    train_words = list(train_words)
    in_file: dict[str, None] = {}
    if settings.word_vectors:
        wanted = _Wanted(train_words, settings.max_vectors)
        names = (word for word, _ in read_vectors(open_lines(settings.word_vectors), wanted))
        in_file = dict.fromkeys(name for name in names if not settings.lowercase or name == name.lower())
    entries: dict[str, None] = {}
    for word in train_words:
        lower = word.lower()
        entries[lower if settings.lowercase or (word not in in_file and lower in in_file) else word] = None
    known = sum(word in in_file for word in entries)
    if settings.word_vectors and 2 * known < len(entries):
        message = "%s: only %d of the %d words of the training data have a vector"
        logger.warning(message, settings.word_vectors, known, len(entries))
    return TreeWords(Vocabulary([*entries, *(word for word in in_file if word not in entries)]), settings.lowercase)


def load_table(words: TreeWords, settings: SentimentInput, pretrained: bool = True) -> Tensor:
    """float32[V, D]: the vectors of the file, uniform(-0.05, 0.05) for words that it does not have (Tai et al. 2015).

    Without `pretrained` the file is not read, as the values come from a checkpoint.
    """
    table = torch.empty(len(words), settings.word_size).uniform_(-UNSEEN_RANGE, UNSEEN_RANGE)
    if not settings.word_vectors or not pretrained:
        return table
    size = vector_size(settings.word_vectors)
    found = load_vectors(settings.word_vectors, words.vocabulary, size, warn=False)  # `build_tree_words` has warned
    vectors = torch.from_numpy(found.matrix)
    if len(vectors) == 0:
        return table
    if len(torch.unique(vectors, dim=0)) < 0.9 * len(vectors):
        distinct = len(torch.unique(vectors, dim=0))
        logger.warning("%s: only %d of %d vectors differ", settings.word_vectors, distinct, len(vectors))
    if settings.vector_norm:
        vectors = torch.nn.functional.normalize(vectors) * settings.vector_norm
    table[[words.vocabulary.id_of(word) for word in found.words]] = vectors
    return table
