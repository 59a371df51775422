"""Sentiment trees from corpus file to predictions: preprocess, train, eval and tag."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import nntag
from nntag.commands.evaluate import evaluate
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import EvaluateOptions, TagOptions
from nntag.corpora.lines import lines_from_bytes
from nntag.corpora.ptb import read_ptb_trees
from nntag.encoding.data_folder import open_data_folder
from nntag.errors import DataError, RunError, UsageError
from nntag.sample import write_sample
from nntag.trees.preprocess import preprocess_trees
from nntag.trees.tag import load_tree_model, tag_trees
from tests.command_line import fails
from tests.opening import open_corpus

SMALL = {"hidden": 8, "word_size": 6, "epochs": 2, "batch_size": 8}
CONLLU = (
    "1\tWe\twe\tPRON\t_\t_\t2\tnsubj\t_\t_\n2\tlike\tlike\tVERB\t_\t_\t0\troot\t_\tSentiment=3|Note=a\n"
    "3\ttea\ttea\tNOUN\t_\t_\t2\tobj\t_\tSentiment=2\n\n"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("trees")


@pytest.fixture(scope="module")
def sources(folder: Path):
    return {split: [file] for split, file in write_sample("sst", folder / "raw", 40, 1).items()}


@pytest.fixture(scope="module")
def fine(folder: Path, sources):
    data = preprocess_trees(open_corpus("sst", sources), folder / "fine").data
    return train(TrainOptions("tree-gru", data.path, folder / "run-fine", settings=SMALL)).run


@pytest.fixture(scope="module")
def child_sum(folder: Path, fine):
    return train(TrainOptions("tree-lstm-child-sum", folder / "fine", folder / "run-child-sum", settings=SMALL)).run


def tag(run: Path, text: str, output: str = "trees", input_format: str = "trees") -> str:
    written: list[bytes] = []
    tag_trees(
        load_tree_model(run),
        lines_from_bytes(text.encode()),
        written.append,
        TagOptions(input_format=input_format, format=output),
    )
    return b"".join(written).decode()


def test_the_binary_task_leaves_neutral_sentences_out(folder: Path, sources, fine) -> None:
    data = preprocess_trees(open_corpus("sst", sources, task="binary"), folder / "binary").data
    whole = open_data_folder(folder / "fine").meta["splits"]["train"]
    part = data.meta["splits"]["train"]
    assert whole["label_2"] > 0 == part["label_2"] and part["trees"] == whole["trees"] - whole["label_2"]
    result = train(
        TrainOptions("tree-lstm", data.path, folder / "run-binary", settings={**SMALL, "neutral_nodes": "drop"})
    )
    report = evaluate(EvaluateOptions(result.run)).report
    assert report["classes"] == ["negative", "positive"] and report["sentences"] == data.meta["splits"]["test"]["trees"]
    assert set(tag(result.run, "(X (Y fine) (Z tea))").replace("(", "").split()) & {"negative", "positive"}
    with pytest.raises(RunError, match="has fine labels"):
        evaluate(EvaluateOptions(result.run, folder / "fine"))


def test_brackets_without_labels_keep_their_words_and_shape(fine: Path) -> None:
    text = "(A (good film))\n((the film) works)\n(good)\n( (really) (\n(not bad) ) )\n"
    lines = tag(fine, text, input_format="unlabelled").splitlines()
    shapes = [re.sub("[0-4]", "", line) for line in lines]
    assert shapes == [
        "( ( A) ( ( good) ( film)))",
        "( ( ( the) ( film)) ( works))",
        "( good)",
        "( ( really) ( ( ( not) ( bad))))",  # a bracket about one phrase is kept
    ]
    labelled = "(X (X A) (X (X good) (X film)))"
    assert lines[0] == tag(fine, labelled).rstrip("\n")
    model = load_tree_model(fine)
    assert model.classify(model.read("(A (good film))", labelled=False)) == model.classify(model.read(labelled))


def test_words_where_labels_should_stand_are_told(fine: Path, caplog: pytest.LogCaptureFixture) -> None:
    tag(fine, "(2 (2 the) (2 film))\n(A (good film))\n(A (bad film))\n(S (NP (PRP I)) (VP (VBP wait)))\n")
    (record,) = [record.getMessage() for record in caplog.records]
    assert record.startswith("<bytes>:2: 'good' stands where a label should") and "unlabelled" in record
    with pytest.raises(DataError, match="found the word 'works'; brackets without labels are read with --input-format"):
        tag(fine, "((the film) works)")
    with pytest.raises(DataError, match="never closed") as caught:
        tag(fine, "(2 (2 good) (2 film)")
    assert "unlabelled" not in str(caught.value)


def test_eval_reads_a_data_folder_or_a_file_alike(folder: Path, sources, fine) -> None:
    from_folder, from_file = (
        evaluate(EvaluateOptions(fine, split="test")).report,
        evaluate(EvaluateOptions(fine, sources["test"][0])).report,
    )
    assert from_folder == from_file and 0 <= from_folder["accuracy"] <= 1
    data = preprocess_trees(
        open_corpus("sst", sources, task="binary"), folder / "signs"
    ).data  # the file has neutral sentences, the folder none
    run = train(TrainOptions("tree-gru", data.path, folder / "run-signs", settings=SMALL)).run
    assert (
        evaluate(EvaluateOptions(run, split="test")).report == evaluate(EvaluateOptions(run, sources["test"][0])).report
    )
    neutral = folder / "neutral.txt"
    neutral.write_text("(2 (2 a) (3 b))\n")
    with pytest.raises(DataError, match=r"neutral.txt: no labelled trees"):
        evaluate(EvaluateOptions(run, neutral))


def test_data_folders_are_reproducible(folder: Path, sources, fine) -> None:
    again = preprocess_trees(open_corpus("sst", sources), folder / "again").data.path
    for file in sorted((folder / "fine").iterdir()):
        assert file.read_bytes() == (again / file.name).read_bytes()


def test_without_a_dev_file_a_tenth_is_split_off(folder: Path, sources) -> None:
    made = preprocess_trees(open_corpus("sst", {"train": sources["train"]}), folder / "no-dev")
    counts = {split: row["trees"] for split, row in made.data.meta["splits"].items()}
    assert counts == {"train": 36, "dev": 4} and "split off" in made.notes[0]


def test_trees_of_more_than_two_children_are_refused_or_binarised(folder: Path) -> None:
    file = folder / "nary.txt"
    file.write_text("(3 (2 a) (2 b) (3 c))\n(2 (2 d) (2 e))\n")
    with pytest.raises(DataError, match=r"nary.txt:1:1: expected one word or two children, found 3 children"):
        preprocess_trees(open_corpus("sst", {"train": [file], "dev": [file]}), folder / "nary")
    data = preprocess_trees(open_corpus("sst", {"train": [file], "dev": [file]}, binarise=True), folder / "nary").data
    assert (data.path / "train.txt").read_text().startswith("(3 (2 a) (? (2 b) (3 c)))\n")
    assert train(TrainOptions("tree-gru", data.path, folder / "run-nary", settings=SMALL)).epochs == 2


def test_tag_gives_the_same_trees_with_other_labels(fine, sources) -> None:
    text = Path(sources["test"][0]).read_text()
    tagged = tag(fine, text)
    before, after = (list(read_ptb_trees(lines_from_bytes(t.encode()))) for t in (text, tagged))
    assert [(tree.words, tree.children) for tree in before] == [(tree.words, tree.children) for tree in after]
    table = [line.split("\t") for line in tag(fine, text, "table").splitlines()]
    assert [row[0] for row in table] == [tree.labels[-1] for tree in after]
    assert [row[3].split(" ") for row in table] == [list(tree.tokens) for tree in before]
    records = [json.loads(line) for line in tag(fine, text, "json").splitlines()]
    assert [record["nodes"] for record in records] == [list(tree.labels) for tree in after]
    assert all(sum(record["probabilities"].values()) == pytest.approx(1, abs=1e-4) for record in records)


def test_trees_of_any_shape_are_predicted(fine) -> None:
    tagged = tag(fine, "(S (NP (NN Tea)) (VP (VBZ is) (RB not) (ADJP (JJ good))) (. .))\n(X yes)")
    first, second = read_ptb_trees(lines_from_bytes(tagged.encode()))
    assert first.children == ((), (0,), (), (), (), (4,), (2, 3, 5), (), (1, 6, 7)) and len(second) == 1
    assert first.labels[0] == first.labels[1] and set(first.labels) <= set("01234")


def test_a_model_is_used_from_python(fine) -> None:
    model = nntag.load(fine)
    text = "(2 (3 good) (2 (1 not) (2 film)))\n(film (a a) (b b))\n"
    trees = model.read(text)
    assert [tree.tokens for tree in trees] == [("good", "not", "film"), ("a", "b")]
    records = [json.loads(line) for line in tag(fine, text, "json").splitlines()]
    assert model.classify(trees) == [record["class"] for record in records]
    assert [model.classes_of(scored) for scored in model.score(trees)] == [record["nodes"] for record in records]
    with pytest.raises(DataError, match="<text>:1"):
        model.read("(2 good")


def test_pictures(fine) -> None:
    assert tag(fine, "(X (Y fine) (Z tea))", "picture").splitlines()[1:] == [
        f"{branch}{sign} {word}"
        for branch, sign, word in (
            ("├─ ", tag(fine, "(X (Y fine) (Z tea))", "picture").splitlines()[1][3:5], "fine"),
            ("└─ ", tag(fine, "(X (Y fine) (Z tea))", "picture").splitlines()[2][3:5], "tea"),
        )
    ] + [""]
    assert ElementTree.fromstring(tag(fine, "(X (Y fine) (Z tea))", "svg")).tag.endswith("svg")
    for text, found in (("(X a)\n(X b)", "more"), ("", "none")):
        with pytest.raises(UsageError, match=f"draws one tree, found {found}"):
            tag(fine, text, "svg")


def test_a_large_tree_is_not_drawn_before_the_next_one_is_refused(fine) -> None:
    written: list[bytes] = []
    large = "(X (Y a) " * 12_000 + "(Y b)" + ")" * 12_000  # more words than are computed together
    with pytest.raises(UsageError, match="draws one tree, found more"):
        tag_trees(
            load_tree_model(fine),
            lines_from_bytes(f"{large}\n(X b)".encode()),
            written.append,
            TagOptions(input_format="trees", format="svg"),
        )
    assert not written


def test_flags_of_taggers_are_refused(fine) -> None:
    for flag in (["--probabilities"], ["--beta", "0.1"], ["--column", "XPOS"]):
        assert fails("tag", "--model", fine, *flag).startswith(f"{flag[0]} is for taggers, and ")


def test_dependency_trees_need_a_child_sum_model(fine, child_sum) -> None:
    tagged = tag(child_sum, CONLLU, "trees", "conllu").splitlines()
    fields = [line.split("\t") for line in tagged[:3]]
    assert [row[:9] for row in fields] == [line.split("\t")[:9] for line in CONLLU.splitlines()[:3]]
    assert fields[1][9].startswith("Note=a|Sentiment=") and fields[0][9].startswith("Sentiment=")
    assert tag(child_sum, CONLLU, "table", "conllu").rstrip("\n").endswith("\tWe like tea")
    with pytest.raises(DataError, match="dependency trees need a child-sum model, and tree-gru is not one"):
        tag(fine, CONLLU, "trees", "conllu")


def test_a_child_sum_model_is_trained_on_dependency_trees(folder: Path) -> None:
    file = folder / "labelled.conllu"
    file.write_text(CONLLU * 5)
    data = preprocess_trees(open_corpus("conllu", {"train": [file], "dev": [file]}), folder / "dependencies").data
    result = train(TrainOptions("tree-gru-child-sum", data.path, folder / "run-dependencies", settings=SMALL))
    report = evaluate(EvaluateOptions(result.run, split="dev")).report
    assert report["sentences"] == 5 and report["nodes"]["count"] == 10
    assert evaluate(EvaluateOptions(result.run, file)).report == report


def test_a_binary_model_refuses_dependency_trees(folder: Path, fine) -> None:
    file = folder / "labelled.conllu"
    file.write_text(CONLLU * 5)
    data = preprocess_trees(open_corpus("conllu", {"train": [file], "dev": [file]}), folder / "dependencies-2").data
    with pytest.raises(
        RunError, match="dependencies-2: dependency trees need a child-sum model, and tree-gru is not one"
    ):
        train(TrainOptions("tree-gru", data.path, folder / "run-none", settings=SMALL))
    assert not (folder / "run-none").exists()
    for source in (data.path, file):
        with pytest.raises(RunError, match=f"{source.name}: dependency trees need a child-sum model"):
            evaluate(EvaluateOptions(fine, source))


def test_a_split_without_labels_is_refused(folder: Path) -> None:
    labelled, unlabelled = folder / "labels.conllu", folder / "no-labels.conllu"
    labelled.write_text(CONLLU)
    unlabelled.write_text(CONLLU.replace("Sentiment", "Other"))
    cases = ((unlabelled, labelled, "no node has"), (labelled, unlabelled, "no sentence of"))
    for train_file, dev_file, reason in cases:
        with pytest.raises(DataError, match=f"no-labels.conllu: {reason}"):
            preprocess_trees(
                open_corpus("conllu", {"train": [train_file], "dev": [dev_file]}),
                folder / "unlabelled",
            )
    assert not (folder / "unlabelled").exists()


def test_what_comes_before_a_fault_is_written(fine) -> None:
    written: list[bytes] = []
    with pytest.raises(DataError, match=":2"):
        tag_trees(load_tree_model(fine), lines_from_bytes(b"(X (Y a) (Z b))\n(X (Y a)\n"), written.append)
    assert len(written) == 1


@pytest.mark.corpus
def test_the_stanford_treebank_has_the_published_counts(shared_data: Path, tmp_path: Path) -> None:
    sources = {split: [shared_data / "sst" / f"{split}.txt"] for split in ("train", "dev", "test")}
    for labels, counts in (("fine", [8544, 1101, 2210]), ("binary", [6920, 872, 1821])):
        data = preprocess_trees(open_corpus("sst", sources, task=labels), tmp_path / labels).data
        assert [row["trees"] for row in data.meta["splits"].values()] == counts
    for split, (file,) in sources.items():  # every byte comes back: escapes and non-breaking spaces too
        assert (tmp_path / "fine" / f"{split}.txt").read_bytes() == file.read_bytes()


BAD = {
    "trees": b"(3 (2 good) (2 tea))\n(3 (2 bad) tea)\n(2 (2 no) (1 \xff))\n(3 (2 fine) (2 tea))\n",
    "unlabelled": b"(good tea)\nbad tea)\n(no \xff)\n(fine tea)\n",
}


@pytest.mark.parametrize("input_format", BAD)
@pytest.mark.parametrize("output", ["trees", "table", "json", "picture"])
def test_an_unreadable_tree_is_marked_in_its_place(fine: Path, input_format: str, output: str, caplog) -> None:
    model = load_tree_model(fine)
    good = BAD[input_format].splitlines(keepends=True)

    def tagged(text: bytes, skip_bad: bool) -> bytes:
        written: list[bytes] = []
        options = TagOptions(input_format=input_format, format=output, skip_bad=skip_bad)
        tag_trees(model, lines_from_bytes(text, "x"), written.append, options)
        return b"".join(written)

    with pytest.raises(DataError, match=r"x:2:"):
        tagged(good[0] + good[1] + good[2] + good[3], False)
    found = tagged(BAD[input_format], True)
    before, after = tagged(good[0], False), tagged(good[3], False)
    assert found.startswith(before) and found.endswith(after)
    between = found[len(before) : -len(after)].decode()
    if output == "json":
        places = [json.loads(line)["error"].split(": ")[0] for line in between.splitlines()]
        assert [place.split(":")[1] for place in places] == ["2", "3"]
    else:
        marks = {"trees": "()\n", "table": "_\tnan\tnan\t\n"}
        assert (
            between == marks[output] * 2
            if output in marks
            else re.fullmatch(r"(# unreadable: x:[23]:.*\n\n){2}", between)
        )
    assert sum("(left out)" in record.getMessage() for record in caplog.records) == 2


def test_an_unreadable_dependency_tree_is_marked_in_its_place(child_sum: Path) -> None:
    circle = CONLLU.replace("\t0\troot", "\t1\troot")
    written: list[bytes] = []
    options = TagOptions(input_format="conllu", skip_bad=True)
    lines = lines_from_bytes((CONLLU + circle + CONLLU).encode(), "x")
    tag_trees(load_tree_model(child_sum), lines, written.append, options)
    alone = tag(child_sum, CONLLU, input_format="conllu")
    assert b"".join(written).decode() == (
        f"{alone}# unreadable: x:5: the dependency heads of this sentence run in a circle\n\n{alone}"
    )
