"""Several runs as one: the mean of their probabilities in every task and command, against means taken by hand."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

import nntag
from nntag.commands.comparison.compare import compare
from nntag.commands.evaluate import evaluate
from nntag.commands.train import train
from nntag.config.options.compare import CompareOptions
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import CompleteOptions, EvaluateOptions
from nntag.errors import RunError, UsageError
from nntag.language_models.completion.complete import complete
from nntag.language_models.completion.questions import tokenize_question
from nntag.language_models.preprocessing.sherlock import preprocess_sherlock
from nntag.sample import write_sample
from nntag.tagging.tag import Tagger
from nntag.tagging.text_files import read_columns_file
from nntag.training.ensemble import check_weights, mean_log_probabilities
from tests.command_line import fails, run_nntag
from tests.opening import open_corpus
from tests.tagging.tiny_run import make_tiny_run
from tests.tiny_data import make_tiny_data

SENTENCES = [["the", "owl", "sees", "Zoe"], ["it", "ends", "now"], []]
WEIGHTS = (0.3, 0.7)


def test_the_mean_of_probabilities() -> None:
    first, second = np.log([[0.5, 0.5], [0.1, 0.9]]), np.log([[0.9, 0.1], [0.3, 0.7]])
    found = np.exp(mean_log_probabilities([first, second], WEIGHTS))
    np.testing.assert_allclose(found, [[0.15 + 0.63, 0.15 + 0.07], [0.03 + 0.21, 0.27 + 0.49]], rtol=1e-6)
    tiny = np.array([[-2000.0, -np.inf]])  # whose probability is no float
    np.testing.assert_array_equal(mean_log_probabilities([tiny, tiny], (0.5, 0.5)), tiny.astype(np.float32))


@pytest.mark.parametrize("weights", [(1.0,), (1.0, 2.0, 3.0)])
def test_one_weight_for_each_run(weights: tuple[float, ...]) -> None:
    with pytest.raises(UsageError, match=f"--weight must be given once for each --model: {len(weights)} weights for 2"):
        check_weights(weights, 2)


@pytest.mark.parametrize("weights", [(0.0, 0.0), (-1.0, 2.0), (math.nan, 1.0), (math.inf, 1.0)])
def test_weights_must_be_able_to_weigh(weights: tuple[float, ...]) -> None:
    with pytest.raises(UsageError, match="every --weight must be finite and at least 0, and one above 0"):
        check_weights(weights, 2)


@pytest.fixture(scope="module")
def taggers(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("taggers")
    return make_tiny_run(folder, "one", epochs=2), make_tiny_run(folder, "two", epochs=3, **{"train.seed": 2})


def probabilities(tagger: Tagger) -> list[list[dict[str, float]]]:
    return [[dict(word) for word in words] for words in tagger.score_all(SENTENCES, 1e-30)]


def test_taggers(taggers: tuple[Path, Path]) -> None:
    each = [probabilities(nntag.load(run)) for run in taggers]
    both = nntag.load(list(taggers), weights=(3, 7))
    found = probabilities(both)
    for sentence, own in zip(found, zip(*each, strict=True), strict=True):
        for word, (first, second) in zip(sentence, zip(*own, strict=True), strict=True):
            mean = {tag: 0.3 * first[tag] + 0.7 * second[tag] for tag in both.tags}
            assert word == pytest.approx(mean, rel=1e-5)
    assert both.tag_all(SENTENCES) == [[max(word, key=word.get) for word in words] for words in found]
    assert probabilities(nntag.load([*taggers, *taggers])) == probabilities(nntag.load(list(taggers)))


def test_a_tagger_twice_is_that_tagger(taggers: tuple[Path, Path]) -> None:
    assert probabilities(nntag.load([taggers[0]] * 2)) == probabilities(nntag.load(taggers[0]))
    assert evaluate(EvaluateOptions((taggers[0],) * 2)).report == evaluate(EvaluateOptions(taggers[0])).report
    assert evaluate(EvaluateOptions(taggers, weights=(1, 0))).report == evaluate(EvaluateOptions(taggers[0])).report


def test_eval_and_tag_mean_the_same(taggers: tuple[Path, Path]) -> None:
    models = [
        part for run, weight in zip(taggers, (3, 7), strict=True) for part in ("--model", run, "--weight", weight)
    ]
    both = nntag.load(list(taggers), weights=WEIGHTS)
    text = read_columns_file(taggers[0].parent / "data" / "test.tsv")
    tags = both.tag_all(text.tokens)
    right = [g == t for gold, row in zip(text.tags, tags, strict=True) for g, t in zip(gold, row, strict=True)]
    report = json.loads(run_nntag("eval", *models, "--json").out)
    assert report["accuracy"] == sum(right) / len(right) and len(report["runs"]) == 2
    lines = "".join(" ".join(tokens) + "\n" for tokens in text.tokens)
    tagged = run_nntag("tag", *models, stdin=lines.encode()).out.split()
    assert [word.split("|")[1] for word in tagged] == [tag for row in tags for tag in row]


def test_several_columns(tmp_path: Path) -> None:
    columns = ("UPOS", "XPOS")
    runs = [make_tiny_run(tmp_path, f"s{n}", columns, epochs=2, **{"train.seed": n}) for n in (1, 2)]
    reports = [evaluate(EvaluateOptions(run)).report["columns"] for run in runs]
    twice = evaluate(EvaluateOptions((runs[0], runs[0]))).report["columns"]
    assert twice == reports[0]
    assert evaluate(EvaluateOptions(tuple(runs), weights=(0, 1))).report["columns"] == reports[1]
    items, picture = tmp_path / "x.jsonl", tmp_path / "x.png"
    evaluate(EvaluateOptions(tuple(runs), output=items, plots=picture))
    assert {path.name for path in tmp_path.glob("x*")} == {"x.jsonl", "x-UPOS.png", "x-XPOS.png"}
    figures = compare(CompareOptions((runs[0], items), resamples=50)).figures
    assert [f.figure.name for f in figures][::2] == ["UPOS accuracy", "XPOS accuracy"]
    assert [f.first for f in figures][::2] == [reports[0][column]["accuracy"] for column in columns]


def test_runs_that_do_not_fit_together_are_named(taggers: tuple[Path, Path], tmp_path: Path) -> None:
    other = train(TrainOptions("skip-none", make_tiny_data("tagging", tmp_path).path, tmp_path / "other", epochs=1)).run
    with pytest.raises(UsageError, match=r"do not have the same tags.*: only .*one has DT, .*; only .*other has ADJ, "):
        nntag.load([taggers[0], other])
    sentiment = make_tiny_data("sentiment", tmp_path).path
    small = {"hidden": 4, "train.epochs": 1}
    tree = train(TrainOptions("tree-rnn", sentiment, tmp_path / "tree", settings=small)).run
    with pytest.raises(RunError, match="a run for sentiment, but this command needs one for tagging"):
        nntag.load([taggers[0], tree])
    assert "--weight must be given once for each --model: 1 weights for 2" in fails(
        "eval", "--model", taggers[0], "--model", taggers[1], "--weight", 1
    )


def test_trees(tmp_path: Path) -> None:
    data = make_tiny_data("sentiment", tmp_path).path
    small = {"hidden": 4, "train.epochs": 1}
    runs = [train(TrainOptions("tree-rnn", data, tmp_path / f"s{n}", seed=n, settings=small)).run for n in (1, 2)]
    each, both = [nntag.load(run) for run in runs], nntag.load(runs, weights=WEIGHTS)
    trees = both.read("(2 (2 not) (2 (2 very) (2 good)))\n(2 film)")
    scored = [[np.exp(tree.log_probabilities) for tree in model.score(trees)] for model in each]
    for found, first, second in zip(both.score(trees), *scored, strict=True):
        np.testing.assert_allclose(np.exp(found.log_probabilities), 0.3 * first + 0.7 * second, rtol=1e-5)
    alone = evaluate(EvaluateOptions(runs[0])).report
    assert evaluate(EvaluateOptions((runs[0], runs[0]))).report == alone
    assert evaluate(EvaluateOptions(tuple(runs))).report["loss_nats"] < max(
        alone["loss_nats"], evaluate(EvaluateOptions(runs[1])).report["loss_nats"]
    )


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the runs n1, n3 and back, and questions."""
    folder = tmp_path_factory.mktemp("models")
    sample = write_sample("sherlock", folder / "sample", 600)
    data = preprocess_sherlock(open_corpus("sherlock", {"train": [sample["train"]]}), folder / "data").data.path
    for name, settings in (("n1", {"order": 1}), ("n3", {"order": 3}), ("back", {"order": 3, "backward": True})):
        train(TrainOptions("ngram", data, folder / name, settings=settings))
    return folder


def test_language_models(models: Path) -> None:
    runs = [models / "n1", models / "n3"]
    words = ["the", "lamp", "was", "out"]
    each = [[math.exp(log) for _, log in nntag.load(run).score_words(words)] for run in runs]
    both = nntag.load(runs, weights=WEIGHTS)
    found = [math.exp(log) for _, log in both.score_words(words)]
    assert found == pytest.approx([0.3 * first + 0.7 * second for first, second in zip(*each, strict=True)])
    text, flags = (" ".join(words) + "\n").encode(), ("--model", runs[0], "--weight", 3, "--model", runs[1])
    scored = json.loads(run_nntag("score", *flags, "--weight", 7, "--json", stdin=text).out)
    assert scored["log_probability"] == pytest.approx(sum(map(math.log, found)), abs=1e-5)
    report = evaluate(EvaluateOptions(tuple(runs), weights=WEIGHTS, split="dev")).report
    assert [part["weight"] for part in report["mixture"]] == pytest.approx(WEIGHTS) and not report["weights_fitted"]
    stream = both.open_split(both.runs[0].open_data(), "dev")
    nats = [nntag.load(run).score(stream) for run in runs]
    mixed = -np.log(0.3 * np.exp(-nats[0]) + 0.7 * np.exp(-nats[1]))
    assert report["perplexity"] == pytest.approx(math.exp(mixed.mean()))


def test_questions_are_answered_by_the_mean_of_words_or_by_the_sum_of_sentences(models: Path) -> None:
    runs = [models / "n1", models / "n3"]
    files = models / "sample"
    questions = next(path for path in files.rglob("*") if "question" in path.name and path.suffix != ".csv")
    found = complete(CompleteOptions(questions, models=runs, weights=[3, 7]))
    assert found.report["combined"] == "words"
    each = [nntag.load(run) for run in runs]
    question = tokenize_question(found.questions[0])
    for option, nats in enumerate(found.nats[0]):
        sentence = question.sentence(option)
        pairs = zip(*(model.score_words(sentence) for model in each), strict=True)
        expected = -sum(math.log(0.3 * math.exp(one) + 0.7 * math.exp(other)) for (_, one), (_, other) in pairs)
        unknown = sum(word.lower() not in each[0].vocabulary for word in sentence)
        assert nats == pytest.approx(expected + unknown * math.log(len(each[0].vocabulary)))

    alone = [complete(CompleteOptions(questions, models=[run])).nats for run in runs]
    added = complete(CompleteOptions(questions, models=runs, weights=[3, 7], combine="sentences"))
    np.testing.assert_allclose(added.nats, 3 * alone[0] + 7 * alone[1])
    twice = complete(CompleteOptions(questions, models=[runs[1]] * 2))
    np.testing.assert_allclose(twice.nats, alone[1])

    sides = [models / "n3", models / "back"]
    assert complete(CompleteOptions(questions, models=sides)).report["combined"] == "sentences"
    with pytest.raises(UsageError, match="different sides"):
        complete(CompleteOptions(questions, models=sides, combine="words"))
    with pytest.raises(UsageError, match="unknown --combine 'word'; did you mean 'words'"):
        complete(CompleteOptions(questions, models=sides, combine="word"))
