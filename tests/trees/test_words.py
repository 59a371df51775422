"""Which words a tree model knows, how they are looked up, and the vectors they start with."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import torch

from nntag.config.trees import TreeInput
from nntag.encoding.vocabulary import UNKNOWN
from nntag.trees.words import TreeWords, build_tree_table, build_tree_words, read_tree_vectors


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "v.txt"
    path.write_text("the 3 4\nParis 1 0\nfilm 0 2\nnovel 0 5\nother 1 1\n")
    return str(path)


def find_words(train_words: list[str], settings: TreeInput) -> TreeWords:
    return build_tree_words(train_words, read_tree_vectors(train_words, settings), settings)


def make_table(train_words: list[str], settings: TreeInput) -> tuple[TreeWords, torch.Tensor]:
    vectors = read_tree_vectors(train_words, settings)
    words = build_tree_words(train_words, vectors, settings)
    return words, build_tree_table(words, vectors, settings)


def test_words_are_looked_up_as_written_then_in_lower_case(file: str) -> None:
    words = find_words(["The", "the", "Paris", "Film", "Zorro"], TreeInput(word_vectors=file))
    assert words.vocabulary.known() == ["the", "Paris", "film", "Zorro", "novel", "other"]
    assert words.id_of("The") == words.id_of("the") == words.id_of("THE")
    assert words.id_of("Film") == words.id_of("film") and words.id_of("NOVEL") == words.id_of("novel")
    assert words.id_of("Zorro") != UNKNOWN
    assert words.id_of("zorro") == words.id_of("paris") == UNKNOWN


def test_words_of_the_file_are_limited_but_for_those_of_training(file: str) -> None:
    words = find_words(["Novel"], TreeInput(word_vectors=file, max_vectors=1))
    assert words.vocabulary.known() == ["novel", "the"]


def test_a_repeated_word_of_the_file_is_counted_once(tmp_path: Path) -> None:
    path = tmp_path / "v.txt"
    path.write_text("one 1 1\none 2 2\ntwo 3 3\nthree 4 4\n")
    words = find_words([], TreeInput(word_vectors=str(path), max_vectors=2))
    assert words.vocabulary.known() == ["one", "two"]


def test_lower_case_throughout(file: str) -> None:
    words = find_words(["Paris", "The"], TreeInput(word_vectors=file, lowercase=True, max_vectors=0))
    assert words.vocabulary.known() == ["paris", "the"] and words.id_of("PARIS") == words.id_of("paris")


def test_vectors_are_scaled_and_other_rows_small(file: str) -> None:
    settings = TreeInput(word_vectors=file, word_size=2, vector_norm=10.0)
    words, table = make_table(["the", "film", "Zorro"], settings)
    torch.testing.assert_close(table[words.id_of("the")], torch.tensor([6.0, 8.0]))
    torch.testing.assert_close(table[words.id_of("film")], torch.tensor([0.0, 10.0]))
    assert table[words.id_of("Zorro")].abs().max() <= 0.05
    unread = build_tree_table(words, None, TreeInput(word_vectors="gone.txt", word_size=2))
    assert unread.shape == table.shape and unread.abs().max() <= 0.05


def test_a_file_with_many_equal_vectors_is_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "v.txt"
    path.write_text("good 1 2\nbad 1 2\nfilm 3 4\n")
    settings = TreeInput(word_vectors=str(path), word_size=2)
    with caplog.at_level(logging.WARNING, logger="nntag"):
        make_table([], settings)
    assert [record.getMessage() for record in caplog.records] == [f"{path}: only 2 of 3 vectors differ"]


def test_a_file_without_the_words_of_training_is_warned_of(file: str, caplog: pytest.LogCaptureFixture) -> None:
    settings = TreeInput(word_vectors=file, word_size=2)
    with caplog.at_level(logging.WARNING, logger="nntag"):
        make_table(["Wort", "Satz", "Film"], settings)
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [f"{file}: only 1 of the 3 words of the training data have a vector"]


def test_a_flaw_of_the_file_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "v.txt"
    path.write_text("good 1 2\nbad 3 4\ngood 5 6\n")
    settings = TreeInput(word_vectors=str(path), word_size=2)
    with caplog.at_level(logging.WARNING, logger="nntag"):
        make_table(["good", "bad"], settings)
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}:3: 'good' occurs again; its first vector is kept"
    ]
