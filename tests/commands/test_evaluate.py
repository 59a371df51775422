"""Evaluating taggers: which data is taken, that figures are those of the predictions, what is written and refused."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from nntag.cli.flags import split_numbers
from nntag.commands.evaluate import evaluate
from nntag.config.options.use import EvaluateOptions
from nntag.errors import DataError, NntagError, RunError, UsageError
from nntag.tagging import evaluate as tagger_module
from nntag.tagging.tag import load_tagger
from nntag.tagging.text_files import read_columns_file
from nntag.training.runs import load_run, newest_run
from tests.tagging.tagging_files import learnable, write_corpus
from tests.tagging.tiny_run import make_tiny_run

UNSEEN = [(("the", "owl", "ends"), ("DT", "NN", "VB")), (("Zoe", "sees", "now"), ("NP", "ZZ", "RB"))]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluate")
    make_tiny_run(folder, "runs/tiny")
    return folder


@pytest.fixture(scope="module")
def run(home: Path) -> Path:
    return home / "runs" / "tiny"


def test_the_figures_are_those_of_the_predictions(home: Path, run: Path) -> None:
    text = read_columns_file(home / "data" / "test.tsv")
    predicted = load_tagger(run).tag_all(text.tokens)
    pairs = [pair for gold, tags in zip(text.tags, predicted, strict=True) for pair in zip(gold, tags, strict=True)]
    found = evaluate(EvaluateOptions(run))
    assert found.source == f"{home / 'data'} test" and found.run == run / "best" / "model.safetensors"
    assert found.report["accuracy"] == sum(gold == tag for gold, tag in pairs) / len(pairs)
    assert found.report["tokens"] == len(pairs) == 36
    assert found.words_per_second == pytest.approx(36 / found.seconds)


def test_splits(home: Path, run: Path, tmp_path: Path) -> None:
    assert evaluate(EvaluateOptions(run, split="dev")).report["accuracy"] == load_run(run).state["dev_accuracy"]
    assert evaluate(EvaluateOptions(run, split="train")).report["unseen_words"]["tokens"] == 0
    with pytest.raises(UsageError, match=r"has no split 'tests' \(it has: train, dev, test\)"):
        evaluate(EvaluateOptions(run, split="tests"))
    without_test = tmp_path / "data"
    shutil.copytree(home / "data", without_test)
    meta = (without_test / "meta.json").read_text().replace('"test"', '"other"')
    (without_test / "meta.json").write_text(meta)
    (without_test / "manifest.json").unlink()  # else the edited file would be noticed
    assert evaluate(EvaluateOptions(run, without_test)).source.endswith(" dev")


@pytest.mark.parametrize("format", ["conllu", "columns", "piped", "ptb", "ccgbank"])
def test_a_corpus_file_in_any_format(run: Path, tmp_path: Path, format: str) -> None:
    sentences = [
        (tokens, tuple({"NP": "PRP", "VB": "VBD", "RB": "JJ"}.get(tag, tag) for tag in tags))
        for tokens, tags in UNSEEN[:1]
    ]
    file = write_corpus(tmp_path / "some file", sentences, format)
    report = evaluate(
        EvaluateOptions(run, file, format=format, column=None if format in ("conllu", "columns", "ptb") else "pos")
    ).report
    assert report["tokens"] == 3 and report["unseen_words"]["tokens"] == 1
    with pytest.raises(UsageError, match="the file's name does not show its format"):
        evaluate(EvaluateOptions(run, file))


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"split": "dev"}, r"--split dev: .*x.conllu is a corpus file, which has no splits"),
        ({"mix_with": ["other"]}, "a run for tagging, but this command needs one for lm"),
    ],
)
def test_flags_without_a_use(run: Path, tmp_path: Path, options: dict[str, Any], reason: str) -> None:
    file = write_corpus(tmp_path / "x.conllu", UNSEEN, "conllu")
    with pytest.raises(NntagError, match=reason):
        evaluate(EvaluateOptions(run, file, **options))


def test_a_tag_that_training_never_saw_counts_as_wrong(run: Path, tmp_path: Path) -> None:
    report = evaluate(EvaluateOptions(run, write_corpus(tmp_path / "x.conllu", UNSEEN, "conllu"))).report
    assert report["by_training_frequency"]["unseen"] == {"accuracy": 0.0, "tokens": 1}
    assert report["per_tag"]["ZZ"]["recall"] == 0.0 and report["accuracy"] <= 5 / 6


def test_the_column_of_the_run_is_that_of_the_file(tmp_path: Path) -> None:
    run = make_tiny_run(tmp_path, column="XPOS")
    file = write_corpus(tmp_path / "x.conllu", learnable(12, 102), "conllu")
    assert (
        evaluate(EvaluateOptions(run, file)).report["accuracy"]
        == evaluate(EvaluateOptions(run)).report["accuracy"]
        > 0.5
    )
    with pytest.raises(DataError, match="none of its tags .* is known to the model"):  # whose accuracy would be 0
        evaluate(EvaluateOptions(run, file, column="UPOS"))


def test_blocks_change_nothing(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = evaluate(EvaluateOptions(run, betas=(0.1, 0.001))).report
    monkeypatch.setattr(tagger_module, "BLOCK", 5)
    assert evaluate(EvaluateOptions(run, betas=(0.1, 0.001))).report == whole
    assert {name: value for name, value in whole.items() if name != "multitagging"} == evaluate(
        EvaluateOptions(run)
    ).report


def test_betas(home: Path, run: Path) -> None:
    report = evaluate(EvaluateOptions(run, betas=(1e-12, 1.0, 0.01))).report
    rows = report["multitagging"]
    assert [row["beta"] for row in rows] == [1.0, 0.01, 1e-12]
    assert rows[0]["word_accuracy"] == report["accuracy"] and rows[0]["tags_per_word"] == 1.0
    assert rows[0]["sentence_accuracy"] == report["sentence_accuracy"]
    text, tagger = read_columns_file(home / "data" / "test.tsv"), load_tagger(run)
    offered = [[[tag for tag, _ in word] for word in tagger.likely_tags(tokens, 0.01)] for tokens in text.tokens]
    assert rows[1]["tags_per_word"] == sum(len(tags) for words in offered for tags in words) / 36
    hits = [
        [g in tags for g, tags in zip(gold, words, strict=True)] for gold, words in zip(text.tags, offered, strict=True)
    ]
    assert rows[1]["word_accuracy"] == sum(map(sum, hits)) / 36
    assert rows[1]["sentence_accuracy"] == sum(map(all, hits)) / 12
    assert rows[2]["tags_per_word"] == 5 and rows[2]["word_accuracy"] == 1.0


def test_parsing_betas() -> None:
    assert split_numbers("--beta", None) == split_numbers("--beta", "") == ()
    assert split_numbers("--beta", "0.1, 1e-2") == (0.1, 0.01)
    for text in ("0.1,", "a", ",", "0.1;0.2"):
        with pytest.raises(UsageError, match="--beta must be numbers separated by commas"):
            split_numbers("--beta", text)


@pytest.mark.parametrize("bad", [0.0, -0.1, 1.1, float("nan")])
def test_betas_out_of_range_are_named(run: Path, bad: float) -> None:
    with pytest.raises(UsageError, match=f"--beta must be above 0 and at most 1, found {bad}"):
        evaluate(EvaluateOptions(run, betas=(0.1, bad)))


def test_gold_beside_predicted_tags(run: Path, tmp_path: Path) -> None:
    file = write_corpus(tmp_path / "x.conllu", UNSEEN, "conllu")
    evaluate(EvaluateOptions(run, file, output=tmp_path / "out.tsv"))
    predicted = load_tagger(run).tag_all([tokens for tokens, _ in UNSEEN])
    expected = "".join(
        "".join(f"{token}\t{gold}\t{tag}\n" for token, gold, tag in zip(*sentence, tags, strict=True)) + "\n"
        for sentence, tags in zip(UNSEEN, predicted, strict=True)
    )
    assert (tmp_path / "out.tsv").read_text() == expected
    for place in (tmp_path, tmp_path / "gone" / "out.tsv", Path("/dev/full")):
        with pytest.raises(UsageError, match="cannot write --output"):
            evaluate(EvaluateOptions(run, file, output=place))


def test_what_cannot_be_evaluated_on(run: Path, tmp_path: Path) -> None:
    empty = tmp_path / "empty.conllu"
    empty.write_text("\n# nothing\n\n")
    with pytest.raises(DataError, match="empty.conllu: no sentences to evaluate on"):
        evaluate(EvaluateOptions(run, empty))
    with pytest.raises(RunError, match="gone.conllu: not a data folder"):
        evaluate(EvaluateOptions(run, tmp_path / "gone.conllu"))
    with pytest.raises(RunError, match="not a data folder"):
        evaluate(EvaluateOptions(run, tmp_path))
    with pytest.raises(UsageError, match="unknown tagging format 'texts'"):
        evaluate(EvaluateOptions(run, empty, format="texts"))


def test_a_run_whose_data_has_gone(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home / "data", tmp_path / "data")
    make_tiny_run(tmp_path, epochs=1)
    shutil.rmtree(tmp_path / "data")
    with pytest.raises(RunError, match="the data folder of this run is no longer there; name one with --data"):
        evaluate(EvaluateOptions(tmp_path / "run"))
    assert evaluate(EvaluateOptions(tmp_path / "run", home / "data")).report["tokens"] == 36


def test_the_newest_run_is_taken(home: Path, run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(
        RunError, match="runs: no run for tagging; train one with `nntag train` or name one with --model"
    ):
        newest_run("tagging")
    for age, name in enumerate(("b", "a", "c")):
        shutil.copytree(run, Path("runs") / name)
        os.utime(Path("runs") / name / "best" / "model.safetensors", ns=(0, 10**9 * (5 - age)))
    Path("runs/.hidden").mkdir()
    (Path("runs") / "note.txt").write_text("")
    assert newest_run("tagging") == newest_run() == Path("runs/b")
    with pytest.raises(RunError, match="no run for lm"):
        newest_run("lm")
    assert evaluate().run == Path("runs/b/best/model.safetensors")


@pytest.mark.parametrize("file", ["config.json", "vocab.json", "model.safetensors"])
@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b"null", b"\xff", b'{"settings": {}}', b'{"settings": []}', None]
)
def test_damaged_runs_are_named(run: Path, tmp_path: Path, file: str, content: bytes | None) -> None:
    copy = tmp_path / "run"
    shutil.copytree(run, copy)
    if content is None:
        (copy / "best" / file).unlink()
    else:
        (copy / "best" / file).write_bytes(content)
    if file == "model.safetensors" and content is None:
        assert load_run(copy).path == copy / "last" / file
        return
    with pytest.raises(RunError) as error:
        load_run(copy)
    assert str(copy / "best") in str(error.value)


@pytest.mark.parametrize(
    "change",
    [("hidden", 11), ("hidden", 0), ("hidden", None), ("colour", "red"), ("skip", "nowhere")],
    ids=str,
)
def test_runs_whose_settings_do_not_fit_are_named(run: Path, tmp_path: Path, change: tuple[str, object]) -> None:
    copy = tmp_path / "best"
    shutil.copytree(run / "best", copy)
    config = json.loads((copy / "config.json").read_text())
    config["settings"]["model"][change[0]] = change[1]
    (copy / "config.json").write_text(json.dumps(config))
    with pytest.raises(RunError, match=str(copy)):
        load_run(copy)


def test_runs_for_other_tasks_are_refused(run: Path) -> None:
    with pytest.raises(RunError, match="a run for tagging, but this command needs one for lm"):
        load_run(run, task="lm")
