"""python-crfsuite with the features usual for tagging: the word, its ends and shape, and both neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pycrfsuite
from tagging import Sentence, run, score


def describe(words: list[str]) -> list[list[str]]:
    padded = ["<s>", *(word.lower() for word in words), "</s>"]
    return [
        [
            "bias",
            f"w={padded[place]}",
            f"-1={padded[place - 1]}",
            f"+1={padded[place + 1]}",
            *(f"p{length}={padded[place][:length]}" for length in (1, 2, 3)),
            *(f"s{length}={padded[place][-length:]}" for length in (1, 2, 3, 4)),
            f"title={word.istitle()}",
            f"upper={word.isupper()}",
            f"digit={any(letter.isdigit() for letter in word)}",
        ]
        for place, word in enumerate(words, 1)
    ]


def train(sentences: list[Sentence], dev: list[Sentence], folder: Path, epochs: int) -> Iterator[float]:
    folder.mkdir(parents=True, exist_ok=True)
    trainer = pycrfsuite.Trainer(verbose=False)
    trainer.set_params({"c1": 0.1, "c2": 0.01, "max_iterations": 10 * epochs})
    for words, tags in sentences:
        trainer.append(describe(words), tags)
    trainer.train(str(folder / "model"))
    found = load(folder)([words for words, _ in dev])
    yield score(dev, found, set())[0]


def load(folder: Path, _: str = "") -> Callable[[list[list[str]]], list[list[str]]]:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(folder / "model"))
    return lambda sentences: [tagger.tag(describe(words)) for words in sentences]


if __name__ == "__main__":
    run(train, load)
