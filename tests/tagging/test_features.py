"""Features of word forms, by hand: what a word is looked up as, its capitals, its ends, its affixes, its characters."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.config.tagging import TaggerInput
from nntag.encoding.vocabulary import UNKNOWN
from nntag.tagging.features import (
    SHAPES,
    FormTable,
    TaggerVocabularies,
    build_vocabularies,
    capital_of,
    encode_forms,
    normalise_word,
    word_affixes,
)

PAPER = TaggerInput()  # section 5.1 of Wu 2016
OURS = TaggerInput(affix_length=0, shapes=True, filters=4, affix_size=3)
WORDS = {"The": 3, "the": 2, "cat": 4, "cats": 1, "CAT": 1, "1984": 1, "x2y": 2, "été": 1}
TAGS = {"N": 5, "D": 5, "V": 7}


@pytest.mark.parametrize(
    ("word", "lowercase", "digits", "expected"),
    [
        ("The", True, True, "the"),
        ("The", False, True, "The"),
        ("A1984b", True, True, "a9999b"),
        ("A1984b", True, False, "a1984b"),
        ("3.50", False, False, "3.50"),
        ("ÉTÉ٣", True, True, "été٣"),  # digits are 0 to 9
    ],
)
def test_words_are_looked_up_in_lower_case_with_digits_as_9(
    word: str, lowercase: bool, digits: bool, expected: str
) -> None:
    assert normalise_word(word, TaggerInput(lowercase=lowercase, digits=digits)) == expected


@pytest.mark.parametrize(("word", "expected"), [("The", 2), ("the", 1), ("1984", 1), ("Été", 2), ("-Lrb-", 1), ("", 1)])
def test_the_papers_capitals(word: str, expected: int) -> None:
    assert capital_of(word, shapes=False) == expected


@pytest.mark.parametrize(
    ("word", "shape"),
    [
        ("cat", "lower"),
        ("well-known", "lower"),
        ("Cat", "Capital"),
        ("I", "Capital"),
        ("USA", "UPPER"),
        ("U.S.", "UPPER"),
        ("Mr.", "Capital."),
        ("iPod", "mIxed"),
        ("McDonald", "mIxed"),
        ("1984", "digits"),
        ("3.50", "digits"),
        ("x2y", "d1gits"),
        ("B2", "d1gits"),
        ("--", "symbols"),
        ("漢字", "lower"),
    ],
)
def test_our_shapes(word: str, shape: str) -> None:
    assert SHAPES[capital_of(word, shapes=True) - 1] == shape


@given(st.text("aBcß中ǅİ1.", max_size=4) | st.text(max_size=6))
def test_a_shape_is_what_a_look_at_each_character_says(word: str) -> None:
    letters, digits = [c for c in word if c.isalpha()], any(c.isdigit() for c in word)
    upper, lower = sum(c.isupper() for c in letters), sum(c.islower() for c in letters)
    if not letters:
        expected = "digits" if digits else "symbols"
    elif digits:
        expected = "d1gits"
    elif upper == 0:
        expected = "lower"
    elif lower == 0:
        expected = "Capital" if len(letters) == 1 else "UPPER"
    elif word[0].isupper() and not any(c.isupper() for c in word[1:]):
        expected = "Capital." if "." in word else "Capital"
    else:
        expected = "mIxed"
    assert SHAPES[capital_of(word, shapes=True) - 1] == expected


def test_affixes_of_a_long_and_a_short_word() -> None:
    assert word_affixes("walking") == ["^w", "^wa", "^wal", "^walk", "g$", "ng$", "ing$", "king$"]
    assert word_affixes("at") == ["^a", "^at", "", "", "t$", "at$", "", ""]
    assert word_affixes("") == [""] * 8


def test_vocabularies_by_hand() -> None:
    found = build_vocabularies(WORDS, TAGS, PAPER)
    assert found.words.known() == ["cat", "the", "x9y", "9999", "cats", "été"]  # 5, 5, 2, 1, 1, 1
    assert found.tags == ("V", "D", "N") and found.tag_counts == (7, 5, 5)
    assert found.forms == frozenset(WORDS)
    assert found.characters.id_of("T") > 1 and found.characters.id_of("t") > 1  # characters keep their case
    assert found.characters.id_of("w") == 1
    assert found.affixes.known() == []  # not used in these settings


def test_rare_words_and_rare_affixes_are_unknown() -> None:
    found = build_vocabularies(WORDS, TAGS, TaggerInput(min_count=2, affix_size=3))
    assert found.words.known() == ["cat", "the", "x9y"]
    assert found.affixes.known() == ["^c", "^ca", "^cat"]  # of cat, cats and CAT; no other is in three forms


def test_vocabularies_survive_json() -> None:
    built = build_vocabularies(WORDS, TAGS, OURS)
    back = TaggerVocabularies.from_json(json.loads(json.dumps(built.to_json())))
    assert back.to_json() == built.to_json()
    assert [getattr(back, name).entries for name in ("words", "characters", "affixes")] == [
        getattr(built, name).entries for name in ("words", "characters", "affixes")
    ]
    assert (back.tags, back.tag_counts, back.forms) == (built.tags, built.tag_counts, built.forms)


def test_encoded_forms_of_the_paper() -> None:
    vocabularies = build_vocabularies(WORDS, TAGS, PAPER)
    found = encode_forms(["Cats", "at", "dog"], vocabularies, PAPER)

    def ids(text: str) -> list[int]:
        return [vocabularies.characters.id_of(character) for character in text]

    assert found.words.tolist() == [0, vocabularies.words.id_of("cats"), 1, 1]
    assert found.capitals.tolist() == [0, 2, 1, 1]
    assert found.ends[0].tolist() == [0] * 10  # padding
    assert found.ends[1].tolist() == [*ids("Cats"), 0, 0, *ids("Cats")]
    assert found.ends[2].tolist() == [*ids("at"), 0, 0, 0, 0, 0, 0, *ids("at")]
    assert found.ends[3].tolist() == [1, 1, 1, 0, 0, 0, 0, 1, 1, 1]  # no training word has a d, o or g
    assert found.affixes.shape == (4, 0) and found.characters.tolist() == [[0]] * 4


def test_a_word_of_five_characters_and_more() -> None:
    words = {"abcdefgh": 1}
    vocabularies = build_vocabularies(words, TAGS, PAPER)
    ids = vocabularies.characters.id_of
    (row,) = encode_forms(["abcdefgh"], vocabularies, PAPER).ends[1:].tolist()
    assert row == [ids(character) for character in "abcdedefgh"]


def test_encoded_forms_of_ours() -> None:
    vocabularies = build_vocabularies(WORDS, TAGS, OURS)
    found = encode_forms(["Cats", "a" * 30 + "b" * 10], vocabularies, OURS)
    affix, letter = vocabularies.affixes.id_of, vocabularies.characters.id_of
    assert found.ends.shape == (3, 0)
    assert found.affixes[1].tolist() == [affix("^c"), affix("^ca"), affix("^cat"), 1, 1, 1, 1, 1]
    assert min(affix("^c"), affix("^ca"), affix("^cat")) > 1
    assert found.characters[1].tolist() == [*map(letter, "Cats"), *[0] * 20]
    assert found.characters[2].tolist() == [letter("a")] * 16 + [letter("b")] * 8  # the first 16 and the last 8
    assert found.rows(np.array([0, 1])).characters.shape == (2, 4)  # no column that is padding in all
    assert found.rows(np.array([0])).characters.shape == (1, 1)


def all_features(found: object) -> list[np.ndarray]:
    return [getattr(found, name) for name in ("words", "capitals", "ends", "affixes", "characters")]


@pytest.mark.parametrize("settings", [PAPER, OURS], ids=["paper", "ours"])
def test_a_form_table_gives_what_encoding_at_once_gives(settings: TaggerInput) -> None:
    vocabularies = build_vocabularies(WORDS, TAGS, settings)
    table = FormTable(vocabularies, settings)
    sentences = [["The", "cat"], [], ["The", "unheard", "cats", "The"], ["unheard"]]
    numbers = [row.tolist() for sentence in sentences for row in table.number([sentence])]
    assert numbers == [[1, 2], [], [1, 3, 4, 1], [3]]
    at_once = encode_forms(["The", "cat", "unheard", "cats"], vocabularies, settings)
    wanted = np.array([0, 3, 1, 4, 2])
    for found, expected in zip(all_features(table.features(wanted)), all_features(at_once.rows(wanted)), strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_table_with_a_limit_begins_anew_past_it_only() -> None:
    table = FormTable(build_vocabularies(WORDS, TAGS, PAPER), PAPER, limit=2)
    table.number([["The", "cat"]])
    table.make_room()
    assert table.number([["cat", "x"]])[0].tolist() == [2, 3]  # two forms were not too many
    table.make_room()
    assert table.number([["cat"]])[0].tolist() == [1]


def test_prefix_and_suffix_are_taken_as_written_or_as_looked_up() -> None:
    def ends(form: str, **fields: bool) -> list[int]:
        settings = TaggerInput(affix_length=2, **fields)
        return encode_forms([form], build_vocabularies(WORDS, TAGS, settings), settings).ends[1].tolist()

    assert ends("CAT") != ends("cat") and ends("1984") != ends("1999")
    assert ends("CAT", normalised_affixes=True) == ends("cat", normalised_affixes=True)
    assert ends("1984", normalised_affixes=True) == ends("9999", normalised_affixes=True)
    assert UNKNOWN not in ends("1984", normalised_affixes=True)  # 9 is known from the digits of training words
