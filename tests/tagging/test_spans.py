"""Spans of BIO columns: worked by hand, and against conlleval's way through the words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.columns import read_columns
from nntag.corpora.lines import open_lines
from nntag.tagging.parts import KINDS, PartScore
from nntag.tagging.score import TaggingScore
from nntag.tagging.spans import find_spans, holds_spans, name_scheme
from tests.command_line import run_nntag
from tests.reference import conlleval

SPANS = KINDS[0]


@pytest.mark.parametrize(
    ("tags", "spans"),
    [
        ("", []),
        ("O O", []),
        ("B-NP I-NP O B-VP", [("NP", 0, 2), ("VP", 3, 4)]),
        ("B-NP B-NP I-NP", [("NP", 0, 1), ("NP", 1, 3)]),
        ("I-NP I-NP O I-NP", [("NP", 0, 2), ("NP", 3, 4)]),  # IOB1: I begins a span after O
        ("I-NP B-NP I-NP", [("NP", 0, 1), ("NP", 1, 3)]),  # IOB1: B parts two of one type
        ("B-NP I-VP I-VP", [("NP", 0, 1), ("VP", 1, 3)]),  # another type is another span
        ("I-PER I-LOC I-PER", [("PER", 0, 1), ("LOC", 1, 2), ("PER", 2, 3)]),
        ("O I-VP B-NP", [("VP", 1, 2), ("NP", 2, 3)]),
        ("B-x-y I-x-y I-x", [("x-y", 0, 2), ("x", 2, 3)]),  # types may hold hyphens
        ("B I O I", [("", 0, 2), ("", 3, 4)]),
    ],
)
def test_spans_by_hand(tags: str, spans: list) -> None:
    assert find_spans(tags.split()) == spans


def test_what_is_no_tag_of_spans_is_outside() -> None:
    assert find_spans(["B-NP", None, "I-NP", "E-NP", "RARE", "I-NP"]) == [("NP", 0, 1), ("NP", 2, 3), ("NP", 5, 6)]


@pytest.mark.parametrize(
    ("tags", "is_bio"),
    [
        ("O B-NP I-NP", True),
        ("I-PER O", True),
        ("B-NP I-NP", True),
        ("B I O", True),
        ("O", False),
        ("O B-NP S-NP", False),
        ("NN IN O", False),
        ("B-NP i-NP", False),
        ("", False),
    ],
)
def test_which_tags_are_those_of_spans(tags: str, is_bio: bool) -> None:
    assert holds_spans(tags.split()) is is_bio


def test_schemes() -> None:
    assert name_scheme([["B-NP", "I-NP", "B-NP"], ["O"]]) == "IOB2"
    assert name_scheme([["B-NP", "I-NP"], ["O", "I-NP", "B-NP"]]) == "IOB1"


SENTENCES = [
    # NP 0-2 right; VP missed, as its end is wrong; ADVP is no span of the gold
    ("B-NP I-NP B-VP I-VP O", "B-NP I-NP B-VP O B-ADVP"),
    # the predicted I after O begins a span, which is right; the second NP is two spans predicted
    ("B-PP B-NP I-NP O", "I-PP B-NP B-NP O"),
    # right borders and wrong type
    ("B-NP O", "B-VP O"),
]


def test_figures_by_hand() -> None:
    report = score(SENTENCES).report()
    nothing = {"precision": 0.0, "recall": 0.0, "f1": 0.0}
    assert report == {
        "span_precision": 2 / 7,
        "span_recall": 2 / 5,
        "span_f1": 1 / 3,
        "spans": {
            "gold": 5,
            "predicted": 7,
            "right": 2,
            "per_type": {
                "NP": {"precision": 1 / 3, "recall": 1 / 3, "f1": 1 / 3, "gold": 3, "predicted": 3, "right": 1},
                "PP": {"precision": 1.0, "recall": 1.0, "f1": 1.0, "gold": 1, "predicted": 1, "right": 1},
                "VP": {**nothing, "gold": 1, "predicted": 2, "right": 0},
                "ADVP": {**nothing, "gold": 0, "predicted": 1, "right": 0},
            },
        },
    }


def test_without_any_span_the_figures_are_0() -> None:
    report = score([("O O", "O O")]).report()
    assert [report[f"span_{name}"] for name in ("precision", "recall", "f1")] == [0.0, 0.0, 0.0]


def test_a_word_without_gold_tag_is_outside_on_both_sides() -> None:
    missing = PartScore(SPANS)
    missing.add(["B-NP", None, "I-NP"], ["B-NP", "I-NP", "I-NP"])
    assert missing.report()["spans"] == score([("B-NP O I-NP", "B-NP O I-NP")]).report()["spans"]


def score(sentences: list) -> PartScore:
    found = PartScore(SPANS)
    for gold, predicted in sentences:
        found.add(gold.split(), predicted.split())
    return found


TAG = st.sampled_from(["O", "B-NP", "I-NP", "B-VP", "I-VP", "B-x-y", "I-x-y", "B", "I"])
SENTENCE = st.lists(st.tuples(TAG, TAG), min_size=1, max_size=9)


@given(st.lists(SENTENCE, min_size=1, max_size=4))
def test_as_conlleval_counts(sentences: list) -> None:
    columns = [tuple(zip(*sentence, strict=True)) for sentence in sentences]
    found = PartScore(SPANS)
    for gold, predicted in columns:
        found.add(gold, predicted)
    report, expected = found.report(), conlleval.count(columns)
    per_type = report["spans"]["per_type"]
    assert {kind: [s["right"], s["gold"], s["predicted"]] for kind, s in per_type.items()} == expected
    total = [sum(counts) for counts in zip(*expected.values(), strict=True)] or [0, 0, 0]
    for figures, counts in [(report, total), *((per_type[kind], counts) for kind, counts in expected.items())]:
        names = [f"span_{name}" if figures is report else name for name in ("precision", "recall", "f1")]
        assert [100 * figures[name] for name in names] == pytest.approx(conlleval.figures(*counts), abs=1e-9)


def test_spans_stand_in_the_tagging_report_of_bio_columns_alone() -> None:
    for tags, gold, has_spans in (({"B-NP": 3, "O": 2, "RARE": 1}, "B-NP", True), ({"N": 3, "O": 2}, "N", False)):
        found = TaggingScore(tags, frozenset())
        found.add(["a"], [gold], ["O"])
        assert ("span_f1" in found.report()) is has_spans


CHUNKS = """-DOCSTART- -X- O

the DT B-NP
dog NN I-NP
ran VBD B-VP

it PRP B-NP
ran VBD B-VP
. . O

"""


def test_from_columns_to_span_f1(tmp_path: Path) -> None:
    """Dev is judged by span F1; the marks of documents are no words; `eval`'s figures are those of its --output."""
    file, run, output = tmp_path / "chunks.bio", tmp_path / "run", tmp_path / "out.tsv"
    file.write_text(CHUNKS * 8)
    files = ("--train", file, "--dev", file, "--test", file)
    made = run_nntag("preprocess", "columns", *files, "--column", 3, "--out", tmp_path / "data")
    assert made.code == 0 and "the tags mark spans (IOB2)" in made.err
    assert "-DOCSTART- (8 times)" in made.err
    meta = json.loads((tmp_path / "data/meta.json").read_text())
    assert meta["spans"] == "IOB2" and meta["splits"]["test"]["tokens"] == 48

    small = ("--set", "hidden=4", "--set", "layers=1", "--epochs", 4)
    trained = run_nntag("train", *small, "--data", tmp_path / "data", "--out", run, "--set", "metric=span_f1")
    assert trained.code == 0 and "dev span_f1" in trained.out
    log = [json.loads(line) for line in (run / "log.jsonl").read_text().splitlines()]
    assert max(entry["dev_span_f1"] for entry in log) == log[log[-1]["best_epoch"] - 1]["dev_span_f1"]

    report = json.loads(run_nntag("eval", "--model", run, "--output", output, "--json").out)
    rows = [block.splitlines() for block in output.read_text().split("\n\n") if block]
    pairs = [tuple(zip(*(row.split("\t")[1:] for row in block), strict=True)) for block in rows]
    expected = conlleval.count(pairs)
    per_type = report["spans"]["per_type"]
    assert {kind: [s["right"], s["gold"], s["predicted"]] for kind, s in per_type.items()} == expected
    text = run_nntag("eval", "--model", run, "--data", file, "--column", 3).out
    assert f"span f1            {100 * report['span_f1']:.2f} %" in text and "Spans\n" in text


def test_other_columns_have_no_such_score(tmp_path: Path) -> None:
    file = tmp_path / "chunks.bio"
    file.write_text(CHUNKS * 8)
    made = run_nntag("preprocess", "columns", "--train", file, "--column", 2, "--out", tmp_path / "data")
    assert made.code == 0 and "span" not in made.err
    trained = run_nntag("train", "--data", tmp_path / "data", "--out", tmp_path / "run", "--set", "metric=span_f1")
    assert trained.code == 2 and "unknown metric 'span_f1'" in trained.err
    assert not (tmp_path / "run" / "best").exists()


@pytest.mark.corpus
@pytest.mark.parametrize(("split", "spans"), [("train", 106_978), ("test", 23_852)])
def test_the_shared_task_has_as_many_chunks_as_published(shared_data: Path, split: str, spans: int) -> None:
    found = PartScore(SPANS)
    for sentence in read_columns(open_lines(shared_data / f"nltk/conll2000/{split}.txt"), column=3):
        found.add(sentence.tags, sentence.tags)
    report = found.report()
    assert report["spans"]["gold"] == report["spans"]["right"] == spans
    assert report["span_f1"] == 1.0
