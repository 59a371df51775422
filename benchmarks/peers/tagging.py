"""What the taggers of `bench-peers` share: CoNLL-U in, one JSON line with the measured figures out. Needs no package.

SCRIPT train TRAIN DEV FOLDER --epochs N       trains, keeps the best epoch by dev in FOLDER
SCRIPT tag TRAIN TEST FOLDER [--precision P]   tags the text twice; accuracy, also of words that TRAIN lacks, tokens/s
                                               of both times, memory; the precision is nntag's alone
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections.abc import Callable, Iterator
from pathlib import Path

Sentence = tuple[list[str], list[str]]  # words, UPOS
Train = Callable[[list[Sentence], list[Sentence], Path, int], Iterator[float]]  # gives dev's accuracy epoch by epoch
Load = Callable[[Path, str], Callable[[list[list[str]]], list[list[str]]]]


def read_conllu(path: Path) -> list[Sentence]:
    """The words and UPOS of each sentence."""
    sentences = []
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        rows = [row for row in rows if row[0].isdigit()]
        sentences.append(([row[1] for row in rows], [row[3] for row in rows]))
    return sentences


def score(gold: list[Sentence], found: list[list[str]], known: set[str]) -> tuple[float, float]:
    """Accuracy in percent, and that of the words that are not `known`."""
    marks = [
        (tag == guess, word in known)
        for (words, tags), guesses in zip(gold, found, strict=True)
        for word, tag, guess in zip(words, tags, guesses, strict=True)
    ]
    unseen = [right for right, is_known in marks if not is_known]
    return 100 * sum(right for right, _ in marks) / len(marks), 100 * sum(unseen) / max(1, len(unseen))


def run(train: Train, load: Load) -> None:
    """The command line of one tagger."""
    parser = argparse.ArgumentParser()
    parser.add_argument("what", choices=["train", "tag"])
    parser.add_argument("first", type=Path)
    parser.add_argument("second", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--precision", default="float32")
    arguments = parser.parse_args()
    first, second = read_conllu(arguments.first), read_conllu(arguments.second)
    if arguments.what == "train":
        start, best, to_best, epoch = time.process_time(), -1.0, 0.0, 0
        for number, accuracy in enumerate(train(first, second, arguments.folder, arguments.epochs), 1):
            if accuracy > best:
                best, to_best, epoch = accuracy, time.process_time() - start, number
        figures = {"dev": best, "best_epoch": epoch, "seconds_to_best": to_best}
    else:
        tag = load(arguments.folder, arguments.precision)
        sentences = [words for words, _ in second]
        tag(sentences[:100])
        start = time.process_time()
        found = tag(sentences)
        seconds = time.process_time() - start
        start = time.process_time()
        tag(sentences)
        again = time.process_time() - start
        accuracy, unseen = score(second, found, {word for words, _ in first for word in words})
        tokens = sum(map(len, sentences))
        figures = {"accuracy": accuracy, "unseen": unseen, "tokens_per_second": tokens / seconds}
        figures["tokens_per_second_again"] = tokens / again
    print(json.dumps({**figures, "memory_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3}))
