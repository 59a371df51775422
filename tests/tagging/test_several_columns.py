"""Several columns of tags in one model: losses by plain loops, reports by hand, and every command from end to end."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import nntag
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.settings import resolve_settings
from nntag.encoding.data_folder import open_data_folder
from nntag.errors import RunError, UsageError
from nntag.experiments.data import read_options
from nntag.tagging.batches import NO_TAG, make_batch
from nntag.tagging.corpus_files import read_tagged_sentences
from nntag.tagging.features import FormTable, TaggerVocabularies, build_vocabularies
from nntag.tagging.network import TaggerNetwork
from nntag.tagging.score_columns import list_metrics, score_columns
from nntag.tagging.tag_columns import TagColumn, columns_from_json
from nntag.tagging.task import TaggingTask
from nntag.tagging.text_files import TaggedText, join_sentences, read_columns_file, write_columns_file
from tests.command_line import fails, run_nntag
from tests.reference.tagger import tag_log_probabilities
from tests.tagging.tagging_files import TRAIN, write_corpus

COLUMNS = (TagColumn("UPOS", ("N", "V"), (5, 3)), TagColumn("XPOS", ("NN", "VB", "RARE"), (5, 2, 1), "RARE"))
SMALL = ("--set", "hidden=8", "--set", "layers=1", "--set", "patience=0")

# The network and its batches.


def build_network() -> tuple[TaggerNetwork, FormTable]:
    settings = resolve_settings("skip-none", "default", {"hidden": 4, "layers": 1, "filters": 2, "affix_size": 2})
    vocabularies = build_vocabularies({"a": 3, "bc": 2}, COLUMNS, settings.input)
    torch.manual_seed(1)
    return TaggerNetwork(settings, vocabularies).double().eval(), FormTable(vocabularies, settings.input)


def test_each_column_has_a_softmax_and_the_losses_are_summed() -> None:
    network, table = build_network()
    gold = [np.array([[0, 1], [1, NO_TAG], [NO_TAG, NO_TAG]]), np.array([[1, 2]])]
    batch = make_batch(table, table.number([["a", "bc", "a"], ["bc"]]), gold)
    assert batch.tags is not None and batch.tags.shape == (3, 2, 2)
    assert batch.tags[:, 1].tolist() == [[1, 2], [NO_TAG, NO_TAG], [NO_TAG, NO_TAG]]
    weight, bias = network.output.weight.detach().numpy(), network.output.bias.detach().numpy()
    states = network.encoder(network.input(batch), batch.lengths).detach().numpy()
    found, nats = network.log_probabilities(batch).numpy(), 0.0
    for sentence, tags in enumerate(gold):
        for column, place in enumerate((slice(0, 2), slice(2, 5))):
            expected = tag_log_probabilities(states[: len(tags), sentence], weight[place], bias[place])
            np.testing.assert_allclose(found[: len(tags), sentence, place], expected, rtol=1e-9)
            nats -= sum(row[tag] for row, tag in zip(expected, tags[:, column], strict=True) if tag != NO_TAG)
    loss = network.loss(batch)
    assert float(loss.nats.detach()) == pytest.approx(nats, rel=1e-9)
    assert (loss.count, loss.items) == (3, 2)  # the last word of the first sentence has no tag at all


def test_a_rare_tag_of_any_column_is_no_answer() -> None:
    network, _ = build_network()
    settings = resolve_settings("skip-none", "default", {"hidden": 4, "layers": 1, "filters": 2, "affix_size": 2})
    task = TaggingTask(build_vocabularies({"a": 3, "bc": 2}, COLUMNS, settings.input), settings)
    with torch.no_grad():
        network.output.bias[4] = 100.0  # RARE
    (table,) = task.predictor.log_probabilities(network, [["a", "bc"]])
    assert table.shape == (2, 5) and np.isneginf(table[:, 4]).all()
    assert set(task.predictor.predict_columns(network, [["a", "bc"], []])[0][1]) <= {"NN", "VB"}
    assert task.predictor.predict_columns(network, [[]]) == [[[], []]] and task.predictor.predict(network, [[]]) == [[]]


def test_vocabularies_come_back_from_json_and_one_column_is_as_ever() -> None:
    settings = resolve_settings("skip-none", "default", {}).input
    several = build_vocabularies({"a": 3}, COLUMNS, settings)
    assert TaggerVocabularies.from_json(json.loads(json.dumps(several.to_json()))).columns == COLUMNS
    assert several.places == [slice(0, 2), slice(2, 5)] and several.no_answers == [4]
    assert list(build_vocabularies({"a": 3}, {"N": 1}, settings).to_json()) == [
        "words",
        "characters",
        "affixes",
        "tags",
        "tag_counts",
        "forms",
    ]


def test_columns_of_one_name_are_damage() -> None:
    saved = {"column": "X", "tags": ["N"], "tag_counts": [1]}
    with pytest.raises(RunError, match="two columns of tags of one name among 'X', 'X'"):
        columns_from_json({**saved, "further_columns": [saved]})


# Files.


def test_texts_with_several_columns_come_back(tmp_path: Path) -> None:
    file = tmp_path / "x.tsv"
    sentences = [(("a", "b"), ("N", None), ("NN", "VB")), (("c",), ("V",), (None,))]
    write_columns_file(file, sentences)
    assert file.read_text() == "a\tN\tNN\nb\t\tVB\n\nc\tV\t\n\n"
    assert read_columns_file(file, 2) == join_sentences(sentences)
    assert read_columns_file(file, 2).columns == ([("N", None), ("V",)], [("NN", "VB"), (None,)])
    with pytest.raises(RunError, match="x.tsv:1: damaged data folder: expected WORD, tab, TAG, tab, TAG, tab, TAG"):
        read_columns_file(file, 3)


CONLLU = "1\tShe\t_\tPRON\tPRP\tCase=Nom\t_\t_\t_\t_\n2\tran\t_\tVERB\t_\t_\t_\t_\t_\tX=1\n\n"


@pytest.mark.parametrize(
    ("name", "content", "column", "expected"),
    [
        ("a.conllu", CONLLU, ["FEATS", "upos", "XPOS"], [("Case=Nom", "_"), ("PRON", "VERB"), ("PRP", "_")]),
        ("a.col", "-DOCSTART- O O\n\nShe PRP B-NP\nran VBD B-VP\n", ["3", "2"], [("B-NP", "B-VP"), ("PRP", "VBD")]),
        ("a.piped", "She|PRP|NP ran|VBD|S\\NP\n", ["pos", "supertag"], [("PRP", "VBD"), ("NP", "S\\NP")]),
        ("a.pmb", "She\tShe\t_\tPRO\tNP\tO\t[]\nran\tran\t_\tEPS\tS\\NP\tO\t[]\n", ["category", "semtag"], None),
    ],
)
def test_all_columns_are_read_at_once(tmp_path: Path, name: str, content: str, column: list, expected: list) -> None:
    file, format = tmp_path / name, {"a.col": "columns"}.get(name, name[2:])
    file.write_text(content)
    found = list(read_tagged_sentences(file, format, column))
    assert found == [(("She", "ran"), *(expected or [("NP", "S\\NP"), ("PRO", "EPS")]))]
    for number, one in enumerate(column, 1):  # each column alone is the same
        assert list(read_tagged_sentences(file, format, one)) == [(found[0][0], found[0][number])]


@pytest.mark.parametrize(
    ("format", "column", "message"),
    [
        ("conllu", ["UPOS", "UPOS"], "--column UPOS is given twice"),
        ("piped", ["supertag", "tag"], "no file of the format piped has both the columns supertag and tag"),
        ("columns", ["2", "x"], "--column must be a number"),
        ("ccgbank", ["supertag", "XPOS"], "unknown column of the format ccgbank 'XPOS'"),
    ],
)
def test_columns_that_do_not_go_together(tmp_path: Path, format: str, column: list, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        list(read_tagged_sentences(tmp_path / "none", format, column))


def test_options_take_one_column_or_several() -> None:
    assert PreprocessOptions("conllu").columns == (None,)
    assert PreprocessOptions("conllu", column="XPOS").columns == ("XPOS",)
    assert PreprocessOptions("conllu", column=("UPOS", "XPOS")).columns == ("UPOS", "XPOS")
    for given, column in (("XPOS", "XPOS"), (["UPOS", "XPOS"], ("UPOS", "XPOS"))):  # in an experiment's [data]
        assert read_options({"corpus": "conllu", "column": given}, Path("x")).column == column


# Scores.


def test_reports_by_hand() -> None:
    vocabularies = build_vocabularies({"a": 3}, COLUMNS, resolve_settings("skip-none", "default", {}).input)
    text = TaggedText([("a", "b"), ("a",)], [("N", "V"), ("V",)], ([("NN", None), ("VB",)],))
    report = score_columns(vocabularies, text, [[["N", "V"], ["VB", "NN"]], [["N"], ["VB"]]])
    assert (report["UPOS_accuracy"], report["XPOS_accuracy"]) == (2 / 3, 1 / 2)
    assert report["mean_accuracy"] == pytest.approx(7 / 12) and report["tokens"] == 3
    assert report["joint_accuracy"] == 0  # of the two words with both gold tags, each has one wrong
    better = score_columns(vocabularies, text, [[["N", "V"], ["NN", "NN"]], [["N"], ["VB"]]])
    assert better["joint_accuracy"] == 1 / 2
    assert report["columns"]["XPOS"]["tokens_without_gold_tag"] == 1
    assert report["columns"]["UPOS"]["unseen_words"] == {"accuracy": 1.0, "tokens": 1}
    names = [metric.name for metric in list_metrics(COLUMNS, TaggingTask.metrics)]
    assert names == [
        "mean_accuracy",
        "joint_accuracy",
        "UPOS_accuracy",
        "UPOS_sentence_accuracy",
        "XPOS_accuracy",
        "XPOS_sentence_accuracy",
    ]
    assert {name for name in names} <= set(report)


# From corpus to tags.


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A treebank whose XPOS is `X` before the UPOS, in `corpus.conllu`, and the run `run` on `data`."""
    folder = tmp_path_factory.mktemp("several")
    file = write_corpus(folder / "corpus.conllu", TRAIN * 8, "conllu")
    files = [f"--{split}={file}" for split in ("train", "dev", "test")]
    columns = ("--column", "UPOS", "--column", "XPOS")
    made = run_nntag("preprocess", "conllu", *files, *columns, "--out", folder / "data")
    assert made.code == 0, made.err
    train = ("train", *SMALL, "--set", "lr=0.05", "--epochs", 12, "--data", folder / "data", "--out", folder / "run")
    trained = run_nntag(*train)
    assert trained.code == 0, trained.err
    return folder


def test_the_data_folder(home: Path) -> None:
    meta = json.loads((home / "data/meta.json").read_text())
    assert (meta["format_version"], meta["column"]) == (2, ["UPOS", "XPOS"])
    assert meta["XPOS_tag_types"] == len({tag for _, tags in TRAIN for tag in tags})
    vocabulary = json.loads((home / "data/vocab.json").read_text())
    (further,) = vocabulary["further_columns"]
    assert vocabulary["column"] == "UPOS" and further["column"] == "XPOS"
    assert further["tags"] == [f"X{tag}" for tag in vocabulary["tags"]]
    assert (home / "data/train.tsv").read_text().startswith("The\tDT\tXDT\ncat\tNN\tXNN\n")


def test_training_is_judged_by_the_mean_or_by_one_column(home: Path, tmp_path: Path) -> None:
    log = [json.loads(line) for line in (home / "run/log.jsonl").read_text().splitlines()]
    assert all("dev_mean_accuracy" in entry for entry in log) and log[-1]["loss_nats"] < log[0]["loss_nats"]
    train = ("train", *SMALL, "--data", home / "data", "--out", tmp_path / "run", "--set", "metric=XPOS_accuracy")
    assert "dev XPOS_accuracy" in run_nntag(*train, "--epochs", 1).out
    resume = ("train", "--resume", "--out", tmp_path / "run", "--epochs", 2)
    message = fails(*resume, "--set", "metric=mean_accuracy")
    assert "trained with metric=XPOS_accuracy" in message and "not mean_accuracy" in message
    assert run_nntag(*resume, "--set", "metric=XPOS_accuracy").code == 0
    assert "unknown metric 'accuracy'" in fails(*train[:-1], "metric=accuracy", "--force")


def test_eval_reports_every_column(home: Path, tmp_path: Path) -> None:
    report = json.loads(run_nntag("eval", home / "run", "--json", "--beta", "0.1").out)
    assert report["UPOS_accuracy"] == report["columns"]["UPOS"]["accuracy"] > 0.5
    assert report["mean_accuracy"] == pytest.approx((report["UPOS_accuracy"] + report["XPOS_accuracy"]) / 2)
    assert report["columns"]["UPOS"]["multitagging"][0]["beta"] == 0.1
    text = run_nntag("eval", home / "run", "--output", tmp_path / "out.tsv")
    assert "UPOS\n----\n" in text.out and text.out.splitlines()[-1].split()[0] == "mean"
    rows = [line.split("\t") for line in (tmp_path / "out.tsv").read_text().splitlines() if line]
    assert {len(row) for row in rows} == {5}
    for place, column in ((1, "UPOS"), (3, "XPOS")):
        right = sum(row[place] == row[place + 1] for row in rows) / len(rows)
        assert right == pytest.approx(report["columns"][column]["accuracy"])
    of_file = json.loads(run_nntag("eval", home / "run", "--data", home / "corpus.conllu", "--json").out)
    assert of_file["columns"] == {
        name: {key: value for key, value in column.items() if key != "multitagging"}
        for name, column in report["columns"].items()
    }


SENTENCE = "The cat saw it ."


def tag(home: Path, *arguments: object, text: str = SENTENCE) -> str:
    found = run_nntag("tag", "--model", home / "run", *arguments, stdin=f"{text}\n".encode())
    assert found.code == 0, found.err
    return found.out


def test_tag_writes_all_columns_in_every_format(home: Path) -> None:
    tagger = nntag.load(home / "run")
    assert tagger.columns == ("UPOS", "XPOS")
    found = tagger.tag_columns(SENTENCE.split())
    upos, xpos = found["UPOS"], found["XPOS"]
    assert upos == tagger.tag(SENTENCE.split()) and xpos == [f"X{tag}" for tag in upos]
    rows = list(zip(SENTENCE.split(), upos, xpos, strict=True))
    assert tag(home) == " ".join("|".join(row) for row in rows) + "\n"
    assert tag(home, "--format", "columns") == "".join("\t".join(row) + "\n" for row in rows) + "\n"
    record = json.loads(tag(home, "--format", "json", "--beta", "0.5"))
    assert record["tags"] == upos and record["columns"] == {"UPOS": upos, "XPOS": xpos}
    assert [word[0][0] for word in record["likely_tags"]] == upos
    lines = [line.split("\t") for line in tag(home, "--format", "conllu").splitlines() if line]
    assert [(line[1], line[3], line[4]) for line in lines] == rows
    lines = [line.split("\t") for line in tag(home, "--format", "conllu", "--column", "MISC").splitlines() if line]
    assert [line[9] for line in lines] == [f"UPOS={one}|XPOS={other}" for _, one, other in rows]
    assert "no place for probabilities" in fails("tag", "--model", home / "run", "--beta", "0.1")
    assert "give --column MISC" in fails("tag", "--model", home / "run", "--format", "conllu", "--column", "XPOS")


def test_conllu_comes_back_with_nothing_but_the_columns_changed(home: Path) -> None:
    text = "# text = it saw\n1-2\tit saw\t_\t_\t_\t_\t_\t_\t_\t_\n1\tit\ti\tA\tB\tC=D\t2\tx\t_\tS=No\n"
    text += "2\tsaw\ts\tA\tB\t_\t0\ty\t_\t_\n"
    arguments = ("--input-format", "conllu", "--format", "conllu")
    found = tag(home, *arguments, text=text)
    upos = nntag.load(home / "run").tag(["it", "saw"])
    expected = text
    for number, old in enumerate(("i\tA\tB", "s\tA\tB")):
        expected = expected.replace(old, f"{old[0]}\t{upos[number]}\tX{upos[number]}")
    assert found == expected + "\n"


def test_other_numbers_of_columns_are_refused(home: Path, tmp_path: Path) -> None:
    """Also where the corpus is another one, whose columns have other names."""
    file = write_corpus(tmp_path / "a.tsv", TRAIN * 8, "columns")
    made = run_nntag("preprocess", "columns", "--train", file, "--out", tmp_path / "one")
    assert made.code == 0
    assert "name data of the same column" in fails("eval", home / "run", "--data", tmp_path / "one")
    message = fails("eval", home / "run", "--data", file)
    assert message.startswith(f"the run gives tags of 2 columns; name as many of {file}, each with --column")
    again = fails("preprocess", "conllu", "--train", home / "corpus.conllu", "--out", home / "data")
    assert "column was UPOS, XPOS, is UPOS" in again


def test_supertags_and_parts_of_speech_together(tmp_path: Path) -> None:
    """The rules of the derivations are counted all the same, and parts of speech stand beside the supertags."""
    file = write_corpus(tmp_path / "a.auto", TRAIN * 8, "ccgbank")
    columns = ("--column", "supertag", "--column", "pos")
    made = run_nntag("preprocess", "ccgbank", "--train", file, "--dev", file, *columns, "--out", tmp_path / "data")
    assert made.code == 0, made.err
    assert (tmp_path / "data/grammar.json").exists()
    trained = run_nntag("train", *SMALL, "--epochs", 1, "--data", tmp_path / "data", "--out", tmp_path / "run")
    assert trained.code == 0, trained.err
    tagger = nntag.load(tmp_path / "run")
    found = tagger.tag_columns(["The", "cat"])
    assert tag(tmp_path, text="The cat") == (
        " ".join("|".join(row) for row in zip(["The", "cat"], found["pos"], found["supertag"], strict=True)) + "\n"
    )
    record = json.loads(tag(tmp_path, "--format", "json", text="The cat"))
    assert record == {"tokens": ["The", "cat"], "tags": found["supertag"], "pos": found["pos"]}
    easyccg = tag(tmp_path, "--format", "easyccg", "--beta", "1", text="The cat")
    assert [word.split("\t")[1] for word in easyccg.split("|")] == found["pos"]
    assert "CoNLL-U has no column for any of them" in fails("tag", "--model", tmp_path / "run", "--format", "conllu")


def test_an_attribute_of_one_column_is_a_metric_of_its_name(tmp_path: Path) -> None:
    file = tmp_path / "a.conllu"
    file.write_text(CONLLU.replace("VERB\t_\t_", "VERB\t_\tTense=Past") * 12)
    columns = ("--column", "UPOS", "--column", "FEATS")
    made = run_nntag("preprocess", "conllu", "--train", file, *columns, "--out", tmp_path / "data")
    assert "the FEATS tags are lists of attributes" in made.err
    assert open_data_folder(tmp_path / "data").meta["FEATS_attributes"] == ["Case", "Tense"]
    train = ("train", *SMALL, "--epochs", 1, "--data", tmp_path / "data", "--out", tmp_path / "run")
    assert "dev FEATS_attribute_f1" in run_nntag(*train, "--set", "metric=FEATS_attribute_f1").out
    assert "Attributes" in run_nntag("eval", tmp_path / "run").out
