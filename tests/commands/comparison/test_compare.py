"""`nntag compare` and the files of `eval --output`: figures as `eval` has them, verdicts, and what is refused."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from nntag.commands.comparison.compare import compare, compare_figure
from nntag.commands.comparison.report import format_comparison
from nntag.commands.evaluate import evaluate
from nntag.commands.train import train
from nntag.config.options.compare import CompareOptions
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import CompleteOptions, EvaluateOptions
from nntag.errors import DataError, NntagError, UsageError
from nntag.language_models.completion.complete import complete
from nntag.language_models.preprocessing.sherlock import preprocess_sherlock
from nntag.sample import write_sample
from nntag.tagging.items import compare_items as compare_tagged
from nntag.trees.items import compare_items as compare_trees
from tests.command_line import fails, run_nntag
from tests.opening import open_corpus
from tests.tagging.tiny_run import make_tiny_run
from tests.tiny_data import make_tiny_data

FEW = {"resamples": 200}


@pytest.fixture(scope="module")
def taggers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("taggers")
    return make_tiny_run(folder, "good"), make_tiny_run(folder, "bad", epochs=1)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two n-gram models on a folder with questions."""
    folder = tmp_path_factory.mktemp("models")
    sample = write_sample("sherlock", folder / "sample", 600)
    sources = {name: [sample[name]] for name in ("train", "questions", "answers")}
    data = preprocess_sherlock(open_corpus("sherlock", sources), folder / "data").data.path
    runs = [train(TrainOptions("ngram", data, folder / f"n{n}", settings={"order": n})).run for n in (1, 3)]
    return runs[0], runs[1]


@pytest.fixture(scope="module")
def trees(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("trees")
    data = make_tiny_data("sentiment", folder).path
    small = {"hidden": 4, "train.epochs": 1}
    runs = [train(TrainOptions("tree-rnn", data, folder / f"s{n}", seed=n, settings=small)).run for n in (1, 2)]
    return runs[0], runs[1]


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_taggers(taggers: tuple[Path, Path], tmp_path: Path) -> None:
    found = compare(CompareOptions(taggers, **FEW))
    accuracy, f1 = found.figures
    reports = [evaluate(EvaluateOptions(run)).report for run in taggers]
    assert [accuracy.first, accuracy.second] == [report["accuracy"] for report in reports]
    for value, report in zip((f1.first, f1.second), reports, strict=True):
        gold = [tag["f1"] for tag in report["per_tag"].values() if tag["gold"]]
        assert value == pytest.approx(sum(gold) / len(gold))
    assert accuracy.better == 0 and accuracy.mcnemar is not None and accuracy.mcnemar.discordant > 5
    assert f"accuracy: {taggers[0]} is better than {taggers[1]}, by" in format_comparison(found)

    output = tmp_path / "bad.jsonl"
    evaluate(EvaluateOptions(taggers[1], output=output))
    again = compare(CompareOptions((taggers[0], output), **FEW))
    assert [figure.bootstrap for figure in again.figures] == [figure.bootstrap for figure in found.figures]
    items = read(output)
    pairs = [pair for item in items for pair in zip(item["gold"], item["predicted"], strict=True)]
    assert sum(gold == tag for gold, tag in pairs) / len(pairs) == reports[1]["accuracy"]


def test_a_run_is_as_good_as_itself(taggers: tuple[Path, Path]) -> None:
    for figure in compare(CompareOptions((taggers[0], taggers[0]), **FEW)).figures:
        assert figure.difference == 0 and figure.p == 1 and figure.better is None
        assert "equally good" in figure.verdict(("x", "y"))


def test_macro_f1_is_that_of_plain_counts() -> None:
    first = [{"gold": ["A", "B", None], "predicted": ["A", "A", "A"]}, {"gold": ["A"], "predicted": ["C"]}]
    second = [{"gold": ["A", "B", None], "predicted": ["A", "B", "B"]}, {"gold": ["A"], "predicted": ["A"]}]
    f1 = compare_tagged(first, second)[1]
    values = [float(f1.compute(sums.sum(axis=0))) for sums in f1.sums]
    assert values == pytest.approx([(2 * 1 / (2 + 2) + 0) / 2, 1.0])  # A: one right of two gold and two given; B: none


def test_span_f1_is_that_of_whole_spans() -> None:
    gold = ["B-NP", "I-NP", "O", "B-VP"]
    first = [{"gold": gold, "predicted": ["B-NP", "O", "O", "B-VP"]}, {"gold": ["O"], "predicted": ["O"]}]
    second = [{"gold": gold, "predicted": gold}, {"gold": ["O"], "predicted": ["B-NP"]}]
    f1 = compare_tagged(first, second)[1]
    assert f1.name == "span F1"
    values = [float(f1.compute(sums.sum(axis=0))) for sums in f1.sums]
    assert values == pytest.approx([2 * 1 / (2 + 2), 2 * 2 / (2 + 3)])


def test_sentences_without_gold_tags_are_left_out() -> None:
    items = [{"gold": [None, None], "predicted": ["A", "B"]}, {"gold": ["A"], "predicted": ["A"]}]
    accuracy, f1 = compare_tagged(items, items)
    assert accuracy.sums[0].tolist() == [[1, 1]] and len(f1.sums[0]) == 1


def test_language_models(models: tuple[Path, Path], tmp_path: Path) -> None:
    found = compare(CompareOptions(models, **FEW))
    perplexity, accuracy = found.figures
    reports = [evaluate(EvaluateOptions(run, output=tmp_path / f"{run.name}.jsonl")).report for run in models]
    assert [perplexity.first, perplexity.second] == pytest.approx([report["perplexity"] for report in reports])
    assert [accuracy.first, accuracy.second] == pytest.approx([r["completion"]["accuracy"] for r in reports])
    assert perplexity.difference < 0 and perplexity.better == 1 and perplexity.mcnemar is None
    assert f"perplexity: {models[1]} is better than {models[0]}, by" in format_comparison(found)

    items = read(tmp_path / "n3.jsonl")
    nats = [-log for item in items for log in item.get("log_probabilities", [])]
    assert math.exp(sum(nats) / len(nats)) == pytest.approx(reports[1]["perplexity"])
    assert all(item["tokens"][-1] == "</s>" for item in items if "tokens" in item)


def test_answers_to_questions(models: tuple[Path, Path], tmp_path: Path) -> None:
    sample = write_sample("sherlock", tmp_path / "sample", 600)
    files = []
    for run in models:
        files.append(tmp_path / f"{run.name}.jsonl")
        options = CompleteOptions(sample["questions"], sample["answers"], (run,), output=files[-1])
        found = complete(options)
        items = read(files[-1])
        assert [item["choice"] for item in items] == ["abcde"[choice] for choice in found.choices]
        answers = [question.answer for question in found.questions]
        assert ["abcde".index(item["answer"]) for item in items] == answers
    (accuracy,) = compare(CompareOptions(tuple(files), **FEW)).figures
    test = accuracy.mcnemar
    assert test is not None and test.both + test.discordant + test.neither == 60 == len(accuracy.figure.sums[0])
    with pytest.raises(UsageError, match="hold no gold answers"):
        complete(CompleteOptions(sample["questions"], None, (models[0],), output=tmp_path / "x.jsonl"))
        compare(CompareOptions((tmp_path / "x.jsonl", tmp_path / "x.jsonl")))


def test_trees(trees: tuple[Path, Path], tmp_path: Path) -> None:
    whole, nodes = compare(CompareOptions(trees, **FEW)).figures
    reports = [evaluate(EvaluateOptions(run, output=tmp_path / f"{run.name}.jsonl")).report for run in trees]
    assert [whole.first, whole.second] == [report["accuracy"] for report in reports]
    assert [nodes.first, nodes.second] == pytest.approx([report["nodes"]["accuracy"] for report in reports])
    items = read(tmp_path / "s1.jsonl")
    gold = np.zeros((5, 5), int)
    for item in items:
        gold[int(item["gold"]), int(item["predicted"])] += 1
        assert item["nodes"]["predicted"][-1] == item["predicted"] and item["nodes"]["gold"][-1] == item["gold"]
    assert gold.tolist() == reports[0]["confusion"]


def test_trees_that_are_not_judged_are_left_out() -> None:
    item = {"gold": None, "predicted": "1", "nodes": {"gold": ["1", None], "predicted": ["1", "1"]}}
    judged = {"gold": "1", "predicted": "0", "nodes": {"gold": [None, "1"], "predicted": ["1", "0"]}}
    whole, nodes = compare_trees([item, judged], [item, judged])
    assert whole.sums[0].tolist() == [[0, 1]] and nodes.sums[0].tolist() == [[1, 1], [0, 1]]


def test_a_difference_that_only_single_tokens_show_is_not_called_one() -> None:
    """All of it stands in one sentence of 40: McNemar's test takes its tokens to be independent."""
    gold = ["A"] * 40
    first = [{"gold": gold, "predicted": ["B"] * 40}, *[{"gold": ["A"], "predicted": ["A"]}] * 30]
    second = [{"gold": gold, "predicted": gold}, *[{"gold": ["A"], "predicted": ["A"]}] * 30]
    found = compare_figure(compare_tagged(first, second)[0], CompareOptions(**FEW))
    assert found.p < 0.001 and found.better is None
    assert "whole sentences vary so much" in found.verdict(("x", "y"))


LINE = {"task": "tagging", "tokens": ["a"], "gold": ["X"], "predicted": ["X"]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "no items in it"),
        ("{}\n", ":1: not a line that `nntag eval --output FILE.jsonl` writes: the line must have 'task'"),
        ('{"task": "sums"}\n', ":1: .*no task called 'sums'"),
        ("word\tX\tY\n", ":1: not a line"),
        (json.dumps(LINE | {"predicted": []}) + "\n", ":1: .*tokens and predicted must have the same length"),
        (json.dumps(LINE) + '\n{"task": "lm", "tokens": ["a"], "log_probabilities": [-1]}\n', ":2: .*the task was"),
        ('{"task": "lm", "question": 1, "nats": [1], "choice": "a", "answer": null}\n', ":1: .*a list of 5"),
    ],
)
def test_files_of_another_kind_are_refused(text: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(DataError, match=f"x.jsonl.*{reason}" if text else reason):
        compare(CompareOptions((path, path)))


def write(path: Path, *items: dict) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return path


def test_items_of_other_data_are_refused(tmp_path: Path, taggers: tuple[Path, Path]) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    write(one, LINE)
    for change, reason in (
        ({"tokens": ["b"]}, r"differ in item 1 \(tokens: 'a' and 'b'\)"),
        ({"gold": ["Y"]}, r"differ in item 1 \(gold: 'X' and 'Y'\)"),
        ({"task": "lm", "log_probabilities": [-1.0]}, "is for tagging and .* for lm"),
    ):
        write(other, LINE | change)
        with pytest.raises(NntagError, match=reason):
            compare(CompareOptions((one, other)))
    with pytest.raises(UsageError, match="has 1 items and .* 12, so they are not of the same data"):
        compare(CompareOptions((one, taggers[0])))
    with pytest.raises(UsageError, match="compare takes two runs"):
        compare(CompareOptions((one,)))
    sentence = {"task": "lm", "tokens": ["</s>"], "log_probabilities": [None]}
    write(one, sentence)
    with pytest.raises(UsageError, match="probability 0"):
        compare(CompareOptions((one, one)))
    write(other, sentence | {"pseudo": True})
    with pytest.raises(UsageError, match=r"differ in item 1 \(pseudo: None and True\)"):
        compare(CompareOptions((one, other)))


def test_command_line(taggers: tuple[Path, Path], tmp_path: Path) -> None:
    shown = run_nntag("compare", *taggers, "--resamples", 100)
    assert shown.code == 0 and "McNemar's test, " in shown.out and "100 resamples, seed 1" in shown.out, shown.err
    found = json.loads(run_nntag("compare", *taggers, "--resamples", 100, "--split", "dev", "--json").out)
    assert found["systems"] == [str(run) for run in taggers] and found["data"].endswith("data dev")
    assert found["figures"][0]["mcnemar"]["test"] in ("exact binomial", "chi-squared with continuity correction")
    assert found["figures"][0]["better"] == str(taggers[0])
    assert "compare takes two runs" in fails("compare", taggers[0])
    assert "cannot write --output" in fails("eval", "--model", taggers[0], "--output", tmp_path / "gone" / "x.jsonl")
