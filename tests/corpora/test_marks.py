"""Marks among the words: what is left out or rewritten in every format of sentences, and what is said of it."""

from __future__ import annotations

import logging

import pytest

from nntag.corpora.columns import read_columns
from nntag.corpora.conllu import read_conllu, read_conllu_blocks
from nntag.corpora.dependency_trees import read_labelled_trees
from nntag.corpora.formats import FORMATS
from nntag.corpora.marks import DOCUMENT_MARKS, SENTENCE_MARKS, UNKNOWN_MARKS
from nntag.corpora.sst import read_sst
from nntag.corpora.text import read_text
from tests.corpora.reading import read, tagged, tokens, toy_lines

Pairs = list[tuple[str, str]]


def write_sentence(format: str, pairs: Pairs) -> str:
    if format == "ccgbank":
        return "".join(f"(<L {tag} {tag} {tag} {word} {tag}>)\n" for word, tag in pairs)  # a sentence a word
    if format == "ptb":
        return f"(S {' '.join(f'({tag} {word})' for word, tag in pairs)})\n"
    if format == "piped":
        return " ".join(f"{word}|{tag}|{tag}" for word, tag in pairs) + "\n"
    if format == "text":
        return " ".join(word for word, _ in pairs) + "\n"
    rows = {
        "conllu": lambda n, word, tag: f"{n}\t{word}\t_\t{tag}\t_\t_\t{n - 1}\tdep\t_\t_\n",
        "columns": lambda n, word, tag: f"{word}\t{tag}\n",
        "pmb": lambda n, word, tag: f"{word}\t{word}\t_\t_\t{tag}\t_\t[]\n",
    }[format]
    return "".join(rows(n, word, tag) for n, (word, tag) in enumerate(pairs, 1)) + "\n"


@pytest.mark.parametrize("format", [name for name, row in FORMATS.items() if row.yields == "sentences"])
def test_every_format_leaves_out_the_same_marks(format: str, caplog: pytest.LogCaptureFixture) -> None:
    sentences: list[Pairs] = [
        [("-DOCSTART-", "-X-")],
        [("Ann", "NNP"), ("<UNK>", "NN"), ("left", "VBD")],
        [("-DOCSTART-", "-X-"), ("It", "PRP"), ("rained", "VBD"), ("[UNK]", "X")],
        [("-DOCSTART-", "-X-")],
    ]
    with caplog.at_level(logging.WARNING):
        data = "".join(write_sentence(format, pairs) for pairs in sentences)
        records = read(FORMATS[format].load_reader(), data)
    words = [word for record in records for word in record.tokens]
    assert words == ["Ann", "<unk>", "left", "It", "rained", "<unk>"]
    if format != "text":
        tags = [tag for record in records for tag in (record.supertags or record.tags)]
        assert tags == ["NNP", "NN", "VBD", "PRP", "VBD", "X"]
    assert [record.getMessage() for record in caplog.records] == [
        "toy: left out, as marks and not words: -DOCSTART- (3 times)",
        "toy: read as <unk>: <UNK> (1 times), [UNK] (1 times)",
    ]


@pytest.mark.parametrize("mark", sorted(UNKNOWN_MARKS))
def test_signs_of_unknown_words(mark: str) -> None:
    assert tokens(read(read_text, f"a {mark} <unk> b\n")) == ["a|<unk>|<unk>|b"]


@pytest.mark.parametrize("mark", sorted(DOCUMENT_MARKS))
def test_documents(mark: str) -> None:
    assert tagged(read(read_columns, f"{mark} -X-\n\na A\n\n{mark} -X-\nb B\n")) == ["a/A", "b/B"]


@pytest.mark.parametrize("mark", sorted(SENTENCE_MARKS))
def test_borders_of_tagged_sentences(mark: str) -> None:
    assert tagged(read(read_columns, f"{mark} X\na A\n{mark} I\nb B\n{mark} X\n")) == [f"a/A {mark}/I b/B"]
    assert tokens(read(read_text, f"{mark} a {mark}\n")) == [f"{mark}|a|{mark}"]  # refused by language models


def test_traces_and_lines_of_markup() -> None:
    data = '<doc id="1">\n\nwho\tWP\n*T*-1\t-NONE-\nleft\tVBD\n\n*\t-NONE-\n\n</doc> x\n'
    assert tagged(read(read_columns, data)) == ["who/WP left/VBD", "</doc>/x"]
    text = '<doc id="1" url="x y">\na <p> b\n<p>\n</doc>\n<b>\n'
    assert tokens(read(read_text, text)) == ["a|<p>|b", "<b>"]


def test_words_that_may_be_meant_are_told_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert tokens(read(read_text, "the UNK is a UNK\nunk\n")) == ["the|UNK|is|a|UNK", "unk"]
    (record,) = caplog.records
    assert "toy: read as words: UNK (2 times), unk (1 times); if they stand for unknown words" in record.getMessage()


def test_heads_are_numbered_anew_or_lost() -> None:
    def rows(*heads: int) -> str:
        words = ("-DOCSTART-", "a", "b")
        return "".join(
            f"{n}\t{w}\t_\tX\t_\t_\t{h}\tr\t_\t_\n" for n, (w, h) in enumerate(zip(words, heads, strict=True), 1)
        )

    (record,) = read(read_conllu, rows(0, 3, 0))
    assert (record.tokens, record.heads, record.relations) == (("a", "b"), (2, 0), ("r", "r"))
    (record,) = read(read_conllu, rows(0, 1, 2))
    assert (record.tokens, record.heads, record.relations) == (("a", "b"), None, None)


def test_input_that_is_tagged_line_by_line_keeps_its_marks() -> None:
    data = "-DOCSTART- X\n\n<UNK> Y\n"
    lines = toy_lines(data)
    lines.keep_marks = True
    assert tokens(read_columns(lines, words_only=True)) == ["-DOCSTART-", "<UNK>"]
    assert tokens(read(read_columns, data, words_only=True)) == ["<unk>"]
    block = "1\t<UNK>\t_\tX\t_\t_\t_\t_\t_\t_\n"
    assert [b.sentence.tokens for b in read_conllu_blocks(toy_lines(block)) if b.sentence] == [("<UNK>",)]


def test_unknown_words_in_trees(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        (tree,) = read(read_sst, "(3 (2 <UNK>) (4 (2 [UNK]) (2 UNK)))\n")
        row = "{}\t{}\t_\tX\t_\t_\t{}\tr\t_\tSentiment=3\n"
        (other,) = read(read_labelled_trees, row.format(1, "<UNK>", 2) + row.format(2, "b", 0))
    assert (tree.tokens, other.tokens) == (("<unk>", "<unk>", "UNK"), ("<unk>", "b"))
    assert [record.getMessage().split("; ")[0] for record in caplog.records] == [
        "toy: read as <unk>: <UNK> (1 times), [UNK] (1 times)",
        "toy: read as words: UNK (1 times)",
        "toy: read as <unk>: <UNK> (1 times)",
    ]


def test_columns_without_a_blank_line_are_doubted(caplog: pytest.LogCaptureFixture) -> None:
    words = [("it was so then", "we saw it go", "the end is near")[n % 3] for n in range(12)]
    with caplog.at_level(logging.WARNING):
        assert len(read(read_columns, "\n".join(words[:11]) + "\n", column=2)) == 1
        assert len(read(read_columns, "\n".join([*words[:6], "", *words[6:]]) + "\n", column=2)) == 2
        assert not caplog.records
        assert len(read(read_columns, "\n".join(words) + "\n", column=2)) == 1
    (record,) = caplog.records
    assert "toy: no blank line in it, so that its 12 lines are one sentence" in record.getMessage()
