"""The words that a tree model knows and their initial vectors: training words and a vector file in, a table out.

A vector file is knowledge from outside, so that its words are known whether the training trees have them or not; of
the words without a vector only those of the training trees are known.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

import torch
from torch import Tensor
from torch.nn import functional

from nntag.config.trees import TreeInput
from nntag.corpora.escapes import unescape_word
from nntag.corpora.records import Tree
from nntag.corpora.vectors import WordVectors
from nntag.encoding.vocabulary import Vocabulary
from nntag.encoding.word_vectors import build_table, find_word_vectors, warn_if_few
from nntag.errors import UsageError

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


def read_tree_vectors(train_words: Sequence[str], settings: TreeInput) -> WordVectors | None:
    """The vectors of the training words, in any case, and of `max_vectors` other words; None where no file is given.

    The file is read once. Raises `DataError` for a damaged one.
    """
    if not settings.word_vectors:
        return None
    wanted = {form for word in train_words for form in (word, word.lower())}
    found = find_word_vectors(settings.word_vectors, wanted, settings.max_vectors)
    if not settings.lowercase:
        return found
    kept = [number for number, word in enumerate(found.words) if word == word.lower()]
    return WordVectors(tuple(found.words[number] for number in kept), found.matrix[kept])


def build_tree_words(train_words: Sequence[str], vectors: WordVectors | None, settings: TreeInput) -> TreeWords:
    """The training words, in lower case where only that form has a vector, then the other words with a vector.

    Warns where fewer than half of the training words have a vector.
    """
    in_file = dict.fromkeys(vectors.words) if vectors else {}
    entries: dict[str, None] = {}
    for word in train_words:
        lower = word.lower()
        entries[lower if settings.lowercase or (word not in in_file and lower in in_file) else word] = None
    if settings.word_vectors:
        warn_if_few(settings.word_vectors, sum(word in in_file for word in entries), len(entries))
    return TreeWords(Vocabulary([*entries, *(word for word in in_file if word not in entries)]), settings.lowercase)


def build_tree_table(words: TreeWords, vectors: WordVectors | None, settings: TreeInput) -> Tensor:
    """float32[V, D]: the vectors, uniform(-0.05, 0.05) for words that have none (Tai et al. 2015)."""
    if vectors is not None and vectors.words:
        values = torch.from_numpy(vectors.matrix)
        distinct = len(torch.unique(values, dim=0))
        if distinct < 0.9 * len(values):
            logger.warning("%s: only %d of %d vectors differ", settings.word_vectors, distinct, len(values))
        if settings.vector_norm:
            values = functional.normalize(values) * settings.vector_norm
            vectors = replace(vectors, matrix=values.numpy())
    return build_table(words.vocabulary, settings.word_size, vectors)


def find_sentences(trees: Iterable[Tree]) -> list[list[str]]:
    """The words of each tree as an encoder reads them: in the order of the sentence, brackets and slashes unescaped.

    Raises `UsageError` for dependency trees, which do not keep that order.
    """
    sentences = []
    for tree in trees:
        if any(word is not None and kids for word, kids in zip(tree.words, tree.children, strict=True)):
            raise UsageError("contextual vectors need trees whose words are leaves; dependency trees have them inside")
        sentences.append([unescape_word(word) for word in tree.tokens])
    return sentences
