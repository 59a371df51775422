"""Corpus files of any tagging format -> tokens with one tag each; which layer is the tag is decided here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from nntag.config.fields import unknown_name
from nntag.corpora.ccgbank import read_ccgbank
from nntag.corpora.columns import read_columns
from nntag.corpora.conllu import read_conllu
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.formats import guess_format
from nntag.corpora.lines import Lines, open_lines
from nntag.corpora.piped import read_piped
from nntag.corpora.pmb import read_pmb
from nntag.corpora.ptb import read_ptb
from nntag.corpora.records import Sentence
from nntag.errors import UsageError
from nntag.tagging.text_files import TaggedText

TaggedSentence = tuple[tuple[str, ...], tuple[str, ...]]  # tokens, tags
TAGGING_FORMATS = ("ccgbank", "ptb", "conllu", "columns", "piped", "pmb")


def read_tagged_sentences(
    path: str | Path, format: str, column: str | None = None, on_bad: OnBad = raise_bad
) -> Iterator[TaggedSentence]:
    """The sentences of one file. `column` picks the tags: for conllu any column name (UPOS by default), for columns a
    number (2 by default), for ccgbank and piped `supertag` (default) or `pos`, for piped also `tag` (`word|tag` files),
    for pmb `category` (default), `semtag`, `sense`, `symbol` or `roles`. Raises `DataError`, `UsageError`."""
    if format not in TAGGING_FORMATS:
        raise UsageError(unknown_name("tagging format", format, TAGGING_FORMATS))
    yield from _READERS[format](open_lines(path), column, on_bad)


def _read_conllu(lines: Lines, column: str | None, on_bad: OnBad) -> Iterator[TaggedSentence]:
    return _layer(read_conllu(lines, column or "UPOS", on_bad=on_bad), "tags")


def _read_columns(lines: Lines, column: str | None, on_bad: OnBad) -> Iterator[TaggedSentence]:
    try:
        number = None if column is None else int(column)
    except ValueError:
        raise UsageError(f"--column must be a number for the format columns, found {column!r}") from None
    return _layer(read_columns(lines, number, on_bad=on_bad), "tags")


def _read_ptb(lines: Lines, column: str | None, on_bad: OnBad) -> Iterator[TaggedSentence]:
    if column not in (None, "pos"):
        raise UsageError(f"--column must be pos for the format ptb, found {column!r}")
    return _layer(read_ptb(lines, on_bad=on_bad), "tags")


def _read_ccgbank(lines: Lines, column: str | None, on_bad: OnBad) -> Iterator[TaggedSentence]:
    return _layer(read_ccgbank(lines, on_bad=on_bad), _ccg_layer(column))


def _read_piped(lines: Lines, column: str | None, on_bad: OnBad) -> Iterator[TaggedSentence]:
    if column == "tag":
        return _layer(read_piped(lines, fields=2, on_bad=on_bad), "tags")
    return _layer(read_piped(lines, on_bad=on_bad), _ccg_layer(column))


def _read_pmb(lines: Lines, column: str | None, on_bad: OnBad) -> Iterator[TaggedSentence]:
    return _layer(read_pmb(lines, column, on_bad=on_bad), "tags")


def _ccg_layer(column: str | None) -> str:
    layers = {None: "supertags", "supertag": "supertags", "pos": "tags"}
    if column not in layers:
        raise UsageError(unknown_name("--column", column, ("supertag", "pos")))
    return layers[column]


def _layer(sentences: Iterator[Sentence], layer: str) -> Iterator[TaggedSentence]:
    return ((sentence.tokens, getattr(sentence, layer)) for sentence in sentences)


_READERS: dict[str, Callable[[Lines, str | None, OnBad], Iterator[TaggedSentence]]] = {
    "ccgbank": _read_ccgbank,
    "ptb": _read_ptb,
    "conllu": _read_conllu,
    "columns": _read_columns,
    "piped": _read_piped,
    "pmb": _read_pmb,
}


def guess_tagging_format(path: str) -> str:
    """The format that a file's suffix tells; raises `UsageError` where it tells none."""
    format = guess_format(path)
    if format is None:
        raise UsageError(f"{path}: its name does not tell its format; name it with --format")
    return format


def read_tagged_text(path: str, format: str, column: str | None = None) -> TaggedText:
    """A whole file. Raises `DataError`, `UsageError`."""
    sentences = list(read_tagged_sentences(path, format, column))
    return TaggedText([tokens for tokens, _ in sentences], [tuple(tags) for _, tags in sentences])
