"""Format name -> its reader, what it is for and the file names it is guessed from; imports a reader when it is used."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from nntag.config.fields import unknown_name
from nntag.errors import UsageError


@dataclass(frozen=True, slots=True)
class Format:
    """One row of the table; `reader` is `module:function` under `nntag.corpora`."""

    name: str
    reader: str
    yields: str  # "sentences", "trees", "questions", "paragraphs" or "vectors"
    summary: str
    suffixes: tuple[str, ...]

    def load_reader(self) -> Callable[..., Any]:
        """The function that takes `Lines` and yields records."""
        module, function = self.reader.split(":")
        return getattr(import_module(f"nntag.corpora.{module}"), function)


FORMATS: dict[str, Format] = {
    row.name: row
    for row in (
        Format(
            "ccgbank",
            "ccgbank:read_ccgbank",
            "sentences",
            "CCGbank derivations (AUTO): supertags, or POS tags with the column 'pos'",
            (".auto",),
        ),
        Format("ptb", "ptb:read_ptb", "sentences", "bracketed Penn Treebank trees: POS tags", (".mrg", ".prd")),
        Format(
            "conllu",
            "conllu:read_conllu",
            "sentences",
            "CoNLL-U: UPOS, or the column that is named",
            (".conllu", ".conll"),
        ),
        Format(
            "columns",
            "columns:read_columns",
            "sentences",
            "a word and its tag a line, blank line between sentences; other tag columns by number",
            (".tsv", ".col", ".cols", ".bio"),
        ),
        Format(
            "piped",
            "piped:read_piped",
            "sentences",
            "word|POS|supertag: supertags, or POS tags with the column 'pos', or word|tag with 'tag'",
            (".piped", ".pipe", ".stagged", ".staggedgold"),
        ),
        Format(
            "pmb",
            "pmb:read_pmb",
            "sentences",
            "layers of the Parallel Meaning Bank: CCG categories, or 'semtag', 'sense', 'symbol', 'roles'",
            (),  # its files end in .conll, as CoNLL-U's may
        ),
        Format("text", "text:read_text", "sentences", "plain text, one tokenised sentence a line", (".txt", ".text")),
        Format("sst", "sst:read_sst", "trees", "Stanford Sentiment Treebank trees with labels from 0 to 4", (".sst",)),
        Format(
            "sherlock",
            "sherlock:read_sherlock",
            "questions",
            "sentence-completion questions, machine_format or CSV, and their answers",
            (".questions", ".csv"),
        ),
        Format(
            "gutenberg",
            "gutenberg:read_gutenberg",
            "paragraphs",
            "Project Gutenberg novels without the licence",
            (),
        ),
        Format(
            "vectors",
            "vectors:read_vectors",
            "vectors",
            "word vectors as text: GloVe, word2vec, fastText",
            (".vec", ".glove"),
        ),
    )
}


def find_format(name: str) -> Format:
    """The row of a format; raises UsageError that lists the names and the nearest one."""
    if name not in FORMATS:
        raise UsageError(unknown_name("format", name, FORMATS))
    return FORMATS[name]


def guess_format(path: str | Path) -> str:
    """The format that a file's name suggests (`.gz` and `.xz` aside); raises UsageError where it suggests none."""
    suffixes = [suffix for suffix in Path(path).suffixes if suffix.lower() not in (".gz", ".xz")]
    for row in FORMATS.values():
        if suffixes and suffixes[-1].lower() in row.suffixes:
            return row.name
    raise UsageError(f"{path}: this name does not tell its format; name one of {', '.join(FORMATS)} with --format")
