"""The bundled sample: a seed and a size in, generated corpora in every format that nntag reads out.

The text is generated: a small combinatory categorial grammar of English with a hand-written lexicon makes it, and no
sentence was taken from anywhere. It is a way to try every command with nothing downloaded, to test, and to scale
benchmarks; figures measured on it say nothing about real text.

`generate_sentences` gives derivations, `write_sample` files. One sentence has the same words, tags, supertags and heads
in each format of `writers.py`; `sst` are sentiment trees (`sentiment.py`), `sherlock` novels with questions
(`novels.py`, `cloze.py`). How the parts hang together: the rules and words in `english/` are data, `engine.py` works
rules through (with `scope.py`), and `generator.py` with `lexicon.py` and `terminals.py` gives it the words and the
calculus, which is `categories`, `combinators` and `derivations`; `dependencies`, `constituents` and `writers` turn a
derivation into corpus text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from nntag.errors import UsageError
from nntag.sample.derivations import DerivationError, check_derivation
from nntag.sample.generator import Generated, SentenceGenerator
from nntag.sample.labelled_dependencies import write_labelled_conllu
from nntag.sample.novels import write_sherlock
from nntag.sample.sentiment import generate_reviews
from nntag.sample.writers import LAYOUTS, join_tokens, make_sentence

__all__ = [
    "SAMPLE_FORMATS",
    "DerivationError",
    "Generated",
    "check_derivation",
    "generate_sentences",
    "make_sentence",
    "write_sample",
]

SAMPLE_FORMATS = (*LAYOUTS, "sst", "sherlock")
SMALLEST_SPLIT = 50  # dev and test have a tenth of the training sentences, at least this many


def generate_sentences(size: int, seed: int | str) -> Iterator[Generated]:
    """`size` sentences, each a derivation with its topic; the same ones for the same seed."""
    generator = SentenceGenerator(seed)
    return (generator.generate() for _ in range(size))


def write_sample(format: str, folder: str | Path, size: int, seed: int = 1, labelled: bool = False) -> dict[str, Path]:
    """Write a sample corpus of `size` training sentences into `folder`; gives the path of each split.

    Dev and test have a tenth as many sentences, at least 50, from seeds of their own, and none of theirs is in train.
    For `sherlock`, `train` is the folder of novels, and `questions`, `answers`, `csv_questions`, `csv_answers` are the
    question files. With `labelled`, `conllu` has sentiment labels (`labelled_dependencies.py`) and no tags. Raises
    UsageError for an unknown format or a size below 1.
    """
    if labelled and format == "conllu":
        return write_labelled_conllu(write_sample("sst", folder, size, seed))
    if format not in SAMPLE_FORMATS:
        raise UsageError(f"there is no sample of {format!r}; choose from {', '.join(SAMPLE_FORMATS)}")
    if size < 1:
        raise UsageError(f"a sample needs at least one training sentence, not {size}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if format == "sherlock":
        return write_sherlock(folder, size, seed)
    name = "{split}.txt" if format == "sst" else LAYOUTS[format].name
    paths = {split: folder / name.format(split=split) for split in ("train", "dev", "test")}
    held_out: set[str] = set()
    for split in ("test", "dev", "train"):
        items = _generate_items(format, split, f"{seed}-{split}")
        fresh = ((key, text) for key, text in items if key not in held_out)
        keys = []
        with paths[split].open("w", encoding="utf-8", newline="\n") as file:
            for key, text in islice(fresh, size if split == "train" else max(SMALLEST_SPLIT, size // 10)):
                file.write(text)
                if split != "train":
                    keys.append(key)
        held_out.update(keys)
    return paths


def _generate_items(format: str, split: str, seed: str) -> Iterator[tuple[str, str]]:
    """An endless stream of tokens or trees, by which items are told apart, with the text for the file."""
    if format == "sst":
        yield from ((line, line + "\n") for line in generate_reviews(seed))
    generator = SentenceGenerator(seed)
    for number in count(1):
        derivation = generator.generate().derivation
        yield join_tokens(derivation), LAYOUTS[format].write(split, number, derivation)
