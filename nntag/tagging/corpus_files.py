"""Corpus files of any tagging format -> tokens with one tag each; the table of formats says which layer is the tag."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nntag.config.fields import unknown_name
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.formats import FORMATS, find_format
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Tree
from nntag.errors import UsageError
from nntag.tagging.parsing.parse import supertags_of
from nntag.tagging.text_files import TaggedText

DERIVED = "supertags"  # the layer of tags that a derivation's leaves are

TaggedSentence = tuple[tuple[str, ...], tuple[str, ...]]  # tokens, tags


def read_tagged_sentences(
    path: str | Path, format: str, column: str | None = None, on_bad: OnBad = raise_bad
) -> Iterator[TaggedSentence]:
    """The sentences of one file. `column` picks the tags among those that the format has (its row in `formats` lists
    them), its first without one. Raises `DataError`, `UsageError`."""
    choices = [row.name for row in FORMATS.values() if "tagging" in row.tasks]
    if format not in choices:
        raise UsageError(unknown_name("tagging format", format, choices))
    row = find_format(format)
    chosen = row.choose_column(column)
    for sentence in row.load_reader()(open_lines(path), on_bad=on_bad, **chosen.options):
        yield sentence.tokens, getattr(sentence, chosen.attribute)


def has_derivations(format: str, column: str | None) -> bool:
    """Whether files of this format hold derivations whose leaves have the tags that `column` names."""
    row = find_format(format)
    return bool(row.tree_reader) and row.choose_column(column).attribute == DERIVED


def read_derived_sentences(
    path: str | Path, format: str, on_bad: OnBad = raise_bad
) -> Iterator[tuple[TaggedSentence, Tree]]:
    """The sentences of a file with derivations, each with its derivation. Raises `DataError`."""
    for tree in find_format(format).load_tree_reader()(open_lines(path), on_bad=on_bad):
        yield (tree.tokens, supertags_of(tree)), tree


def read_tagged_text(path: str, format: str, column: str | None = None) -> TaggedText:
    """A whole file. Raises `DataError`, `UsageError`."""
    sentences = list(read_tagged_sentences(path, format, column))
    return TaggedText([tokens for tokens, _ in sentences], [tuple(tags) for _, tags in sentences])
