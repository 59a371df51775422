"""Plain text, columns and piped tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.columns import read_columns
from nntag.corpora.piped import read_piped
from nntag.corpora.text import read_text
from nntag.errors import UsageError
from tests.corpora.reading import fault, is_plain, read, read_on, tagged, tokens, toy_lines

ODD_SPACES = "\u00a0\u2003\u3000\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029\ufeff\x00\x1a\r"


def test_text_tokens_stand_between_spaces_and_tabs() -> None:
    records = read(read_text, "\t a  b\tc \n\n  \t\nd#e #f\n")
    assert tokens(records) == ["a|b|c", "d#e|#f"]
    assert [str(record.place) for record in records] == ["toy:1", "toy:4"]
    assert records[0].tags is None


def test_text_keeps_blank_lines_when_asked() -> None:
    assert tokens(read(read_text, "\na\n \t\n\r\nb", keep_blank=True)) == ["", "a", "", "", "b"]
    assert read(read_text, "", keep_blank=True) == read(read_text, "\n \n\t") == []


@pytest.mark.parametrize("character", ODD_SPACES)
def test_other_spaces_and_control_characters_are_part_of_tokens(character: str) -> None:
    word = f"a{character}b"
    assert tokens(read(read_text, f"x {word} y\n")) == [f"x|{word}|y"]
    assert tagged(read(read_columns, f"{word}\tN\n{word} {word}\n")) == [f"{word}/N {word}/{word}"]
    assert tagged(read(read_piped, f"{word}|N|{word}\n")) == [f"{word}/N"]


def test_a_line_of_a_million_characters() -> None:
    text = "x" * 1_000_000 + " " + " ".join(["y"] * 10_000)
    (record,) = read(read_text, text)
    assert len(record) == 10_001 and len(record.tokens[0]) == 1_000_000


def test_a_bad_byte_spoils_one_line() -> None:
    records, faults = read_on(read_text, b"a\n\xff b\nc\n\xe2\x82\n")
    assert tokens(records) == ["a", "c"]
    assert [(error.line, error.column) for error in faults] == [(2, 1), (4, 1)]


def test_columns_split_at_tabs_or_runs_of_spaces() -> None:
    data = "\n \t\nNew York\tNNP\r\nis   VBZ \r\n\t\nbig JJ\n#\tSYM\n# SYM"
    assert tagged(read(read_columns, data)) == ["New York/NNP is/VBZ", "big/JJ #/SYM #/SYM"]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("a\tN\nb\n", "toy:2: expected 2 fields, found 1: 'b'"),
        ("a N\nb N x\n", "toy:2: expected 2 fields, found 3: 'b N x'; name the column of the tags to read wider files"),
        ("a\tN\nb\t\n", "toy:2: field 2 of 2 is empty"),
        ("\tN\n", "toy:1: field 1 of 2 is empty"),
        ("a\tN\nb\t\tN\n", "toy:2: field 2 of 3 is empty"),
        ("a N\n\nb\tN\tx\n", "toy:3: expected 2 fields, found 3: 'b N x'"),
    ],
)
def test_column_faults_name_the_line(data: str, message: str) -> None:
    assert fault(read_columns, data).startswith(message)


def test_wider_columns_by_number() -> None:
    data = "a DT B-NP\nb\tNN\tI-NP\n\nc VB O\n"
    assert tagged(read(read_columns, data, column=3)) == ["a/B-NP b/I-NP", "c/O"]
    assert tagged(read(read_columns, data, column=-2)) == tagged(read(read_columns, data, column=2))
    assert tagged(read(read_columns, "a N\n", column=2)) == ["a/N"]
    assert "expected 3 fields, found 2" in fault(read_columns, data + "d VB\n", column=2)
    assert fault(read_columns, data, column=4) == "toy:1: expected a tag in column 4, found 3 columns"
    assert fault(read_columns, data, column=-3) == "toy:1: expected a tag in column -3, found 3 columns"
    for column in (0, 1):
        with pytest.raises(UsageError, match="column 1 holds the words"):
            read(read_columns, data, column=column)


def test_bad_column_sentences_are_left_out_whole() -> None:
    records, faults = read_on(read_columns, b"a N\n\nb N\nc\nd N\n\ne N\n\xff N\n\nf N\n")
    assert tagged(records) == ["a/N", "f/N"]
    assert [error.line for error in faults] == [4, 8]


def test_words_alone() -> None:
    records = read_columns(toy_lines("a N x\nb\n\n\nc d\td\n"), words_only=True)
    assert [record.tokens for record in records] == [("a", "b"), ("c d",)]


def test_piped_fields_are_counted_from_the_right() -> None:
    records = read(read_piped, "\n  a||JJ|N/N   |||SYM|N\n \t \nb|NN|N\r\n")
    assert tagged(records) == ["a|/JJ ||/SYM", "b/NN"]
    assert records[0].supertags == ("N/N", "N")
    assert str(records[1].place) == "toy:4"


@pytest.mark.parametrize(
    ("data", "place"),
    [
        ("a|N|N\nb|N|N c|N\n", "toy:2:7: expected word|POS|supertag, found 'c|N'"),
        ("a|N|N b||N\n", "toy:1:7: expected word|POS|supertag, found 'b||N'"),
        ("a|N|\n", "toy:1:1: "),
        ("|N|N\n", "toy:1:1: "),
        ("||\n", "toy:1:1: "),
        ("abc\n", "toy:1:1: "),
        ("# made by hand\n", "toy:1:1: "),
        ("a|N|N\tb|N|N\n", "toy:1:1: "),
        ("a|N|N b|N|N\t\n", "toy:1:7: "),
    ],
)
def test_piped_faults_name_line_and_column(data: str, place: str) -> None:
    assert fault(read_piped, data).startswith(place)


def test_piped_word_and_tag() -> None:
    (record,) = read(read_piped, "a|b|NN c|VB", fields=2)
    assert (record.tokens, record.tags, record.supertags) == (("a|b", "c"), ("NN", "VB"), None)
    assert "expected word|tag, found 'c'" in fault(read_piped, "a|N c", fields=2)


def test_bad_piped_lines_are_left_out() -> None:
    records, faults = read_on(read_piped, b"a|N|N\nb\n\xff|N|N\nc|N|N\n")
    assert tokens(records) == ["a", "c"]
    assert [error.line for error in faults] == [2, 3]


word = st.text(
    st.characters(exclude_characters=" \t\n\r\ufeff", exclude_categories=["Cs"]), min_size=1, max_size=6
).filter(is_plain)
tag = st.text(
    st.characters(exclude_characters=" \t\n\r|\ufeff", exclude_categories=["Cs"]), min_size=1, max_size=6
).filter(is_plain)
sentences = st.lists(st.lists(st.tuples(word, tag, tag), min_size=1, max_size=5), max_size=5)


@given(sentences, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_what_is_written_is_read(rows: list[list[tuple[str, str, str]]], end: str, bom: str) -> None:
    text = bom + "".join(" ".join(word for word, _, _ in row) + end for row in rows)
    assert [record.tokens for record in read(read_text, text)] == [tuple(word for word, _, _ in row) for row in rows]
    piped = bom + "".join(" ".join("|".join(token) for token in row) + end for row in rows)
    assert [list(zip(r.tokens, r.tags, r.supertags, strict=True)) for r in read(read_piped, piped)] == rows
    columns = bom + end.join("".join("\t".join(token) + end for token in row) for row in rows)
    records = read(read_columns, columns, column=3)
    assert [list(zip(r.tokens, r.tags, strict=True)) for r in records] == [[(w, s) for w, _, s in row] for row in rows]
