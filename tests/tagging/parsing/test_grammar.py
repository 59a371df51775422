"""Grammars counted by hand, written and read back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nntag.errors import RunError
from nntag.tagging.parsing.grammar import Grammar, count_grammar, mark_steps, read_grammar, unmarked, write_grammar
from tests.tagging.parsing.derivations import DOGS_BARK, DOGS_BARK_HIGH, MEN, SHE_SAW_IT, derivations


def test_roots_rules_and_heads_are_counted() -> None:
    grammar = count_grammar(derivations(DOGS_BARK, DOGS_BARK_HIGH, SHE_SAW_IT, MEN))
    assert grammar.roots == {"S": 3, "NP": 1}
    assert grammar.unary == {("N", "NP"): 1}
    assert grammar.binary == {
        ("NP", r"S\NP", "S"): 3,
        (r"S\NP", ".", r"S\NP"): 1,
        ("S", ".", "S"): 1,
        (r"(S\NP)/NP", "NP", r"S\NP"): 1,
        ("N/N", "N", "N"): 1,
    }
    assert grammar.head_of(("NP", r"S\NP", "S")) == 1
    assert grammar.head_of(("S", ".", "S")) == 0
    assert grammar.head_of(("never", "seen", "it")) == 0
    assert not grammar.wide


def test_marks_say_how_a_node_was_made() -> None:
    trees = derivations(
        DOGS_BARK,
        MEN,
        r"(<T S 0 2> (<L S/S x x if S/S>) (<T S 0 2> (<L S/NP x x a S/NP>) (<L NP x x b NP>) ) )",
        r"(<T S[dcl]\NP 0 2> (<L (S\NP)/(S\NP) x x often (S\NP)/(S\NP)>) (<L S[dcl]\NP x x runs S[dcl]\NP>) )",
        r"(<T S/NP 0 2> (<L S/(S\NP) x x who S/(S\NP)>) (<L (S\NP)/NP x x saw (S\NP)/NP>) )",
    )
    assert mark_steps(trees[0]) == ["NP", r"S\NP", ".", r"S\NP l", "S ba"]
    assert mark_steps(trees[1]) == ["N/N", "N", "N fa", "NP un"]
    assert mark_steps(trees[2])[-2:] == ["S fa", "S fa"]
    assert mark_steps(trees[3])[-1] == r"S[dcl]\NP r"
    assert mark_steps(trees[4])[-1] == "S/NP o"
    assert unmarked(r"S\NP l") == r"S\NP" and unmarked("NP") == "NP"
    assert count_grammar(trees[:1]).marked_binary == {(r"S\NP", ".", r"S\NP l"): 1, ("NP", r"S\NP l", "S ba"): 1}


def test_a_grammar_is_read_back_as_it_was(tmp_path: Path) -> None:
    grammar = count_grammar(derivations(DOGS_BARK, SHE_SAW_IT, MEN))
    write_grammar(tmp_path / "grammar.json", grammar)
    assert read_grammar(tmp_path / "grammar.json") == grammar
    assert json.loads((tmp_path / "grammar.json").read_text())["derivations"] == 3
    write_grammar(tmp_path / "empty.json", Grammar())
    assert read_grammar(tmp_path / "empty.json") == Grammar()


def test_nodes_with_three_children_are_counted_and_left_out() -> None:
    grammar = count_grammar(derivations("(<T S 0 3> (<L A x x a A>) (<L B x x b B>) (<L C x x c C>) )"))
    assert grammar.wide == {"S": 1} and not grammar.binary and not grammar.unary


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format_version": 99}', '{"format_version": 1, "roots": [["S"]]}'])
def test_a_damaged_grammar_is_an_error_of_the_folder(tmp_path: Path, text: str) -> None:
    (tmp_path / "grammar.json").write_text(text)
    with pytest.raises(RunError, match="damaged grammar"):
        read_grammar(tmp_path / "grammar.json")
    with pytest.raises(RunError, match="cannot be read"):
        read_grammar(tmp_path / "absent.json")
