"""The table of formats."""

from __future__ import annotations

import pytest

from nntag.corpora.formats import FORMATS, find_format, guess_format
from nntag.errors import UsageError
from tests.corpora.reading import toy_lines


@pytest.mark.parametrize("name", FORMATS)
def test_every_row_has_a_reader_of_the_same_shape(name: str) -> None:
    row = find_format(name)
    assert row.name == name and row.summary
    assert list(row.load_reader()(toy_lines(""), on_bad=pytest.fail)) == []


def test_an_unknown_name_lists_the_choices_and_the_nearest() -> None:
    with pytest.raises(
        UsageError, match="unknown format 'conlu'; did you mean 'conllu'.*ccgbank, ptb, conllu, columns"
    ):
        find_format("conlu")


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/wsj_0001.auto", "ccgbank"),
        ("wsj_0001.MRG", "ptb"),
        ("en-ud-train.conllu.gz", "conllu"),
        ("x.tsv", "columns"),
        ("qus_train.staggedGold", "piped"),
        ("a.b.txt.xz", "text"),
        ("v.vec", "vectors"),
    ],
)
def test_formats_are_guessed_from_names(path: str, name: str) -> None:
    assert guess_format(path) == name


@pytest.mark.parametrize("path", ["x", "x.gz", "-", "x.unknown"])
def test_a_name_that_tells_nothing(path: str) -> None:
    with pytest.raises(UsageError, match="does not show its format"):
        guess_format(path)


def test_no_suffix_stands_for_two_formats() -> None:
    suffixes = [suffix for row in FORMATS.values() for suffix in row.suffixes]
    assert len(suffixes) == len(set(suffixes))
