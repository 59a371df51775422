"""The bundled sample: a seed and a size in, generated corpora in every format that nntag reads out.

The text is generated: a small combinatory categorial grammar of English with a hand-written lexicon makes it, and no
sentence was taken from anywhere. It is a way to try every command with nothing downloaded, to test, and to scale
benchmarks; figures measured on it say nothing about real text.

`generate_sentences` gives derivations, `write_sample` files. One sentence has the same words, tags, supertags and heads
in each of the formats `ccgbank`, `ptb`, `conllu`, `columns`, `piped`, `pmb` and `text`; `sst` are sentiment trees
(`sentiment.py`), `sherlock` novels with questions (`novels.py`). How the parts hang together: `categories` and
`combinators` are the calculus, `derivations` trees and their check; `topics`, `words`, `frames` the word lists,
`lexicon` tables over them; `nouns` to `generator` the phrases, each file building on the one before; `dependencies`,
`constituents` and `writers` turn a derivation into corpus text.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path
from typing import NamedTuple

from nntag.errors import UsageError
from nntag.sample.derivations import DerivationError, check_derivation
from nntag.sample.generator import Generated, SentenceGenerator
from nntag.sample.novels import write_sherlock
from nntag.sample.pmb import write_pmb
from nntag.sample.sentiment import generate_reviews
from nntag.sample.writers import (
    Writer,
    join_tokens,
    make_sentence,
    write_auto,
    write_columns,
    write_conllu,
    write_piped,
    write_text,
    write_tree,
)

__all__ = [
    "SAMPLE_FORMATS",
    "DerivationError",
    "Generated",
    "check_derivation",
    "generate_sentences",
    "make_sentence",
    "write_sample",
]

SMALLEST_SPLIT = 50  # dev and test have a tenth of the training sentences, at least this many


class _Layout(NamedTuple):
    name: str  # with {split}
    write: Writer


LAYOUTS = {
    "ccgbank": _Layout("{split}.auto", write_auto),
    "ptb": _Layout("{split}.mrg", write_tree),
    "conllu": _Layout("sample-ud-{split}.conllu", write_conllu),
    "columns": _Layout("{split}.tsv", write_columns),
    "piped": _Layout("{split}.piped", write_piped),
    "pmb": _Layout("sample-{split}.conll", write_pmb),
    "text": _Layout("{split}.txt", write_text),
}
SAMPLE_FORMATS = (*LAYOUTS, "sst", "sherlock")


def generate_sentences(size: int, seed: int | str) -> Iterator[Generated]:
    """`size` sentences, each a derivation with its topic; the same ones for the same seed."""
    generator = SentenceGenerator(seed)
    return (generator.generate() for _ in range(size))


def write_sample(format: str, folder: str | Path, size: int, seed: int = 1) -> dict[str, Path]:
    """Write a sample corpus of `size` training sentences into `folder`; gives the path of each split.

    Dev and test have a tenth as many sentences, at least 50, from seeds of their own, and none of theirs is in train.
    For `sherlock`, `train` is the folder of novels, and `questions`, `answers`, `csv_questions`, `csv_answers` are the
    question files. Raises UsageError for an unknown format or a size below 1.
    """
    if format not in SAMPLE_FORMATS:
        raise UsageError(f"there is no sample of {format!r}; choose from {', '.join(SAMPLE_FORMATS)}")
    if size < 1:
        raise UsageError(f"a sample needs at least one training sentence, not {size}")
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    if format == "sherlock":
        return write_sherlock(folder, size, seed)
    layout = None if format == "sst" else LAYOUTS[format]
    paths, held_out = {}, set()
    for split in ("test", "dev", "train"):
        items = _stream_reviews(f"{seed}-{split}") if layout is None else _stream(layout, split, f"{seed}-{split}")
        fresh = ((key, text) for key, text in items if key not in held_out)
        wanted = size if split == "train" else max(SMALLEST_SPLIT, size // 10)
        paths[split] = folder / ("{split}.txt" if layout is None else layout.name).format(split=split)
        keys = []
        with paths[split].open("w", encoding="utf-8", newline="\n") as file:
            for key, text in islice(fresh, wanted):
                file.write(text)
                if split != "train":
                    keys.append(key)
        held_out.update(keys)
    return {split: paths[split] for split in ("train", "dev", "test")}


def _stream(layout: _Layout, split: str, seed: str) -> Iterator[tuple[str, str]]:
    generator = SentenceGenerator(seed)
    for number in count(1):
        derivation = generator.generate().derivation
        yield join_tokens(derivation), layout.write(split, number, derivation)


def _stream_reviews(seed: str) -> Iterator[tuple[str, str]]:
    for line in generate_reviews(seed):
        yield line, line + "\n"
