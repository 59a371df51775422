"""The options of `nntag preprocess` and `nntag read`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from nntag.config.columns import list_columns
from nntag.config.fields import flag


@dataclass(frozen=True)
class PreprocessOptions:
    """Which corpus becomes a data folder, and how; a flag that only some tasks use names them."""

    corpus: str = flag("", "Format of the corpus.", argument=True)
    source: Path | None = flag(
        None, "Folder of the corpus, laid out as data/README.md says [default: data/raw/CORPUS].", argument=True
    )
    train: tuple[Path, ...] = flag((), "Training file (repeatable), instead of a folder.")
    dev: tuple[Path, ...] = flag((), "Dev file (repeatable); without one, a part of train is split off.")
    test: tuple[Path, ...] = flag((), "Test file (repeatable).")
    out: Path | None = flag(None, "Data folder to write [default: data/processed/CORPUS[-TASK][-LANGUAGE][-sample]].")
    task: str | None = flag(None, "What the data is for [default: the corpus's first task].")
    column: tuple[str, ...] | str | None = flag(None, "Which tags of the corpus (repeatable).", tasks=("tagging",))
    language: str | None = flag(None, "pmb: which language of a folder with several (en, de, it, nl).")
    tag_cutoff: int = flag(1, "Tags seen less often than this in training become RARE.", tasks=("tagging",))
    vocab_size: int | None = flag(None, "Size of the vocabulary, including </s> and <unk>.", tasks=("lm",))
    min_count: int | None = flag(
        None, "Rarer words become <unk> [default: 1 if train has <unk>, else 2].", tasks=("lm",)
    )
    lowercase: bool = flag(False, "Lowercase all text, also when it is scored.", tasks=("lm",))
    binarise: bool = flag(False, "Accept nodes with any number of children and make them binary.", tasks=("sentiment",))
    sample: bool = flag(False, "Generate a sample corpus instead of reading one.")
    sample_size: int = flag(3000, "Training sentences of the sample.")
    seed: int = flag(1, "Seed for the sample and for a dev set that is split off.")
    force: bool = flag(False, "Replace a data folder of another corpus, column or task, or one that runs use.")
    in_use: bool = flag(False, "Whether runs are trained on the data folder that lies there.", hidden=True)
    skip_bad: bool = flag(False, "Leave bad sentences out, list them on stderr, and go on.")

    @property
    def columns(self) -> tuple[str | None, ...]:
        """The columns of tags; `(None,)` for the corpus's first."""
        return list_columns(self.column)

    @property
    def files(self) -> dict[str, tuple[Path, ...]]:
        """The files given by name, by split."""
        given = {"train": self.train, "dev": self.dev, "test": self.test}
        return {split: files for split, files in given.items() if files}


@dataclass(frozen=True)
class ReadOptions:
    """Which file is read, and how."""

    format: str = flag("", "Format of the file.", argument=True)
    file: str = flag("-", "File to read; - is standard input.", argument=True)
    answers: Path | None = flag(None, "sherlock: the file with the answers.", argument=True)
    dim: int | None = flag(None, "vectors: the dimension of the vectors.")
    column: str | None = flag(None, "Which column holds the tags.")
    skip_bad: bool = flag(False, "Leave bad sentences out, list them on stderr, and go on.")
