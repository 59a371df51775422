"""What every task's preprocessing shares: the corpus that is read, and the data folder with remarks that comes out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nntag.config.options.preprocess import PreprocessOptions
from nntag.corpora.faults import OnBad, SkippedItems, raise_bad
from nntag.encoding.data_folder import DataFolder, sha256_of

Sources = Mapping[str, Sequence[str | Path]]  # the files of each split


@dataclass(frozen=True)
class Preprocessed:
    """The finished folder, and what a user should be told of it."""

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
        return self.options.corpus

    @property
    def left_out(self) -> int:
        """How many bad items were left out so far."""
        return self.on_bad.count if isinstance(self.on_bad, SkippedItems) else 0

    def describe(self) -> dict[str, Any]:
        """What `meta.json` says of the corpus: its files with their hashes, what was left out, how it was generated."""
        files = {
            split: [{"file": Path(file).name, "sha256": sha256_of(file)} for file in given]
            for split, given in self.sources.items()
        }
        generated = {"generated_sample": self.options.sample_size} if self.options.sample else {}
        return {"sources": files, "left_out": self.left_out, **generated}

    def notes(self) -> list[str]:
        """What a user should be told of what was left out."""
        return [f"{self.left_out} bad items were left out (listed above)"] if self.left_out else []
