"""Running text into sentences and tokens, against nltk's own; text that is not tokenised and should be."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nltk.tokenize.destructive import NLTKWordTokenizer

from nntag.corpora.lines import lines_from_bytes
from nntag.corpora.raw_text import UntokenisedWatch, align, read_raw_text, split_text

NLTK = NLTKWordTokenizer()
SAID = "``Don't go,'' said Mr. Smith (of \"Smith's\"). He can't... 'Tis $3.50, J. Brown says; \"why?\" asked he."


def read(text: str) -> list[list[str]]:
    return [list(sentence.tokens) for sentence in read_raw_text(lines_from_bytes(text.encode()))]


def check(text: str) -> None:
    """Every token is the text's at its offsets and nltk's by its rules; nothing but white space is left over."""
    place = 0
    for spans in split_text(text):
        if not spans:
            continue
        begin, end = spans[0][0], spans[-1][1]
        tokens = NLTK.tokenize(text[begin:end])
        for (start, stop), token in zip(spans, tokens, strict=True):
            assert not text[place:start].strip() and start < stop
            assert text[start:stop] == token or (token in ("``", "''") and text[start:stop] in ('"', "''"))
            place = stop
    assert not text[place:].strip()


def test_sentences_and_tokens_of_a_line() -> None:
    assert [" ".join(tokens) for tokens in read(SAID)] == [
        "`` Do n't go , '' said Mr. Smith ( of \" Smith 's \" ) .",
        "He ca n't ... ' Tis $ 3.50 , J. Brown says ; \" why ? \" asked he .",
    ]
    check(SAID)


def test_lines_end_sentences_and_blank_lines_stay_blank() -> None:
    assert read("One. Two\n\nthree.\n \u00a0 \n") == [["One", "."], ["Two"], [], ["three", "."], []]
    assert [sentence.line for sentence in read_raw_text(lines_from_bytes(b"One. Two\n\nthree."))] == [1, 1, 2, 3]


def test_spaces_between_tokens() -> None:
    (sentence,) = read_raw_text(lines_from_bytes(b'He (Bob)  said "no".'))
    assert list(zip(sentence.tokens, sentence.spaces, strict=True)) == [
        ("He", True),
        ("(", False),
        ("Bob", False),
        (")", True),
        ("said", True),
        ('"', False),
        ("no", False),
        ('"', False),
        (".", True),
    ]


ODD = st.text(
    alphabet="aAbB.,'\"`?!()[]{}-_ \t\u00a0\u2019\u201c\u201d\u00ab019$%&\u017f\u0130\x1c\x85/:;", max_size=40
)


@given(st.one_of(ODD, st.text(max_size=40)).map(lambda text: text.replace("\n", " ")))
def test_tokens_are_nltks_at_their_offsets_in_any_text(text: str) -> None:
    check(text)


@pytest.mark.corpus
def test_tokens_are_nltks_in_a_thousand_lines_of_novels(shared_data: Path) -> None:
    file = shared_data / "msr" / "Holmes_Training_Data" / "DRACU10.TXT"
    if not file.exists():
        pytest.skip("no novels")
    lines = [line for line in file.read_bytes().decode("latin-1").splitlines() if line.strip()][400:1400]
    assert len(lines) == 1000
    quotes = 0
    for line in lines:
        check(line)
        quotes += '"' in line
        try:
            expected = list(NLTK.span_tokenize(line))
        except ValueError:  # nltk loses its way among quotation marks
            continue
        assert list(align(NLTK.tokenize(line), line)) == expected
    assert quotes > 50


@pytest.mark.parametrize(
    ("text", "warns"),
    [
        ("She saw the dog.", True),
        ("Well, she saw it", True),
        ("She saw the dog .", False),
        ("It cost 3.50 , he said to Mr. Brown 's sister etc.", False),
        ("Vitamin C", False),
        ("A dot ends this line...", False),
        ("the dog .\nthe cat .\nthe cow .\nthe end.", False),
        ("the dog .\nthe cat.\nthe cow .\nthe end.", True),
        ("", False),
    ],
)
def test_text_that_is_not_tokenised_is_told_once(text: str, warns: bool, caplog: pytest.LogCaptureFixture) -> None:
    watch = UntokenisedWatch("x.txt")
    for line in text.split("\n") * 3:
        watch.see(line.split())
    assert len(caplog.records) == warns
    if warns:
        assert caplog.records[0].getMessage().startswith("x.txt: this looks like text that is not tokenised (")
