"""The bridge to depccg on grammars so small that each derivation is known; skipped where depccg is not installed."""

from __future__ import annotations

from math import log
from pathlib import Path

import pytest

from nntag.config.options.parse import ParseOptions
from nntag.corpora.ccgbank import read_derivations
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Tree
from nntag.sample import write_sample
from nntag.tagging.parsing.grammar import Grammar, count_grammar
from tests.tagging.parsing.derivations import DOGS_BARK, DOGS_BARK_HIGH, MEN, SHE_SAW_IT, derivations

pytest.importorskip("depccg.parsing", reason="depccg is not installed")

from nntag.tagging.parsing.jobs import ParserPool  # noqa: E402
from nntag.tagging.parsing.parse import LikelyTags, supertags_of  # noqa: E402
from nntag.tagging.parsing.parser import Parser  # noqa: E402

SURE = {
    "She": "NP",
    "saw": r"(S\NP)/NP",
    "it": "NP",
    "dogs": "NP",
    "bark": r"S\NP",
    ".": ".",
    "tall": "N/N",
    "men": "N",
}


def sure(*words: str) -> LikelyTags:
    return [[(SURE[word], 1.0)] for word in words]


def labels(grammar: Grammar | None, words: str, likely: LikelyTags | None = None, **options: object) -> list[list[str]]:
    """The labels of the derivations found for one sentence."""
    parser = Parser(grammar, ParseOptions(**options))  # type: ignore[arg-type]
    return [list(parse.tree.labels) for parse in parser.parse([words.split()], [likely or sure(*words.split())])[0]]


def test_a_derivation_comes_back_with_heads_rules_and_score() -> None:
    gold = derivations(SHE_SAW_IT, DOGS_BARK)
    likely = [[("NP", 0.5), ("N", 0.3)], [(r"S\NP", 0.5), (r"(S\NP)/NP", 0.25)], [("NP", 1.0)]]
    parse = Parser(count_grammar(gold)).parse([gold[0].tokens], [likely])[0][0]
    assert parse.tree == Tree(gold[0].labels, gold[0].children, gold[0].words, None, gold[0].heads)
    assert parse.rules == ("", "", "", "fa", "ba")
    assert parse.score == pytest.approx(log(0.5) + log(0.25) + log(1.0))
    assert parse.supertags == ("NP", r"(S\NP)/NP", "NP")


def test_a_treebank_keeps_its_way_of_attaching_a_full_stop() -> None:
    for line in (DOGS_BARK, DOGS_BARK_HIGH):
        gold = derivations(line)
        assert labels(count_grammar(gold), "dogs bark .") == [list(gold[0].labels)]


def test_plain_rules_are_tried_where_the_marked_ones_give_nothing() -> None:
    """`S . .` has S made by `l`, which was never followed by a full stop."""
    grammar = count_grammar(derivations(DOGS_BARK_HIGH))
    assert labels(grammar, "dogs bark . .")[0][-1] == "S"
    assert ("S l", ".", "S l") not in grammar.marked_binary


def test_tags_that_are_not_likely_are_never_used() -> None:
    grammar = count_grammar(derivations(SHE_SAW_IT, DOGS_BARK))
    likely = [[("NP", 0.9)], [("NP", 0.9)]]
    assert labels(grammar, "She saw", likely) == []
    parser = Parser(grammar)  # the categories of one sentence are no choice for another
    found = parser.parse([["dogs", "bark"], ["She", "saw"]], [sure("dogs", "bark"), likely])
    assert [len(parses) for parses in found] == [1, 0]


def test_smaller_betas_are_tried_before_a_sentence_is_given_up() -> None:
    grammar = count_grammar(derivations(DOGS_BARK))
    likely = [[("NP", 0.9)], [("NP", 0.9), (r"S\NP", 0.005)]]
    assert labels(grammar, "dogs bark", likely, betas=(0.1,)) == []
    assert labels(grammar, "dogs bark", likely, betas=(0.1, 0.001)) == [["NP", r"S\NP", "S"]]


def test_roots_are_the_grammars_or_those_asked_for_or_any() -> None:
    grammar = count_grammar(derivations(SHE_SAW_IT))
    assert labels(grammar, "saw it") == []
    assert labels(grammar, "saw it", roots=r"S\NP") == [[r"(S\NP)/NP", "NP", r"S\NP"]]
    assert labels(grammar, "She saw it", roots="NP") == []
    assert labels(grammar, "saw it", fragments=True) == [[r"(S\NP)/NP", "NP", r"S\NP"]]


def test_a_unary_rule_may_make_the_root() -> None:
    parse = Parser(count_grammar(derivations(MEN))).parse([["tall", "men"]], [sure("tall", "men")])[0][0]
    assert parse.tree.labels == ("N/N", "N", "N", "NP")
    assert parse.tree.children == ((), (), (0, 1), (2,))
    assert parse.rules == ("", "", "fa", "un")
    assert parse.score == pytest.approx(-0.1)


def test_all_rules_join_what_the_treebank_never_joined() -> None:
    grammar = count_grammar(derivations(DOGS_BARK))
    assert labels(grammar, "She saw it", seen_rules=True) == []
    for seen_rules in (None, False):
        assert labels(grammar, "She saw it", seen_rules=seen_rules) == [["NP", r"(S\NP)/NP", "NP", r"S\NP", "S"]]


def test_ccgbanks_grammar_comes_with_depccg() -> None:
    likely = [[("N", 0.9)], [(r"(S[dcl]\NP)/NP", 0.8)], [("NP[nb]/N", 1.0)], [("N", 1.0)], [(".", 1.0)]]
    for seen_rules in (True, False):
        parser = Parser(None, ParseOptions(seen_rules=seen_rules))
        parse = parser.parse([["Kim", "saw", "the", "dog", "."]], [likely])[0][0]
        assert parse.tree.labels[-1] == "S[dcl]"
        assert parse.supertags == tuple(word[0][0] for word in likely)
        assert parse.score == pytest.approx(log(0.9) + log(0.8) - 0.1)


def test_rules_have_the_names_of_the_combinators_that_make_them() -> None:
    gold = derivations(
        r"(<T NP[nb] 1 2> (<L NP[nb]/N x x the NP[nb]/N>) (<L N x x dog N>) )",
        r"(<T NP 0 2> (<L NP x x cats NP>) (<L NP x x dogs NP>) )",
    )
    parser = Parser(count_grammar(gold))
    sentences = [tree.tokens for tree in gold]
    found = parser.parse(sentences, [[[(tag, 1.0)] for tag in supertags_of(tree)] for tree in gold])
    assert [parses[0].rules[-1] for parses in found] == ["fa", "tb"]  # tb: the treebank alone has it


def test_n_best_derivations_are_different_and_ordered() -> None:
    grammar = count_grammar(derivations(DOGS_BARK, DOGS_BARK_HIGH))
    found = labels(grammar, "dogs bark .", nbest=5)
    assert len(found) == 2 and found[0] != found[1]
    likely = [[("NP", 0.6)], [(r"S\NP", 0.6), ("S", 0.3)]]
    scored = Parser(grammar, ParseOptions(nbest=3, seen_rules=False)).parse([["dogs", "bark"]], [likely])[0]
    assert [parse.score for parse in scored] == sorted((parse.score for parse in scored), reverse=True)


def test_bounds_on_steps_and_words() -> None:
    grammar = count_grammar(derivations(SHE_SAW_IT))
    assert labels(grammar, "She saw it", max_steps=2) == []
    assert labels(grammar, "She saw it", max_words=2) == []
    assert Parser(grammar).parse([[], ["She", "saw", "it"]], [[], sure("She", "saw", "it")])[0] == []


def test_categories_that_depccg_cannot_take_apart_are_atoms() -> None:
    gold = derivations(
        r"(<T NP 0 2> (<L NP x x cats NP>) (<T (NP\NP)[conj] 1 2> (<L conj x x and conj>) (<L NP x x dogs NP>) ) )"
    )
    likely = [[("NP", 1.0)], [("conj", 1.0)], [("NP", 1.0)]]
    assert labels(count_grammar(gold), "cats and dogs", likely) == [list(gold[0].labels)]


def test_every_step_is_an_instance_of_the_treebank(tmp_path: Path) -> None:
    """The sample treebank with its gold tags."""
    files = write_sample("ccgbank", tmp_path, 60)
    gold = list(read_derivations(open_lines(files["train"])))
    grammar = count_grammar(gold)
    likely = [[[(tag, 1.0)] for tag in supertags_of(tree)] for tree in gold]
    found = Parser(grammar).parse([tree.tokens for tree in gold], likely)
    assert all(found)
    for parses in found:
        tree = parses[0].tree
        assert tree.labels[-1] in grammar.roots
        for number, children in enumerate(tree.children):
            below = tuple(tree.labels[child] for child in children)
            rule = (*below, tree.labels[number])
            assert len(below) == 0 or rule in (grammar.unary if len(below) == 1 else grammar.binary)


def test_several_processes_find_the_same_in_the_same_order() -> None:
    grammar = count_grammar(derivations(SHE_SAW_IT, DOGS_BARK))
    sentences = [["She", "saw", "it"], ["dogs", "bark", "."], [], ["bark"]] * 6
    likely = [sure(*words) for words in sentences]
    with ParserPool(grammar, ParseOptions(jobs=2)) as pool:
        assert pool.parse(sentences, likely) == Parser(grammar).parse(sentences, likely)
