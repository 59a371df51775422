"""Word vectors: the dimension, words with spaces, headers, damaged lines, wanted words."""

from __future__ import annotations

import logging
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.vectors import load_vectors, read_vectors
from tests.corpora.reading import fault, read, read_on

TWO = "the 0.1 -2\ncat 3e-2 .5\n"


def entries(data: str | bytes, **options) -> dict[str, list[float]]:
    found = read(read_vectors, data, dtype=np.float64, **options)
    assert len({word for word, _ in found}) == len(found)
    return {word: vector.tolist() for word, vector in found}


def test_words_and_values() -> None:
    assert entries(TWO) == {"the": [0.1, -2.0], "cat": [0.03, 0.5]}
    assert entries("\ufeff" + TWO.replace("\n", "  \r\n")) == entries(TWO)
    assert entries("") == {}
    (word, vector), _ = read(read_vectors, TWO)
    assert (word, vector.dtype, vector.tolist()) == ("the", np.float32, [np.float32(0.1), -2.0])


def test_the_word_is_everything_before_the_last_fields() -> None:
    data = "a 1 2\n. . . 3 4\nat x@y.z 5 6\n1 2 7 8\n 9 9 9\na\u00a0b 1 2\na\u2003 1 2\na\u2028b 1 2\n\u0085 1 2\n"
    assert list(entries(data)) == ["a", ". . .", "at x@y.z", "1 2", " 9", "a\u00a0b", "a\u2003", "a\u2028b", "\u0085"]
    assert entries("new york 1 2\nx 3 4\n", dimension=2) == {"new york": [1.0, 2.0], "x": [3.0, 4.0]}
    assert entries("1 2\nx y 3 4\n") == {"x y": [3.0, 4.0]}  # the header gives the dimension


@pytest.mark.parametrize("header", ["2 2", "2 2  ", "02 2"])
def test_a_first_line_of_two_integers_is_a_header(header: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert entries(f"{header}\n{TWO}") == entries(TWO)
    assert not caplog.records


def test_what_only_looks_like_a_header_is_a_vector() -> None:
    assert entries("2 2.0\n3 1\n") == {"2": [2.0], "3": [1.0]}
    assert entries("a 1\n2 2\n") == {"a": [1.0], "2": [2.0]}
    assert entries("2 2 2\n") == {"2": [2.0, 2.0]}


@pytest.mark.parametrize(
    ("data", "options", "warnings"),
    [
        (f"3 2\n{TWO}", {}, ["toy:1: the header announces 3 entries, the file has 2"]),
        (f"1 2\n{TWO}", {}, ["toy:1: the header announces 1 entries, the file has 2"]),
        (f"2 5\n{TWO}", {"dimension": 2}, ["toy:1: the header gives 5 as the dimension, but 2 was asked for"]),
        (f"{TWO}\n   \n{TWO}", {}, [
            "toy:3: an empty line was left out",
            "toy:4: an empty line was left out",
            "toy:5: 'the' occurs again; its first vector is kept",
            "toy:6: 'cat' occurs again; its first vector is kept",
        ]),
        (f"\n{TWO}", {}, ["toy:1: an empty line was left out"]),
        (f"{TWO} 7 8\n", {}, ["toy:3: a vector without a word was left out"]),
    ],
)  # fmt: skip
def test_oddities_are_warned_of(
    data: str, options: dict[str, int], warnings: list[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        assert entries(data, **options) == entries(TWO)
    assert [record.getMessage() for record in caplog.records] == warnings


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("dog 1", "1 values, 2 expected after the word in 'dog 1'"),
        ("dog", "0 values, 2 expected"),
        ("dog\t1\t2", "0 values, 2 expected"),
        ("dog 1 x", "expected 2 finite numbers, but the value 'x' is not a number"),
        ("dog x 1", "expected 2 finite numbers, but the value 'x' is not a number"),
        ("dog nan 1", "expected 2 finite numbers, but the value 'nan' is not finite"),
        ("dog 1 -inf", "expected 2 finite numbers, but the value '-inf' is not finite"),
        ("dog 1 1e999", "expected 2 finite numbers, but the value '1e999' is not finite"),
        ("dog 1 1_0", "expected 2 finite numbers, but the value '1_0' is not a number"),
        ("dog 1 ٣", "expected 2 finite numbers, but the value '٣' is not a number"),
        ("dog 1 2\u00a0", "expected 2 finite numbers"),
        ("dog 1 0x1", "expected 2 finite numbers"),
        ("dog 1  2", "expected 2 finite numbers, but the value '' is not a number"),
        ("dog 1 2,5", "expected 2 finite numbers"),
        ("dog 1 \x00", "expected 2 finite numbers"),
    ],
)
def test_damaged_lines_are_faults(line: str, message: str) -> None:
    assert fault(read_vectors, f"{TWO}{line}\n").startswith(f"toy:3: {message}")
    found, faults = read_on(read_vectors, f"{TWO}{line}\nlast 1 2\n")
    assert [word for word, _ in found] == ["the", "cat", "last"]
    assert [error.line for error in faults] == [3]


def test_a_value_too_large_for_float32_is_not_finite() -> None:
    assert fault(read_vectors, "a 1e39\n").startswith("toy:1: expected 1 finite numbers, but the value '1e39'")
    assert entries("a 1e39\n") == {"a": [1e39]}


def test_first_line_without_values() -> None:
    assert fault(read_vectors, "word\n").startswith("toy:1: expected a word and its values")


def test_wanted_words_alone(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "v.vec"
    path.write_text("4 2\nthe 1 2\nnew york 3 4\nthe 5 6\nbad x y\n", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        found = load_vectors(path, wanted={"new york": 0, "absent": 1})
    assert found.words == ("new york",)
    assert found.matrix.dtype == np.float32 and found.matrix.tolist() == [[3.0, 4.0]]
    assert not caplog.records
    assert load_vectors(path, wanted=set()).matrix.shape == (0, 0)
    path.write_text("the 1 2\ncat 1\n", encoding="utf-8")
    assert fault(read_vectors, path.read_bytes(), wanted={"the"}).startswith("toy:2: 1 values, 2 expected")


values = st.floats(width=32, allow_nan=False, allow_infinity=False)
word = st.text(st.characters(exclude_characters="\n\r\ufeff", exclude_categories=["Cs"]), min_size=1, max_size=6)


@given(st.dictionaries(word.filter(lambda text: text.strip(" ")), st.lists(values, min_size=3, max_size=3), max_size=5))
def test_what_is_written_is_read(table: dict[str, list[float]]) -> None:
    data = f"{len(table)} 3\n" + "".join(f"{word} {' '.join(map(repr, row))}\n" for word, row in table.items())
    assert {word: vector.tolist() for word, vector in read(read_vectors, data)} == table


@pytest.mark.corpus
def test_numpy_reads_the_same(shared_data: Path) -> None:
    path = shared_data / "glove/glove.6B.50d.sst-vocab.txt"
    found = load_vectors(path)
    assert found.matrix.shape == (17_754, 50) and len(set(found.words)) == 17_754
    theirs = np.loadtxt(path, dtype=str, comments=None, encoding="utf-8", max_rows=500)
    assert found.words[:500] == tuple(theirs[:, 0])
    np.testing.assert_array_equal(found.matrix[:500], theirs[:, 1:].astype(np.float32))
