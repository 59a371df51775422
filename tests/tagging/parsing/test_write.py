"""Derivations as text: against lines written by hand, read back by other readers, and against depccg's printers."""

from __future__ import annotations

import json

import conllu
import nltk
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.ccgbank import read_ccgbank, read_derivations
from nntag.corpora.lines import lines_from_bytes
from nntag.corpora.records import Tree
from nntag.errors import UsageError
from nntag.tagging.parsing.parse import Parse
from nntag.tagging.parsing.write import (
    WRITERS,
    ParsedSentence,
    find_head_words,
    find_writer,
    format_auto,
    format_ptb,
)
from tests.tagging.parsing.derivations import DOGS_BARK, MEN, SHE_SAW_IT, derivations

SAW = derivations(SHE_SAW_IT)[0]
PARSED = ParsedSentence(7, SAW.tokens, [Parse(SAW, ("", "", "", "fa", "ba"), -1.25)], ["PRP", "VBD", "PRP"])
FAILED = ParsedSentence(8, ("Oh", "(", "no"), [])
EMPTY = ParsedSentence(9, (), [])


def test_auto() -> None:
    write = find_writer("auto")
    assert write(PARSED) == f"ID=7 PARSER=nntag NUMPARSE=1 LOGP=-1.25\n{SHE_SAW_IT}\n"
    assert write(FAILED) == "ID=8 PARSER=nntag NUMPARSE=0\n\n"
    assert write(EMPTY) == "ID=9 PARSER=nntag NUMPARSE=0\n\n"


def test_a_sentence_without_a_parse_is_no_fault_of_the_file(caplog: pytest.LogCaptureFixture) -> None:
    text = "".join(WRITERS["auto"](sentence) for sentence in (FAILED, PARSED, FAILED))
    assert [sentence.tokens for sentence in read_ccgbank(lines_from_bytes(text.encode()))] == [SAW.tokens]
    assert not caplog.records


def test_deriv() -> None:
    assert find_writer("deriv")(PARSED).split("\n") == [
        "ID=7 LOGP=-1.25",
        " She     saw     it",
        "  NP  (S\\NP)/NP  NP",
        "     --------------->",
        "           S\\NP",
        "--------------------<",
        "         S",
        "",
        "",
    ]
    assert find_writer("deriv")(FAILED) == "ID=8 (no parse)\nOh ( no\n\n"


def test_ptb_is_read_by_nltk() -> None:
    line = find_writer("ptb")(PARSED)
    assert line == "(S (NP She) (S\\NP (<S\\NP>/NP saw) (NP it)))\n"
    assert nltk.Tree.fromstring(line).leaves() == ["She", "saw", "it"]
    assert find_writer("ptb")(FAILED) == "(NOPARSE (X Oh) (X -LRB-) (X no))\n"
    assert find_writer("ptb")(EMPTY) == "\n"


def test_json() -> None:
    record = json.loads(find_writer("json")(PARSED))
    leaf = {"category": "NP", "word": "She"}
    assert record["tokens"] == ["She", "saw", "it"] and record["id"] == 7
    (parse,) = record["parses"]
    assert parse["log_probability"] == -1.25
    assert parse["supertags"] == ["NP", r"(S\NP)/NP", "NP"]
    root = parse["derivation"]
    assert (root["category"], root["rule"], root["head"], root["children"][0]) == ("S", "ba", 1, leaf)
    assert [child["word"] for child in root["children"][1]["children"]] == ["saw", "it"]
    assert json.loads(find_writer("json")(FAILED)) == {"id": 8, "tokens": ["Oh", "(", "no"], "parses": []}


def test_conll_is_read_by_the_conllu_package() -> None:
    text = "".join(find_writer("conll")(sentence) for sentence in (PARSED, FAILED))
    first, second = conllu.parse(text)
    assert [(t["form"], t["upos"], t["xpos"], t["head"], t["deprel"]) for t in first] == [
        ("She", "PRP", "NP", 2, "dep"),
        ("saw", "VBD", r"(S\NP)/NP", 0, "root"),
        ("it", "PRP", "NP", 2, "dep"),
    ]
    assert [token["form"] for token in second] == ["Oh", "(", "no"]
    assert find_writer("conll")(EMPTY) == "# sent_id = 9\n# empty\n\n"


def test_unknown_formats_are_named() -> None:
    with pytest.raises(UsageError, match="auto.*deriv"):
        find_writer("atuo")


WORDS = st.text(st.characters(exclude_categories=("Cs", "C", "Z"), exclude_characters="\\"), min_size=1, max_size=6)


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Derivations of any shape over any words."""
    labels, children, words, heads = [], [], [], []
    roots: list[int] = []
    for word in draw(st.lists(WORDS, min_size=1, max_size=8)):
        roots.append(len(labels))
        for row in ((labels, r"(S\NP)/NP"), (children, ()), (words, word), (heads, 0)):
            row[0].append(row[1])
        while draw(st.booleans()) or (len(roots) > 1 and draw(st.booleans())):
            count = min(len(roots), draw(st.integers(1, 2)))
            below = tuple(roots[-count:])
            roots[-count:] = [len(labels)]
            for row in ((labels, "S[dcl]"), (children, below), (words, None), (heads, draw(st.integers(0, count - 1)))):
                row[0].append(row[1])
    while len(roots) > 1:
        below = tuple(roots[-2:])
        roots[-2:] = [len(labels)]
        for row in ((labels, r"NP\NP"), (children, below), (words, None), (heads, 1)):
            row[0].append(row[1])
    return Tree(tuple(labels), tuple(children), tuple(words), None, tuple(heads))


@given(trees())
def test_auto_is_read_back_whatever_the_words(tree: Tree) -> None:
    (read,) = read_derivations(lines_from_bytes(format_auto(tree).encode()))
    plain = tuple(word and unescaped(word) for word in tree.words)
    assert (read.labels, read.children, read.words, read.heads) == (tree.labels, tree.children, plain, tree.heads)


def unescaped(word: str) -> str:
    """A word that holds an escape itself is read as what the escape stands for."""
    from nntag.corpora.escapes import escape_word, unescape_word

    return unescape_word(escape_word(word))


@given(trees())
def test_brackets_and_head_words_agree_with_plain_recursion(tree: Tree) -> None:
    assert len(nltk.Tree.fromstring(format_ptb(tree)).leaves()) == len(tree.tokens)
    found: dict[int, int] = {}
    places = [number for number, children in enumerate(tree.children) if not children]

    def head_word(number: int) -> int:
        if not tree.children[number]:
            return places.index(number)
        own = [head_word(child) for child in tree.children[number]]
        head = own[tree.heads[number]]
        found.update({word: head + 1 for word in own if word != head})
        return head

    found[head_word(len(tree) - 1)] = 0
    assert find_head_words(tree) == [found[place] for place in range(len(places))]


def test_a_very_long_sentence_is_written_without_recursion() -> None:
    steps = 1200  # word, word, node; then a word and a node that joins it to the node before
    labels = ["N", "N", "S", *["N", "S"] * steps]
    children = [(), (), (0, 1), *(row for n in range(steps) for row in ((), (2 * n + 2, 2 * n + 3)))]
    words = ["x", "x", None, *["x", None] * steps]
    tree = Tree(tuple(labels), tuple(children), tuple(words), None, (0,) * len(labels))
    sentence = ParsedSentence(1, tree.tokens, [Parse(tree, ("",) * len(tree), 0.0)])
    for write in WRITERS.values():
        assert write(sentence)
    assert next(read_derivations(lines_from_bytes(format_auto(tree).encode()))).labels == tree.labels


def test_auto_and_brackets_are_what_depccg_prints() -> None:
    pytest.importorskip("depccg.parsing", reason="depccg is not installed")
    from depccg.cat import Category
    from depccg.printer.auto import auto_of
    from depccg.tree import Tree as DepccgTree
    from depccg.types import Token

    def build(tree: Tree, number: int) -> DepccgTree:
        category = Category.parse(tree.labels[number])
        below = [build(tree, child) for child in tree.children[number]]
        if not below:
            return DepccgTree.make_terminal(Token(word=tree.words[number]), category)
        if len(below) == 1:
            return DepccgTree.make_unary(category, *below)
        return DepccgTree.make_binary(category, *below, "fa", ">", tree.heads[number] == 0)

    for tree in derivations(DOGS_BARK, SHE_SAW_IT, MEN):
        assert auto_of(build(tree, len(tree) - 1)) == format_auto(tree)
