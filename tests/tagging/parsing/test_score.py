"""Scores of derivations worked out by hand, and against nltk's metrics."""

from __future__ import annotations

from pathlib import Path

import nltk
import pytest
from nltk.metrics.scores import f_measure, precision, recall

from nntag.corpora.ccgbank import read_derivations
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Tree
from nntag.errors import DataError
from nntag.sample import write_sample
from nntag.tagging.parsing.files import pair_parses, read_parses
from nntag.tagging.parsing.score import ParseScore, find_brackets
from nntag.tagging.parsing.write import format_ptb
from tests.tagging.parsing.derivations import DOGS_BARK, DOGS_BARK_HIGH, MEN, SHE_SAW_IT, derivations


def test_brackets_are_the_inner_nodes() -> None:
    assert find_brackets(derivations(DOGS_BARK)[0], True) == {("S", 0, 3): 1, (r"S\NP", 1, 3): 1}
    assert find_brackets(derivations(MEN)[0], False) == {("", 0, 2): 2}
    assert not find_brackets(None, True)


def test_scores_by_hand() -> None:
    low, high, saw, men = derivations(DOGS_BARK, DOGS_BARK_HIGH, SHE_SAW_IT, MEN)
    score = ParseScore()
    score.add(saw, saw, [r"NP", r"S\NP", "NP"])  # the parser put one tag right
    score.add(low, high, [r"NP", r"S\NP", "."])  # 1 of 2 brackets
    score.add(men, None, ["N/N", "NP"])
    report = score.report()
    assert (report["sentences"], report["tokens"], report["parsed"]) == (3, 8, 2)
    assert report["coverage"] == pytest.approx(2 / 3)
    assert report["supertags_before"] == pytest.approx(6 / 8)
    assert report["supertags_after"] == pytest.approx(7 / 8)
    assert report["whole_sentences_before"] == pytest.approx(1 / 3)
    assert report["whole_sentences_after"] == pytest.approx(2 / 3)
    assert report["exact_derivations"] == pytest.approx(1 / 3)
    labelled = report["brackets"]["labelled"]
    assert (labelled["gold"], labelled["predicted"]) == (6, 4)
    assert labelled["precision"] == pytest.approx(3 / 4)
    assert labelled["recall"] == pytest.approx(3 / 6)
    assert labelled["f1"] == pytest.approx(2 * 3 / 10)


def test_labels_make_the_difference_between_the_two_kinds_of_brackets() -> None:
    score = ParseScore()
    other = MEN.replace("<T NP", "<T S/S")
    score.add(*derivations(MEN, other))
    brackets = score.report()["brackets"]
    assert brackets["labelled"]["f1"] == pytest.approx(1 / 2)
    assert brackets["unlabelled"]["f1"] == pytest.approx(1)


def test_without_the_taggers_tags_a_sentence_without_a_parse_counts_as_wrong() -> None:
    score = ParseScore()
    score.add(*derivations(SHE_SAW_IT, SHE_SAW_IT))
    score.add(derivations(MEN)[0], None)
    report = score.report()
    assert report["supertags_before"] is None and report["whole_sentences_before"] is None
    assert report["supertags_after"] == pytest.approx(3 / 5)


def test_nothing_to_score_is_an_error() -> None:
    with pytest.raises(DataError, match="no derivations"):
        ParseScore().report()


def nltk_brackets(tree: Tree) -> set[tuple[str, int, int, int]]:
    """Label, first word, length and the how manieth of its kind, from nltk's own reading of brackets."""
    parsed = nltk.Tree.fromstring(format_ptb(tree))
    found: set[tuple[str, int, int, int]] = set()

    def walk(node: nltk.Tree, start: int) -> int:
        if isinstance(node[0], str):
            return 1
        length = 0
        for child in node:
            length += walk(child, start + length)
        rank = sum(other[:3] == (node.label(), start, length) for other in found)
        found.add((node.label(), start, length, rank))
        return length

    walk(parsed, 0)
    return found


def test_brackets_agree_with_nltks_metrics(tmp_path: Path) -> None:
    """Gold trees against their right-branching selves, over a generated treebank."""
    gold = list(read_derivations(open_lines(write_sample("ccgbank", tmp_path, 50)["train"])))
    score = ParseScore()
    all_gold, all_predicted = set(), set()
    for number, tree in enumerate(gold):
        predicted = relabel(tree)
        score.add(tree, predicted)
        all_gold |= {(number, *bracket) for bracket in nltk_brackets(tree)}
        all_predicted |= {(number, *bracket) for bracket in nltk_brackets(predicted)}
    report = score.report()["brackets"]["labelled"]
    assert 0.3 < report["f1"] < 0.99
    assert report["precision"] == pytest.approx(precision(all_gold, all_predicted))
    assert report["recall"] == pytest.approx(recall(all_gold, all_predicted))
    assert report["f1"] == pytest.approx(f_measure(all_gold, all_predicted))


def relabel(tree: Tree) -> Tree:
    """Every third inner node with another category, and without its unary rules at the top."""
    labels = ["X" if children and number % 3 == 0 else label for number, (label, children) in rows(tree)]
    keep = len(labels) - (len(tree.children[-1]) == 1)
    return Tree(tuple(labels[:keep]), tree.children[:keep], tree.words[:keep])


def rows(tree: Tree) -> list[tuple[int, tuple[str, tuple[int, ...]]]]:
    return list(enumerate(zip(tree.labels, tree.children, strict=True)))


def test_files_are_paired_by_their_order_and_ids(tmp_path: Path) -> None:
    gold, predicted = tmp_path / "gold.auto", tmp_path / "parsed.auto"
    gold.write_text("\n".join([f"ID=wsj_1\n{SHE_SAW_IT}", f"ID=wsj_2\n{MEN}", f"ID=wsj_3\n{DOGS_BARK}"]))
    predicted.write_text(
        f"ID=1 PARSER=nntag NUMPARSE=1\n{SHE_SAW_IT}\nID=2 PARSER=nntag NUMPARSE=0\n\n"
        f"ID=3 PARSER=nntag NUMPARSE=1\n{DOGS_BARK_HIGH}\nID=3 PARSER=nntag NUMPARSE=2\n{DOGS_BARK}\n"
    )
    pairs = list(pair_parses(gold, predicted))
    assert [tree is not None for _, tree in pairs] == [True, False, True]
    assert pairs[2][1] is not None and pairs[2][1].labels == derivations(DOGS_BARK_HIGH)[0].labels
    predicted.write_text(f"{SHE_SAW_IT}\n{MEN}\n")
    assert len(read_parses(predicted)) == 2
    with pytest.raises(DataError, match="expected the 3 sentences"):
        list(pair_parses(gold, predicted))
    predicted.write_text(f"{SHE_SAW_IT}\n{MEN}\n{SHE_SAW_IT}\n")
    with pytest.raises(DataError, match=r"parsed.auto:3: expected sentence 3 .*'dogs bark \.'.*'She saw it'"):
        list(pair_parses(gold, predicted))
    predicted.write_text("")
    with pytest.raises(DataError, match="no derivations"):
        list(pair_parses(predicted, gold))
