"""Tokens of novels and questions, chapter heads, and sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.novels_text import has_words, is_heading, tokenize
from nntag.corpora.sentence_splitter import train_splitter


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Don't go.", "do n't go ."),
        ("do n't go .", "do n't go ."),
        ("He can't, he won't; I shan't!", "he ca n't , he wo n't ; i sha n't !"),
        ("The lady's maid", "the lady 's maid"),
        ("the lady 's maid", "the lady 's maid"),
        ("I'll, we've, you're, he'd, I'm", "i 'll , we 've , you 're , he 'd , i 'm"),
        ("o'clock d'ye ne'er", "o'clock d'ye ne'er"),
        ("the sitting-room, out-of-the-way", "the sitting-room , out-of-the-way"),
        ("a pause--then", "a pause -- then"),
        ("a pause\u2014then\u2019s", "a pause -- then 's"),
        ("\"Well,\" said he, ``'tis _very_ late.''", "well , said he , tis very late ."),
        ("£1,200.50 on the 7th at 10:30.", "£ 1,200.50 on the 7th at 10:30 ."),
        ("Mr. Brown...", "mr . brown ..."),
        ("caf\u00e9 stra\u00dfe", "caf\u00e9 stra\u00dfe"),
    ],
)
def test_tokens(text, tokens):
    assert tokenize(text.lower()) == tokens.split(" ")
    assert [token.lower() for token in tokenize(text)] == tokens.split(" ")


def test_letters_keep_their_case():
    assert tokenize("DON'T say Mr. O'Hara's") == ["DO", "N'T", "say", "Mr", ".", "O'Hara", "'s"]


@given(st.text(alphabet="abBnNtTsS'-.,;:!? \"0123\u00e9_\u2019()\u2014`", max_size=30))
def test_tokens_of_tokens_are_the_same(text):
    tokens = tokenize(text)
    assert tokenize(" ".join(tokens)) == tokens


def test_nothing_but_signs_is_no_sentence():
    assert not has_words("* * *") and not has_words("--") and has_words("No.") and has_words("7")


@pytest.mark.parametrize("text", ["CHAPTER IV", "Chapter 4. The Cart", "Book the First", "PART TWO", "THE END", "XII."])
def test_heads(text):
    assert is_heading(text)


@pytest.mark.parametrize(
    "text",
    ["Chapter and verse were given.", "Books were everywhere.", '"STOP!"', "He went.", "PART " + "of it all " * 9],
)
def test_prose_is_no_head(text):
    assert not is_heading(text)


def test_sentences_are_split_by_what_the_texts_teach():
    filler = "They saw Prof. Hill there. He walked on. The boat came in. Then Prof. Gale spoke of it. "
    splitter = train_splitter([filler * 40])
    paragraph = 'She met Prof. Moor at noon. "Where to?" asked he. "Home!" (so she said.) Then it rained.'
    assert list(splitter.split(paragraph)) == [
        "She met Prof. Moor at noon.",
        '"Where to?" asked he.',
        '"Home!" (so she said.)',
        "Then it rained.",
    ]
    assert list(splitter.split("No stop at the end")) == ["No stop at the end"]
    assert list(splitter.split("")) == []
