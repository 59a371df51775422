"""spaCy's default tagger (tok2vec without vectors, a softmax), trained as `spacy train` does, without a download."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import spacy
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import minibatch
from tagging import Sentence, run, score


def train(sentences: list[Sentence], dev: list[Sentence], folder: Path, epochs: int) -> Iterator[float]:
    spacy.util.fix_random_seed(1)
    nlp = spacy.blank("xx")
    nlp.add_pipe("tagger")
    examples = [Example.from_dict(Doc(nlp.vocab, words=words), {"tags": tags}) for words, tags in sentences]
    optimiser, best = nlp.initialize(lambda: examples), -1.0
    for _ in range(epochs):
        random.Random(1).shuffle(examples)
        for batch in minibatch(examples, 32):
            nlp.update(batch, sgd=optimiser, drop=0.1)
        accuracy, _ = score(dev, tag_with(nlp, [words for words, _ in dev]), set())
        if accuracy > best:
            best = accuracy
            nlp.to_disk(folder)
        yield accuracy


def tag_with(nlp: spacy.Language, sentences: list[list[str]]) -> list[list[str]]:
    docs = (Doc(nlp.vocab, words=words) for words in sentences)
    return [[token.tag_ for token in doc] for doc in nlp.pipe(docs, batch_size=256)]


def load(folder: Path, _: str = "") -> Callable[[list[list[str]]], list[list[str]]]:
    nlp = spacy.load(folder)
    return lambda sentences: tag_with(nlp, sentences)


if __name__ == "__main__":
    run(train, load)
