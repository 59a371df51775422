"""Sentence completion end to end: novels and questions -> data folder -> runs -> choices and accuracies."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from nntag.cli.app import build_app
from nntag.commands.evaluate import evaluate
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import CompleteOptions, EvaluateOptions
from nntag.corpora.faults import SkippedItems
from nntag.corpora.lines import open_lines
from nntag.corpora.sherlock import read_sherlock
from nntag.encoding.data_folder import open_data_folder
from nntag.errors import DataError, UsageError
from nntag.json_files import read_json
from nntag.language_models.completion.compare import compare_runs, format_comparison
from nntag.language_models.completion.complete import complete
from nntag.language_models.completion.questions import ClozeQuestion, tokenize_question
from nntag.language_models.preprocessing import sherlock as preprocess_module
from nntag.language_models.preprocessing.sherlock import preprocess_sherlock
from nntag.language_models.report import format_perplexity_report
from nntag.language_models.stream_writer import StreamWriter
from nntag.language_models.streams import open_stream
from nntag.sample import write_sample
from tests.opening import open_corpus

TINY = {"train.epochs": 1, "train.batch_size": 16, "hidden": 8}


@pytest.fixture(scope="module")
def sample(tmp_path_factory) -> dict[str, Path]:
    return write_sample("sherlock", tmp_path_factory.mktemp("novels"), 900)


@pytest.fixture(scope="module")
def data(sample, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("data") / "sherlock"
    preprocess_sherlock(open_corpus("sherlock", {name: [path] for name, path in sample.items()}), out)
    return out


@pytest.fixture(scope="module")
def runs(data) -> dict[str, Path]:
    paths = {name: data.parent / name for name in ("ngram", "ngram-backward", "lstm")}
    train(TrainOptions("ngram", data, paths["ngram"]))
    train(TrainOptions("ngram", data, paths["ngram-backward"], settings={"backward": True}))
    train(TrainOptions("lstm-lm", data, paths["lstm"], settings=TINY))
    return paths


def test_the_data_folder(sample, data):
    folder = open_data_folder(data, "lm")
    train_split, dev = open_stream(data, "train"), open_stream(data, "dev")
    sentences = len(train_split) + len(dev)
    assert len(dev) == round(0.01 * sentences) == folder.meta["splits"]["dev"]["sentences"]
    assert folder.meta["lowercase"] and folder.meta["questions"] == len(read_json(data / "questions.json"))
    words = read_json(data / "vocab.json")["words"]
    assert words == [word.lower() for word in words] and not {'"', "gutenberg", "chapter"} & set(words)
    counts = read_json(data / "vocab.json")["counts"]
    assert min(counts) >= 2 and counts == sorted(counts, reverse=True)
    assert (np.bincount(train_split.ids, minlength=len(words) + 2)[2:] == counts).all()


def test_the_folder_depends_on_seed_and_sources_alone(sample, data, tmp_path):
    sources = {name: [path] for name, path in sample.items()}
    preprocess_sherlock(open_corpus("sherlock", sources), tmp_path / "again")
    for file in data.iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()
    preprocess_sherlock(open_corpus("sherlock", sources, seed=2), tmp_path / "other")
    assert (tmp_path / "other" / "dev.ids.npy").read_bytes() != (data / "dev.ids.npy").read_bytes()


def test_a_small_sample_of_many_sentences_is_dev(sample, tmp_path, monkeypatch):
    monkeypatch.setattr(preprocess_module, "DEV_SENTENCES", 7)
    preprocess_sherlock(
        open_corpus("sherlock", {"train": [sample["train"]]}, min_count=1, vocab_size=50),
        tmp_path / "few",
    )
    monkeypatch.setattr(preprocess_module, "DEV_SENTENCES", 100_000)
    preprocess_sherlock(
        open_corpus("sherlock", {"train": [sample["train"]]}, min_count=1, vocab_size=50),
        tmp_path / "all",
    )
    few, every = (open_data_folder(tmp_path / name).meta["splits"] for name in ("few", "all"))
    sentences = every["train"]["sentences"] + every["dev"]["sentences"]
    assert few["dev"]["sentences"] == 7 and every["dev"]["sentences"] == round(0.01 * sentences)
    assert sum(split["tokens"] for split in few.values()) == sum(split["tokens"] for split in every.values())
    assert open_data_folder(tmp_path / "few").meta["vocabulary"] == 50


def test_both_forms_of_the_questions_give_the_same_choices(sample, runs, tmp_path):
    machine = complete(
        CompleteOptions(sample["questions"], sample["answers"], models=[runs["ngram"]], output=tmp_path / "answers.txt")
    )
    table = complete(
        CompleteOptions(
            sample["csv_questions"], sample["csv_answers"], models=[runs["ngram"]], output=tmp_path / "answers.csv"
        )
    )
    assert machine.choices == table.choices and machine.report == table.report
    np.testing.assert_array_equal(machine.nats, table.nats)
    assert machine.report["accuracy"] > 0.3  # five candidates: chance is 0.2
    for questions in (sample["questions"], sample["csv_questions"]):
        for written in ("answers.txt", "answers.csv"):
            read = read_sherlock(open_lines(questions), open_lines(tmp_path / written))
            assert [question.answer for question in read] == machine.choices


def test_runs_are_added_with_their_weights(sample, runs):
    each = [complete(CompleteOptions(sample["questions"], models=[run])) for run in runs.values()]
    assert "accuracy" not in each[0].report
    weights = [1.0, 0.5, 2.0]
    together = complete(
        CompleteOptions(sample["questions"], sample["answers"], models=list(runs.values()), weights=weights)
    )
    np.testing.assert_allclose(together.nats, sum(w * one.nats for w, one in zip(weights, each, strict=True)))
    assert [part["backward"] for part in together.report["runs"]] == [False, True, False]
    with pytest.raises(UsageError, match="--weight"):
        complete(CompleteOptions(sample["questions"], models=[runs["ngram"]], weights=[1.0, 2.0]))


def test_backward_runs_see_the_right_side_first(runs, data):
    forward, backward = (evaluate(EvaluateOptions(runs[name], data)).report for name in ("ngram", "ngram-backward"))
    assert forward["tokens"] == backward["tokens"] and forward["perplexity"] != backward["perplexity"]
    assert backward["perplexity"] == pytest.approx(forward["perplexity"], rel=0.2)  # both are good models of the text


def test_eval_reports_completion_too(sample, runs, data):
    report = evaluate(EvaluateOptions(runs["lstm"], data)).report
    alone = complete(CompleteOptions(sample["questions"], sample["answers"], models=[runs["lstm"]])).report
    assert report["completion"]["accuracy"] == alone["accuracy"] and report["perplexity"] > 1


def test_models_of_different_directions_are_not_mixed_word_by_word(runs, data):
    with pytest.raises(UsageError, match="different sides"):
        evaluate(EvaluateOptions(runs["ngram"], data, mix_with=(runs["ngram-backward"],)))


def test_a_model_that_sees_both_sides(sample, data, tmp_path):
    train(TrainOptions("rm-bidirectional", data, tmp_path / "run", settings={**TINY, **{"memory": 3}}))
    report = evaluate(EvaluateOptions(tmp_path / "run", data)).report
    assert report["pseudo"] and "pseudo-perplexities" in format_perplexity_report(report)
    assert report["completion"]["questions"] == len(read_json(data / "questions.json"))


@pytest.mark.parametrize("weight", [float("nan"), float("inf"), 0.0, -1.0])
def test_weights_must_be_numbers_that_can_weigh(sample, runs, weight):
    with pytest.raises(UsageError, match="--weight must be"):
        complete(CompleteOptions(sample["csv_questions"], models=[runs["ngram"]], weights=[weight]))


def test_a_question_with_a_candidate_that_is_no_word_is_left_out(sample, runs, tmp_path):
    path = tmp_path / "questions.csv"
    path.write_text("id,question,a),b),c),d),e)\n1,a _____ .,b,c,'',d,e\n2,a _____ .,b,c,f,d,e\n")
    with pytest.raises(DataError, match="questions.csv:2: .*is not a word"):
        complete(CompleteOptions(path, models=[runs["ngram"]]))
    skipped = SkippedItems()
    assert [q.number for q in complete(CompleteOptions(path, models=[runs["ngram"]]), on_bad=skipped).questions] == [2]
    sources = {"train": [sample["train"]], "questions": [path]}
    found = preprocess_sherlock(open_corpus("sherlock", sources, skip_bad=True), tmp_path / "data")
    assert found.data.meta["questions"] == 1 and found.data.meta["left_out"] == skipped.count == 1


def test_a_folder_of_novels_may_be_compressed(tmp_path):
    (tmp_path / "novels" / "notes.txt").mkdir(parents=True)
    with gzip.open(tmp_path / "novels" / "A.TXT.gz", "wb") as file:
        file.write(b"The lamp was lit and the door was shut.\n\nThe lamp was out and the door was open.\n")
    found = preprocess_sherlock(open_corpus("sherlock", {"train": [tmp_path / "novels"]}), tmp_path / "data")
    assert [novel["file"] for novel in found.data.meta["sources"]["novels"]] == ["A.TXT.gz"]


def test_novels_have_no_dev_and_test_files(sample, tmp_path):
    for split in ("dev", "test"):
        with pytest.raises(UsageError, match="takes neither --dev"):
            preprocess_sherlock(
                open_corpus("sherlock", {"train": [sample["train"]], split: [sample["train"]]}),
                tmp_path / "data",
            )


def test_no_questions(runs, tmp_path):
    (tmp_path / "none.txt").write_text("\n")
    with pytest.raises(DataError, match="no questions"):
        complete(CompleteOptions(tmp_path / "none.txt", models=[runs["ngram"]]))
    with pytest.raises(DataError, match="no such file"):
        preprocess_sherlock(open_corpus("sherlock", {"novels": [tmp_path / "nowhere"]}), tmp_path / "data")
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="no novels"):
        preprocess_sherlock(open_corpus("sherlock", {"novels": [tmp_path / "empty"]}), tmp_path / "data")
    (tmp_path / "novel.txt").write_text("* * *\n\nCHAPTER I\n")
    with pytest.raises(DataError, match="at least two sentences"):
        preprocess_sherlock(open_corpus("sherlock", {"novels": [tmp_path / "novel.txt"]}), tmp_path / "data")
    assert not (tmp_path / "data").exists()


def test_command_line(sample, runs):
    command = ["complete", str(sample["csv_questions"]), "--model", str(runs["ngram"])]
    shown = CliRunner().invoke(build_app(), [*command, "--answers", str(sample["csv_answers"])])
    assert shown.exit_code == 0 and "completion accuracy" in shown.stdout and "\tright" in shown.stdout
    found = json.loads(CliRunner().invoke(build_app(), [*command, "--json"]).stdout)
    assert set(found) == {"runs", "report", "questions"} and len(found["questions"][0]["nats"]) == 5


@pytest.mark.corpus
def test_the_challenge_questions_have_the_same_tokens_in_both_forms(shared_data):
    folder = shared_data / "msr"
    forms = (
        ("testing_data.csv", "test_answer.csv"),
        ("derived/Holmes.machine_format.questions.txt", "derived/Holmes.machine_format.answers.txt"),
    )
    table, machine = (
        [tokenize_question(q) for q in read_sherlock(open_lines(folder / questions), open_lines(folder / answers))]
        for questions, answers in forms
    )
    assert table == machine and len(table) == 1040


def test_runs_are_compared_question_by_question(runs, sample):
    pair = [runs["ngram"], runs["lstm"]]
    compared = compare_runs(CompleteOptions(sample["questions"], sample["answers"], models=pair, compare=True))
    alone = [complete(CompleteOptions(sample["questions"], sample["answers"], models=[run])) for run in pair]
    assert compared.choices == [completion.choices for completion in alone]
    assert compared.accuracies == [completion.report["accuracy"] for completion in alone]
    assert compared.names == ["ngram", "lstm"]
    right = [[row["right"] for row in completion.rows()] for completion in alone]
    both = list(zip(*right, strict=True))
    counts = {"ngram+lstm": (True, True), "ngram": (True, False), "lstm": (False, True), "none": (False, False)}
    assert compared.count_right() == {name: both.count(pattern) for name, pattern in counts.items() if pattern in both}
    first, question = compared.rows()[0], compared.questions[0]
    assert first["options"][first["answer"]] == question.options[question.answer] and "____" in first["text"]
    assert f"[{question.options[question.answer]}]" in format_comparison(compared)
    without = compare_runs(CompleteOptions(sample["questions"], models=pair, compare=True))
    assert without.count_right() == {} and "exactly" not in format_comparison(without)
    for wrong, words in (({"models": pair[:1]}, "twice"), ({"models": pair, "weights": [1, 2]}, "--weight")):
        with pytest.raises(UsageError, match=words):
            compare_runs(CompleteOptions(sample["questions"], compare=True, **wrong))


def test_comparisons_are_printed_as_text_and_json(runs, sample):
    command = ["complete", str(sample["csv_questions"]), "--answers", str(sample["csv_answers"]), "--compare"]
    command += ["--model", str(runs["ngram"]), "--model", str(runs["ngram-backward"])]
    shown = CliRunner().invoke(build_app(), command)
    assert shown.exit_code == 0 and "Answered right by exactly" in shown.stdout and "ngram-backward: " in shown.stdout
    table = json.loads(CliRunner().invoke(build_app(), [*command, "--json"]).stdout)
    assert set(table) == {"runs", "right", "questions"} and sum(table["right"].values()) == len(table["questions"])


def test_questions_whose_sentence_is_in_the_text_are_counted(data, tmp_path):
    assert open_data_folder(data).meta["questions_in_train"] == 0
    questions = [ClozeQuestion.from_json(question) for question in read_json(data / "questions.json")]
    with StreamWriter(tmp_path, "train") as train:
        train.add(("the", *questions[0].sentence(1)))  # part of a longer sentence
        assert preprocess_module.count_in_train(questions, train) == 0
        for number, option in ((2, 3), (2, 4), (5, 0)):
            train.add([token.lower() for token in questions[number].sentence(option)])  # as novels are
        assert any(token != token.lower() for number in (2, 5) for token in questions[number].sentence(0))
        assert preprocess_module.count_in_train(questions, train) == 2
        assert preprocess_module.count_in_train([], train) == 0
