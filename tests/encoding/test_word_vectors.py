"""Pre-trained vectors as rows of an embedding table, by hand."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
import torch

from nntag.encoding.vocabulary import Vocabulary
from nntag.encoding.word_vectors import UNSEEN_RANGE, build_table, find_word_vectors, vector_size, warn_if_few
from nntag.errors import DataError, UsageError

WORDS = Vocabulary(["cat", "the", "rare"])


def write(path: Path, text: str) -> str:
    path.write_text(text)
    return str(path)


def make_table(path: str) -> torch.Tensor:
    vectors = find_word_vectors(path, WORDS)
    return build_table(WORDS, vectors.matrix.shape[1], vectors)


@pytest.mark.parametrize("header", ["", "3 2\n"], ids=["glove", "word2vec"])
def test_rows_stand_where_the_words_do(tmp_path: Path, header: str) -> None:
    path = write(tmp_path / "x.vec", header + "the 1 2\nunheard 9 9\ncat 3 -0.5\n")
    assert vector_size(path) == 2
    table = make_table(path)
    assert table.shape == (len(WORDS), 2) and table.dtype == torch.float32
    assert table[WORDS.id_of("the")].tolist() == [1, 2] and table[WORDS.id_of("cat")].tolist() == [3, -0.5]
    others = table[[0, 1, WORDS.id_of("rare")]]
    assert (others.abs() <= UNSEEN_RANGE).all() and (others != 0).all()


def test_rows_of_other_words_follow_the_random_state(tmp_path: Path) -> None:
    path = write(tmp_path / "x.vec", "the 1 2\ncat 3 4\n")
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append(make_table(path))
    assert torch.equal(drawn[0], drawn[1]) and not torch.equal(drawn[0], drawn[2])


def test_vectors_that_fit_few_words_are_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = write(tmp_path / "x.vec", "the 1 2\n")
    with caplog.at_level(logging.WARNING, "nntag"):
        warn_if_few(path, len(find_word_vectors(path, WORDS).words), 3)
        warn_if_few(path, 2, 3)
    assert [record.getMessage() for record in caplog.records] == [
        f"{path}: only 1 of the 3 words of the training data have a vector"
    ]


def test_no_word_with_a_vector_keeps_the_width(tmp_path: Path) -> None:
    assert make_table(write(tmp_path / "x.vec", "unheard 1 2 3\n")).shape == (5, 3)


def test_files_without_vectors_are_errors(tmp_path: Path) -> None:
    for text in ("", "2 3\n"):
        with pytest.raises(DataError, match="no word vectors in it"):
            vector_size(write(tmp_path / "x.vec", text))
        with pytest.raises(DataError, match="no word vectors in it"):
            find_word_vectors(str(tmp_path / "x.vec"), WORDS)
    with pytest.raises(DataError, match="gone.vec: cannot be read"):
        vector_size(str(tmp_path / "gone.vec"))


def test_vectors_of_which_no_word_is_known_are_refused() -> None:
    with pytest.raises(UsageError, match="x.vec: not one of the 7 words of the training data has a vector there"):
        warn_if_few("x.vec", 0, 7)
    warn_if_few("x.vec", 0, 0)
