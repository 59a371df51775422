"""The text of a data folder: what is written comes back, damage is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.errors import RunError
from nntag.tagging.text_files import TaggedText, read_columns_file, write_columns_file

FIELD = st.text(st.characters(exclude_characters="\n\t", exclude_categories=["Cs"]), min_size=1, max_size=6)
TAG = st.none() | FIELD


def test_bytes_by_hand(tmp_path: Path) -> None:
    file = tmp_path / "x.tsv"
    write_columns_file(file, [(("a b", "é"), ("X", None)), (("\u2028",), ("Y",))])
    assert file.read_bytes() == "a b\tX\né\t\n\n\u2028\tY\n\n".encode()
    assert read_columns_file(file) == TaggedText([("a b", "é"), ("\u2028",)], [("X", None), ("Y",)])


@given(st.lists(st.lists(st.tuples(FIELD, TAG), min_size=1, max_size=4), max_size=4))
def test_what_is_written_comes_back(tmp_path_factory: pytest.TempPathFactory, rows: list) -> None:
    file = tmp_path_factory.mktemp("columns") / "x.tsv"
    sentences = [tuple(zip(*sentence, strict=True)) for sentence in rows]
    write_columns_file(file, sentences)
    text = read_columns_file(file)
    assert list(zip(text.tokens, text.tags, strict=True)) == sentences


@pytest.mark.parametrize("content", ["a\tX\nb\tY", "a\tX\nb\tY\n", "\n\na\tX\nb\tY\n\n\n"])
def test_blank_lines_are_needed_only_between_sentences(tmp_path: Path, content: str) -> None:
    file = tmp_path / "x.tsv"
    file.write_text(content)
    assert read_columns_file(file) == TaggedText([("a", "b")], [("X", "Y")])


def test_damage_is_an_error_that_names_the_place(tmp_path: Path) -> None:
    file = tmp_path / "x.tsv"
    file.write_bytes(b"a\tX\nb\n")
    with pytest.raises(RunError, match=f"^{file}:2: damaged data folder"):
        read_columns_file(file)
    file.write_bytes(b"a\tX\n\xff\tY\n")
    with pytest.raises(RunError, match=f"^{file}: damaged data folder"):
        read_columns_file(file)
    with pytest.raises(RunError, match=f"^{tmp_path / 'gone'}: damaged data folder"):
        read_columns_file(tmp_path / "gone")
