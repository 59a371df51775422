"""CoNLL-U: what is a word, which rows are faults, and blocks that go back to the bytes they came from."""

from __future__ import annotations

import logging
from pathlib import Path

import conllu
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.conllu import COLUMNS, read_conllu, read_conllu_blocks
from nntag.errors import UsageError
from tests.corpora.reading import fault, is_plain, read, read_on, tagged, tokens, toy_lines


def row(number: int | str, form: str = "w", upos: str = "X", head: str = "0", **others: str) -> str:
    fields = dict.fromkeys(COLUMNS, "_") | {
        "ID": str(number),
        "FORM": form,
        "UPOS": upos,
        "HEAD": head,
        "DEPREL": "dep",
    }
    return "\t".join((fields | others).values()) + "\n"


def test_words_are_the_rows_numbered_in_order() -> None:
    data = (
        "\n# newdoc\n# text = au lait\n"
        + row("1-2", "au", "_")
        + row(1, "à", "ADP", "3")
        + row(2, "le", "DET", "3")
        + row("2.1", "e", "_", "_")
        + row("2.12", "e", "_", "_")
        + row(3, "lait", "NOUN", "0")
        + " \t\n\n"
        + row("0.1", "e", "_", "_")
        + row(1, "#", "SYM", "0")
    )
    first, second = read(read_conllu, data)
    assert tagged([first, second]) == ["à/ADP le/DET lait/NOUN", "#/SYM"]
    assert (first.heads, first.relations) == ((3, 3, 0), ("dep", "dep", "dep"))
    assert (str(first.place), str(second.place)) == ("toy:5", "toy:13")


def test_underscore_spaces_and_odd_characters_are_words() -> None:
    forms = ["_", "41 500", " x ", "a\u2028", "\u00a0", "a\u0085b", "\x0c", "\x0b", "\x00", "-LRB-", "a\\/b", "a\ufeff"]
    data = "".join(row(number, form) for number, form in enumerate(forms, start=1))
    assert read(read_conllu, data)[0].tokens == tuple(forms)
    assert read(read_conllu, ("\ufeff" + data).replace("\n", "\r\n"))[0].tokens == tuple(forms)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (row(1) + "2\tw\t_\tX\t_\t_\t0\tdep\t_\n", "toy:2: 9 columns found, 10 expected"),
        (row(1) + row(2).replace("\n", "\tx\n"), "toy:2: 11 columns found"),
        (row(1) + "<s>\tx\n", "toy:2: 2 columns found"),
        (row(1) + row(2).replace("\t", "    "), "toy:2: 1 columns found"),
        (row(1) + row(2, ""), "toy:2: FORM is empty"),
        (row(1) + row(2, upos=""), "toy:2: UPOS is empty"),
        (row(1, MISC=""), "toy:1: MISC is empty"),
        (row(1, upos="_"), "toy:1: UPOS of 'w' is missing"),
        (row(1) + "# x\n" + row(2), "toy:2: a comment inside a sentence"),
        (row("1-2") + "# x\n" + row(1), "toy:2: a comment inside a sentence"),
        (row(1) + row(2) + "#\n\n", "toy:3: a comment inside a sentence"),
        (row(1) + row(1), "toy:2: expected the ID 2, found '1'; is a blank line before it missing?"),
        (row(1) + row(3), "toy:2: expected the ID 2, found '3'"),
        (row(2) + row(1), "toy:1: expected the ID 1, found '2'"),
        (row(0), "toy:1: expected the ID 1, found '0'"),
        (row(-1), "toy:1: expected the ID 1, found '-1'"),
        (row("01"), "toy:1: expected the ID 1, found '01'"),
        (row("１"), "toy:1: expected the ID 1, found '１'"),
        (row("1."), "toy:1: expected the ID 1, found '1.'"),
        (row("1-"), "toy:1: expected the ID 1, found '1-'"),
        (row("1-2-3"), "toy:1: expected the ID 1"),
        (row("_"), "toy:1: expected the ID 1"),
        (row(" 1"), "toy:1: expected the ID 1"),
        ("\n" + row("1-2"), "toy:2: a sentence without words"),
    ],
)
def test_faults_name_the_line(data: str, message: str) -> None:
    assert fault(read_conllu, data).startswith(message)
    assert fault(read_conllu, data.replace("\n", "\r\n")).startswith(message)


def test_bad_sentences_are_left_out_whole() -> None:
    data = row(1, "a") + "\n" + row(1, "b") + row(3, "c") + row(2, "d") + "\n" + row(1, "e") + "\n"
    records, faults = read_on(read_conllu, data.encode() + row(1, "f").encode() + b"2\t\xff\n\n" + row(1, "g").encode())
    assert tokens(records) == ["a", "e", "g"]
    assert [error.line for error in faults] == [4, 10]


def test_any_column_can_be_the_tags() -> None:
    data = row(1, XPOS="NNS", FEATS="Number=Plur") + row(2, XPOS="RB")
    assert read(read_conllu, data, column="xpos")[0].tags == ("NNS", "RB")
    assert read(read_conllu, data, column="FEATS")[0].tags == ("Number=Plur", "_")
    assert read(read_conllu, row(1, upos="_"), column=None)[0].tags is None
    with pytest.raises(UsageError, match="no CoNLL-U column 'POS': choose one of ID, FORM"):
        read(read_conllu, data, column="POS")


def test_a_missing_xpos_is_warned_of_once(caplog: pytest.LogCaptureFixture) -> None:
    """Released treebanks have such words: they are read, and their tag is `_`."""
    data = row(1, XPOS="NN") + "\n" + (row(1) + row(2, XPOS="RB") + "\n") * 3
    with caplog.at_level(logging.WARNING):
        assert [record.tags for record in read(read_conllu, data, column="xpos")][:2] == [("NN",), ("_", "RB")]
    assert [record.getMessage() for record in caplog.records] == [
        "toy:3: a word without xpos; its tag is `_`, here and for every other such word"
    ]


PLUS = "# global.columns = FORM ID XPOS UPOS PARSEME:MWE\n# sent_id = 1\nau\t1\tP\tADP\t*\n\nlait\t1\tN\tNOUN\t1:x\n"


def test_columns_that_a_conllu_plus_file_names() -> None:
    records = read(read_conllu, PLUS)
    assert tagged(records) == ["au/ADP", "lait/NOUN"] and records[0].heads is None
    assert tagged(read(read_conllu, PLUS, column="parseme:mwe")) == ["au/*", "lait/1:x"]
    blocks = list(read_conllu_blocks(toy_lines(PLUS)))
    assert (
        b"".join(block.with_column(["X"]) for block in blocks) == PLUS.replace("ADP", "X").replace("NOUN", "X").encode()
    )
    with pytest.raises(UsageError, match="no column 'FEATS' in this CoNLL-U Plus file, whose columns are FORM, ID"):
        blocks[0].with_column(["X"], "FEATS")


@pytest.mark.parametrize(
    ("data", "options", "message"),
    [
        (PLUS, {"column": "FEATS"}, "toy:1: no column FEATS among global.columns: FORM ID XPOS UPOS PARSEME:MWE"),
        (PLUS.replace("FORM ", ""), {}, "toy:1: no column FORM among global.columns"),
        (PLUS.replace("XPOS", "UPOS"), {}, "toy:1: a column twice among global.columns"),
        (PLUS, {"need_heads": True}, "toy:3: the heads of the words are needed, and this file has no column HEAD"),
        (PLUS.replace("\t*", ""), {}, "toy:3: 4 columns found, 5 expected"),
        (PLUS.replace("ADP", "_"), {}, "toy:3: UPOS of 'au' is missing"),
        ("\n" + PLUS, {}, "toy:4: 5 columns found, 10 expected"),  # the first line, or none
    ],
)
def test_conllu_plus_files_that_do_not_fit(data: str, options: dict, message: str) -> None:
    assert fault(read_conllu, data, **options).startswith(message)


@pytest.mark.parametrize("head", ["_", "3", "-1", "x", "1.5", "٣", "9" * 5000])
def test_heads_that_point_nowhere_are_left_out_or_refused(head: str) -> None:
    data = row(1, head="2") + row(2, head=head)
    (record,) = read(read_conllu, data)
    assert record.heads is None and record.relations is None
    assert fault(read_conllu, data, need_heads=True).startswith("toy:2: expected a HEAD from 0 to 2")


def test_blocks_are_the_bytes_of_the_file() -> None:
    data = (
        "\n\r\n# a\n# b\n"
        + row("1-2")
        + row(1)
        + row(2, "é").replace("\n", "\r\n")
        + " \n\n# alone\n\n"
        + row(1).rstrip()
    )
    blocks = list(read_conllu_blocks(toy_lines(data)))
    assert b"".join(b"".join(block.raw) for block in blocks) == data.encode()
    assert [block.sentence and block.sentence.tokens for block in blocks] == [("w", "é"), None, ("w",)]


def test_a_column_is_replaced_and_nothing_else() -> None:
    data = "# c\n" + row("1-2", "vámonos") + row(1, "vamos", MISC="a b") + row(2, "nos").replace("\n", "\r\n") + "\n"
    (block,) = read_conllu_blocks(toy_lines(data))
    changed = data.replace("1\tvamos\t_\tX", "1\tvamos\t_\tVÉRB").replace("2\tnos\t_\tX\t", "2\tnos\t_\tPRON\t")
    assert block.with_column(["VÉRB", "PRON"]) == changed.encode()
    last = block.with_column(["m", "n"], "misc").decode()
    assert last == data.replace("a b\n", "m\n").replace("\t_\r\n", "\tn\r\n")
    assert block.with_column(["w", "w"], "LEMMA").count(b"\tw\t") == 2
    with pytest.raises(ValueError, match="zip"):
        block.with_column(["X"])


text = st.text(st.characters(exclude_characters="\t\n\r", exclude_categories=["Cs"]), min_size=1, max_size=8).filter(
    is_plain
)


@given(st.lists(st.lists(st.tuples(text, text.filter(lambda t: t != "_")), min_size=1, max_size=4), max_size=4))
def test_what_is_written_is_read(sentences: list[list[tuple[str, str]]]) -> None:
    data = "\n".join("".join(row(n, w, t) for n, (w, t) in enumerate(s, start=1)) for s in sentences)
    assert [list(zip(r.tokens, r.tags, strict=True)) for r in read(read_conllu, data)] == sentences
    assert b"".join(b"".join(block.raw) for block in read_conllu_blocks(toy_lines(data))) == data.encode()


@pytest.mark.parametrize(
    ("data", "kept"),
    [
        (row(1) + row(1), ["w", "w"]),  # an ID that restarts
        (row(1) + "# x\n" + row(2), ["w", "w"]),  # a comment inside
        (row(1)[: -len("\t_\n")] + "\n", ["w"]),  # nine fields
        (row(1, ""), [""]),
        (row(1, "a  b"), ["a"]),  # two spaces divide fields: the rest of the row moves
    ],
)
def test_why_the_conllu_package_does_not_read(data: str, kept: list[str]) -> None:
    """It takes in silence what must be a fault, or loses part of a word; when it no longer does, it can be used."""
    (sentence,) = conllu.parse(data)
    assert [token["form"] for token in sentence] == kept


@pytest.mark.corpus
@pytest.mark.parametrize("treebank", ["UD_English-EWT/en_ewt-ud-dev", "UD_Italian-ParTUT/it_partut-ud-test"])
def test_the_conllu_package_reads_the_same(shared_data: Path, treebank: str) -> None:
    data = (shared_data / "ud" / f"{treebank}.conllu").read_bytes()
    ours = read(read_conllu, data, column="XPOS", need_heads=True)
    for sentence, other in zip(ours, conllu.parse(data.decode()), strict=True):
        words = [token for token in other if isinstance(token["id"], int)]
        assert sentence.tokens == tuple(token["form"] for token in words)
        assert sentence.tags == tuple(token["xpos"] for token in words)
        assert sentence.heads == tuple(token["head"] for token in words)
        assert sentence.relations == tuple(token["deprel"] for token in words)
    assert b"".join(b"".join(block.raw) for block in read_conllu_blocks(toy_lines(data))) == data
