"""Tags that are lists of attributes: figures worked by hand, and against plain splitting of the same tags."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.conllu import read_conllu
from nntag.corpora.lines import open_lines
from nntag.tagging.attributes import find_attributes, holds_attributes
from nntag.tagging.parts import KINDS, PartScore
from nntag.tagging.score import TaggingScore
from tests.command_line import run_nntag

ATTRIBUTES = KINDS[1]


@pytest.mark.parametrize(
    ("tags", "are_lists"),
    [
        ("_ Case=Nom", True),
        ("Case=Acc,Dat|Number=Sing Number[psor]=Plur", True),
        ("_", False),
        ("", False),
        ("Case=Nom NOUN", False),
        ("Case=Nom|", False),
        ("A=b=c", False),
        ("= NOUN", False),
        ("B-NP I-NP", False),
    ],
)
def test_which_tags_are_lists_of_attributes(tags: str, are_lists: bool) -> None:
    assert holds_attributes(tags.split()) is are_lists


def test_attributes_by_hand() -> None:
    tags = ["Case=Nom|Number=Sing", "_", None, "Case=Acc,Dat"]
    assert find_attributes(tags) == [("Case", 0, "Nom"), ("Number", 0, "Sing"), ("Case", 3, "Acc,Dat")]


GOLD = ["Case=Nom|Number=Sing", "Number=Plur", "_", "Case=Acc,Dat", None]
PREDICTED = ["Number=Sing|Case=Acc", "Number=Plur|Tense=Past", "Number=Sing", "Case=Acc,Dat", "Case=Nom"]


def test_figures_by_hand() -> None:
    """Case: Nom missed, Acc,Dat right of two predicted; Number: both right of three predicted; Tense: in no gold tag.
    The last word has no gold tag and counts nowhere; the order of attributes is of no account."""
    score = PartScore(ATTRIBUTES)
    score.add(GOLD, PREDICTED)
    nothing = {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert score.report() == {
        "attribute_precision": 3 / 6,
        "attribute_recall": 3 / 4,
        "attribute_f1": 3 / 5,
        "attributes": {
            "gold": 4,
            "predicted": 6,
            "right": 3,
            "per_type": {
                "Case": {"precision": 1 / 2, "recall": 1 / 2, "f1": 1 / 2, "gold": 2, "predicted": 2, "right": 1},
                "Number": {"precision": 2 / 3, "recall": 1.0, "f1": 4 / 5, "gold": 2, "predicted": 3, "right": 2},
                "Tense": {**nothing, "gold": 0, "predicted": 1, "right": 0},
            },
        },
    }


def test_they_stand_in_the_report_beside_the_accuracy_of_whole_tags() -> None:
    score = TaggingScore({"Case=Nom": 3, "_": 9, "RARE": 2}, frozenset())
    score.add(["she", "saw", "them"], ["Case=Nom", "Tense=Past", "Case=Acc"], ["Case=Nom", "_", "Case=Nom"])
    report = score.report()
    assert (report["accuracy"], report["attribute_f1"]) == (1 / 3, 2 / 5)
    assert report["attributes"]["per_type"]["Case"]["f1"] == 1 / 2


NAMES, VALUES = ["Case", "Number", "Number[psor]"], ["Nom", "Acc", "Acc,Dat"]
FEATS = st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES)).map(
    lambda values: "|".join(f"{name}={value}" for name, value in sorted(values.items())) or "_"
)


@given(st.lists(st.tuples(st.none() | FEATS, FEATS), min_size=1, max_size=8))
def test_as_counted_word_by_word(words: list) -> None:
    score = PartScore(ATTRIBUTES)
    score.add(*zip(*words, strict=True))
    found = score.report()["attributes"]["per_type"]
    for name in NAMES:
        gold = predicted = right = 0
        for wanted, offered in words:
            if wanted is None:
                continue
            entries = [[entry for entry in tag.split("|") if entry.startswith(f"{name}=")] for tag in (wanted, offered)]
            gold += len(entries[0])
            predicted += len(entries[1])
            right += entries[0] == entries[1] != []
        if gold or predicted:
            assert [found[name][key] for key in ("gold", "predicted", "right")] == [gold, predicted, right]
        else:
            assert name not in found


ROWS = [("She", "Case=Nom|Number=Sing"), ("saw", "Tense=Past"), ("them", "Case=Acc|Number=Plur"), (".", "_")]


def test_from_conllu_to_the_report(tmp_path: Path) -> None:
    sentence = "".join(f"{n}\t{word}\t_\tX\t_\t{feats}\t_\t_\t_\t_\n" for n, (word, feats) in enumerate(ROWS, 1))
    file, data, run = tmp_path / "a.conllu", tmp_path / "data", tmp_path / "run"
    file.write_text(f"{sentence}\n" * 12)
    made = run_nntag("preprocess", "conllu", "--train", file, "--column", "FEATS", "--out", data)
    assert made.code == 0 and "scores one by one: Case, Number, Tense" in made.err
    assert json.loads((data / "meta.json").read_text())["attributes"] == ["Case", "Number", "Tense"]
    small = ("--set", "hidden=4", "--set", "layers=1", "--epochs", 2)
    trained = run_nntag("train", *small, "--data", data, "--out", run, "--set", "metric=attribute_f1")
    assert trained.code == 0 and "dev attribute_f1" in trained.out
    report = json.loads(run_nntag("eval", "--model", run, "--json").out)
    assert {"precision", "recall", "f1"} < set(report["attributes"]["per_type"]["Case"])
    text = run_nntag("eval", "--model", run).out
    assert "Attributes\n  type    precision  recall" in text and "attribute f1" in text


@pytest.mark.corpus
def test_the_features_of_a_treebank_are_read_whole(shared_data: Path) -> None:
    path = shared_data / "ud/UD_English-EWT/en_ewt-ud-test.conllu"
    tags = [tag for sentence in read_conllu(open_lines(path), column="FEATS") for tag in sentence.tags]
    assert holds_attributes(tags)
    counted = sum(tag.count("=") for tag in tags)
    assert len(find_attributes(tags)) == counted > 20_000
