"""The input of other parsers: lines written by hand, and readers that follow those programs' own."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.lines import lines_from_bytes
from nntag.errors import DataError, UsageError
from nntag.tagging.parsing.categories import is_category, require_categories
from nntag.tagging.parsing.hand_over import HAND_OVER_FORMATS, TaggedWords, hand_over_writer
from nntag.tagging.parsing.tagged import read_tagged

CATEGORIES = ["NP", "N", r"(S[dcl]\NP)/NP", "PP"]
SENTENCE = TaggedWords(["She", "saw"], [[("NP", 0.9), ("N", 0.0001234567)], [(r"(S[dcl]\NP)/NP", 1.0)]], ["PRP", "VBD"])
Likely = list[list[tuple[str, float]]]


def write(format: str, sentence: TaggedWords = SENTENCE) -> str:
    return hand_over_writer(format, CATEGORIES)(sentence)


def test_lines_by_hand() -> None:
    assert write("easyccg") == (
        "She\tPRP\t0\tNP\t0.9\tN\t0.000123457|saw\tVBD\t0\t(S[dcl]\\NP)/NP\t1\n"  # no digit too many
    )
    assert write("candc") == "She\tPRP\t2\tNP\t0.9\tN\t0.000123457\nsaw\tVBD\t1\t(S[dcl]\\NP)/NP\t1\n\n"
    assert write("easysrl") == "She|NP=-0.105361|N=-8.99962 saw|(S[dcl]\\NP)/NP=0\n"
    record = json.loads(write("depccg"))
    assert record["words"] == "She saw" and record["categories"] == CATEGORIES
    assert record["head_tags"] == [-0.105361, -8.99962, -1000, -1000, -1000, -1000, 0, -1000]
    assert (record["head_tags_shape"], record["heads"], record["heads_shape"]) == ([2, 4], [0] * 6, [2, 3])
    assert write("easyccg", TaggedWords(["a"], [[("N", 1.0)]])) == "a\tX\t0\tN\t1\n"


def read_as_easyccg(text: str) -> Likely:
    """InputReader.SuperTaggedInputReader: words at bars, fields at runs of tabs or blanks, from the fourth on."""
    words = [word.replace("\t", " ").split() for word in text.removesuffix("\n").split("|")]
    assert all(len(fields) >= 5 for fields in words)
    return [list(zip(fields[3::2], map(float, fields[4::2]), strict=True)) for fields in words]


def read_as_easysrl(text: str) -> Likely:
    """InputReader.SupertaggedInputReader: words at blanks, items at bars, scores behind the first equals sign."""
    words = [entry.split("|")[1:] for entry in text.removesuffix("\n").split(" ")]
    return [[(item[: item.index("=")], math.exp(float(item[item.index("=") + 1 :]))) for item in row] for row in words]


def read_as_candc(text: str) -> Likely:
    """Output format `%w\\t%p\\t%S\\n`: the number of categories, then each with its probability."""
    found = []
    for line in text.rstrip("\n").split("\n"):
        _, _, number, *rest = line.split("\t")
        assert len(rest) == 2 * int(number)
        found.append([(rest[2 * n], float(rest[2 * n + 1])) for n in range(int(number))])
    return found


def read_as_depccg(text: str) -> Likely:
    """depccg.allennlp.utils.read_weights of version 2."""
    record = json.loads(text.strip())
    tag_scores = np.array(record["head_tags"]).reshape(record["head_tags_shape"]).astype(np.float32)
    dep_scores = np.array(record["heads"]).reshape(record["heads_shape"]).astype(np.float32)
    assert dep_scores.shape == (len(tag_scores), len(tag_scores) + 1) and not dep_scores.any()
    rows = [[(c, float(np.exp(s))) for c, s in zip(record["categories"], row, strict=True)] for row in tag_scores]
    return [sorted([(c, p) for c, p in row if p], key=lambda item: -item[1]) for row in rows]


READERS = {
    "easyccg": read_as_easyccg,
    "easysrl": read_as_easysrl,
    "candc": read_as_candc,
    "depccg": read_as_depccg,
}
WORD = st.text(st.characters(codec="utf-8", categories=("L", "N", "P", "S"), exclude_characters="|="), min_size=1)


@st.composite
def sentences(draw: st.DrawFn) -> TaggedWords:
    tokens = draw(st.lists(WORD, min_size=1, max_size=5))
    likely = []
    for _ in tokens:
        chosen = draw(st.lists(st.sampled_from(CATEGORIES), min_size=1, unique=True))
        scores = sorted(draw(st.lists(st.floats(1e-30, 1), min_size=len(chosen), max_size=len(chosen))), reverse=True)
        likely.append(list(zip(chosen, scores, strict=True)))
    return TaggedWords(tokens, likely)


@pytest.mark.parametrize("format", HAND_OVER_FORMATS)
@given(sentence=sentences())
def test_each_format_is_read_back(format: str, sentence: TaggedWords) -> None:
    text = write(format, sentence)
    (own,) = read_tagged(lines_from_bytes(text.encode()), format)
    assert list(own.tokens) == list(sentence.tokens)
    for found in (READERS[format](text), own.likely):
        for words, right in zip(found, sentence.likely, strict=True):
            assert dict(words) == pytest.approx(dict(right), rel=1e-3 if format in ("easysrl", "depccg") else 1e-5)


@pytest.mark.parametrize("format", HAND_OVER_FORMATS)
def test_a_probability_is_never_zero_and_an_empty_sentence_stays(format: str) -> None:
    text = write(format, TaggedWords(["a"], [[("N", 1.0), ("NP", 0.0)]]))
    ((word,),) = [READERS[format](text)]
    assert format == "depccg" or [p > 0 for _, p in word] == [True, True]  # single precision rounds e**-87.5 to 0
    empty = TaggedWords([], [])
    (read, again) = read_tagged(lines_from_bytes((write(format, empty) + text).encode()), format)
    assert list(read.tokens) == [] and list(again.tokens) == ["a"]


@pytest.mark.parametrize(
    ("format", "word", "category"),
    [("easyccg", "a|b", "N"), ("easysrl", "a|b", "N"), ("easysrl", "a", "NP[mod=X1]"), ("candc", "a b", "N")],
)
def test_separators_are_refused(format: str, word: str, category: str) -> None:
    with pytest.raises(UsageError, match=f"separates fields in the format {format}"):
        write(format, TaggedWords([word], [[(category, 1.0)]]))
    assert "a|b" in write("candc", TaggedWords(["a|b"], [[("N", 1.0)]]))


@pytest.mark.parametrize(
    ("format", "text"),
    [
        ("easyccg", "a\tX\t0\tN"),
        ("easyccg", "a b c"),
        ("easysrl", "a|N"),
        ("candc", "a\tX\t2\tN\t1\n"),
        ("candc", "a\tX\t1\tN\t0\n"),
        ("depccg", '{"words": "a", "categories": ["N"], "head_tags": [], "head_tags_shape": [1, 1]}'),
        ("json", '{"tokens": ["a"]}'),
        ("json", "a"),
        ("json", "[]"),
        ("json", '{"tokens": "ab", "tags": ["X", "Y"]}'),
        ("json", '{"tokens": null, "tags": ["X"]}'),
        ("json", '{"tokens": ["a"], "tags": ["X", "Y"]}'),
        ("json", r'{"tokens": ["\ud800"], "tags": ["X"]}'),
        ("depccg", '{"words": 3, "categories": ["N"], "head_tags": [0], "head_tags_shape": [1, 1]}'),
    ],
)
def test_broken_lines_are_shown_with_their_place(format: str, text: str) -> None:
    with pytest.raises(DataError, match="<bytes>:1: expected"):
        list(read_tagged(lines_from_bytes(text.encode()), format))
    with pytest.raises(UsageError, match="--input-format"):
        read_tagged(lines_from_bytes(b""), "easysrrl")


def test_tag_json_is_read() -> None:
    lines = '{"tokens": ["a"], "tags": ["N"], "likely_tags": [[["N", 0.7], ["NP", 0.1]]]}\n{"tokens": [], "tags": []}\n'
    first, second = read_tagged(lines_from_bytes(lines.encode()), "json")
    assert first.likely == [[("N", 0.7), ("NP", 0.1)]] and second.tokens == []


@pytest.mark.parametrize(
    "tag", ["N", ".", r"(S[dcl]\NP)/NP", r"((S\NP)\(S\NP))[conj]", r".\.", r"(s:dcl\np)/np", "LRB"]
)
def test_categories(tag: str) -> None:
    assert is_category(tag)


@pytest.mark.parametrize("tag", ["", "(NP", "NP)", "/NP", "NP/", "NP//NP", "()", "S[dcl", "NP NP"])
def test_tags_that_are_no_categories(tag: str) -> None:
    assert not is_category(tag)


def test_taggers_without_categories_are_refused() -> None:
    require_categories(CATEGORIES, "--format easyccg")
    with pytest.raises(UsageError, match="--format easyccg needs .* this one has NN, VB, DT and 1 more"):
        require_categories(["NN", "VB", "DT", "."], "--format easyccg")
    with pytest.raises(UsageError, match="also has -LRB-/-RRB- NN"):
        require_categories([*CATEGORIES, "-LRB-/-RRB- NN"], "--format easyccg")
