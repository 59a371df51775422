"""What every task's preprocessing shares: the corpus that is read, and the data folder with remarks that comes out."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nntag.config.options.preprocess import PreprocessOptions
from nntag.corpora.faults import OnBad, SkippedItems, raise_bad
from nntag.encoding.data_folder import DataFolder
from nntag.manifest import sha256_of

OVERLAP = "also_in_train"  # the count of a held-out split's sentences that training holds, in `meta.json`
LONG_SENTENCE = 1_000  # ours: tokens from which on a line is hardly one sentence

logger = logging.getLogger("nntag")

Sources = Mapping[str, Sequence[str | Path]]  # the files of each split


@dataclass(frozen=True)
class Preprocessed:
    """The finished folder, and what a user should be told about it."""

    data: DataFolder
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Corpus:
    """The files of a corpus by split, the options that it is read with, and what becomes of its bad items."""

    sources: Sources
    options: PreprocessOptions
    on_bad: OnBad = raise_bad

    @classmethod
    def open(cls, sources: Sources, options: PreprocessOptions) -> Corpus:
        """With `skip_bad`, bad items are counted and left out."""
        return cls(sources, options, SkippedItems() if options.skip_bad else raise_bad)

    @property
    def format(self) -> str:
        """The name of the corpus's format."""
        return self.options.corpus

    @property
    def left_out(self) -> int:
        """How many bad items were left out so far."""
        return self.on_bad.count if isinstance(self.on_bad, SkippedItems) else 0

    def describe(self) -> dict[str, Any]:
        """What `meta.json` says about the corpus: its files, their hashes, what was left out, how it was generated."""
        files = {
            split: [{"file": Path(file).name, "sha256": sha256_of(file)} for file in given]
            for split, given in self.sources.items()
        }
        generated = {"generated_sample": self.options.sample_size} if self.options.sample else {}
        return {"sources": files, "left_out": self.left_out, **generated}

    def notes(self) -> list[str]:
        """What a user should be told about the items that were left out."""
        return [f"{self.left_out} bad items were left out (listed above)"] if self.left_out else []


def warn_if_long(corpus: Corpus, lengths: Iterable[int]) -> None:
    """Warns of sentences that are hardly single ones; models read, and keep in memory, a sentence at a time."""
    longest = max(lengths, default=0)
    if longest > LONG_SENTENCE:
        reason = "models read a sentence as a whole; put one sentence on a line, or split the text at its full stops"
        logger.warning("%s: its longest sentence has %d tokens: %s", corpus.sources["train"][0], longest, reason)
