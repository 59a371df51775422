"""Corpus files of any tagging format -> tokens with their tags; the table of formats says which layers are the tags."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nntag.config.columns import ColumnNames, list_columns
from nntag.config.fields import unknown_name
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.formats import FORMATS, find_format
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Tree
from nntag.errors import UsageError
from nntag.tagging.parsing.parse import supertags_of
from nntag.tagging.text_files import TaggedText, join_sentences

DERIVED = "supertags"  # the layer of tags that a derivation's leaves are

TaggedSentence = tuple[tuple[str, ...], ...]  # tokens, tags, and the tags of each further column


def read_tagged_sentences(
    path: str | Path, format: str, column: ColumnNames = None, on_bad: OnBad = raise_bad
) -> Iterator[TaggedSentence]:
    """The sentences of one file. `column` picks the tags among those that the format has (its row in `formats` lists
    them), its first without one; there may be several. Raises `DataError`, `UsageError`."""
    choices = [row.name for row in FORMATS.values() if "tagging" in row.tasks]
    if format not in choices:
        raise UsageError(unknown_name("tagging format", format, choices))
    row = find_format(format)
    chosen = row.choose_columns(list_columns(column))
    for sentence in row.load_reader()(open_lines(path), on_bad=on_bad, **chosen.options):
        yield (sentence.tokens, *chosen.read(sentence))


def has_derivations(format: str, column: ColumnNames) -> bool:
    """Whether files of this format hold derivations whose leaves have the tags of one of the columns."""
    row = find_format(format)
    return bool(row.tree_reader) and DERIVED in row.choose_columns(list_columns(column)).attributes


def read_derived_sentences(
    path: str | Path, format: str, on_bad: OnBad = raise_bad, column: ColumnNames = None
) -> Iterator[tuple[TaggedSentence, Tree]]:
    """The sentences of a file with derivations, each with its derivation. Raises `DataError`."""
    row = find_format(format)
    attributes = row.choose_columns(list_columns(column)).attributes
    for tree in row.load_tree_reader()(open_lines(path), on_bad=on_bad):
        yield (tree.tokens, *(supertags_of(tree) if name == DERIVED else tree.tags for name in attributes)), tree


def read_tagged_text(path: str, format: str, column: ColumnNames = None) -> TaggedText:
    """A whole file. Raises `DataError`, `UsageError`."""
    return join_sentences(read_tagged_sentences(path, format, column))
