"""Corpus files of any format that tree models take -> trees with labelled nodes; its row in the table says how."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from nntag.config.fields import unknown_name
from nntag.config.tasks import find_task
from nntag.corpora.faults import OnBad, raise_bad
from nntag.corpora.formats import FORMATS, find_format, guess_format
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Tree
from nntag.errors import UsageError

DEFAULT_FORMAT = "sst"  # of files whose names tell no format that has trees: its own end in .txt


def read_labelled_trees(
    path: str | Path, format: str, binarise: bool = False, on_bad: OnBad = raise_bad
) -> Iterator[Tree]:
    """The trees of one file; `binarise` accepts nodes with any number of children, and makes them binary. Raises
    `DataError`, `UsageError`."""
    if format not in _list_formats():
        raise UsageError(unknown_name("format of trees", format, _list_formats()))
    row = find_format(format)
    if binarise and not row.binarise:
        raise UsageError(f"--binarise has no meaning for {format}, whose trees may have any shape")
    return row.load_tree_reader()(open_lines(path), on_bad=on_bad, **(row.binarise if binarise else {}))


def guess_tree_format(path: str | Path) -> str:
    """The format that a file's name suggests, where that has trees, else `DEFAULT_FORMAT`."""
    try:
        guessed = guess_format(path)
    except UsageError:
        return DEFAULT_FORMAT
    return guessed if guessed in _list_formats() else DEFAULT_FORMAT


def _list_formats() -> list[str]:
    choices = find_task("sentiment").choices
    return [row.name for row in FORMATS.values() if not set(choices).isdisjoint(row.tasks)]
