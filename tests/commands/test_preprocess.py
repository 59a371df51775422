"""Preprocessing of every tagging format: what stands in the data folder, what is said, what a failure leaves."""

from __future__ import annotations

import hashlib
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from nntag.commands.preprocess import preprocess
from nntag.config.options.preprocess import PreprocessOptions
from nntag.encoding.data_folder import DataFolder
from nntag.errors import DataError, UsageError
from nntag.tagging.parsing.grammar import read_grammar
from nntag.tagging.preprocess import Preprocessed, preprocess_tagging
from nntag.tagging.text_files import read_columns_file
from tests.opening import open_corpus
from tests.tagging.tagging_files import DEV, FORMATS, TRAIN, Tagged, gold, learnable, write_corpus


def sentences_of(data: DataFolder, split: str) -> Tagged:
    text = read_columns_file(data.file(f"{split}.tsv"))
    return list(zip(text.tokens, text.tags, strict=True))


def run(
    folder: Path, format: str = "columns", train: Tagged = TRAIN, dev: Tagged | None = DEV, **options
) -> Preprocessed:
    sources = {"train": [write_corpus(folder / "train.txt", train, format)]}
    if dev is not None:
        sources["dev"] = [write_corpus(folder / "dev.txt", dev, format)]
    return preprocess_tagging(open_corpus(format, sources, **options), folder / "data")


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_becomes_the_same_folder(tmp_path: Path, format: str) -> None:
    result = run(tmp_path, format)
    data = result.data
    assert result.notes == []
    assert sentences_of(data, "train") == gold(TRAIN, format) and sentences_of(data, "dev") == gold(DEV, format)
    grammar = ["grammar.json"] if format == "ccgbank" else []
    names = ["dev.tsv", *grammar, "manifest.json", "meta.json", "train.tsv", "vocab.json"]
    assert sorted(file.name for file in data.path.iterdir()) == names
    meta = data.meta
    assert (meta["task"], meta["corpus"], meta["word_types"]) == ("tagging", format, 12)
    assert meta["splits"]["train"]["sentences"] == 3 and meta["splits"]["train"]["tokens"] == 14
    assert meta["splits"]["dev"]["unseen_words"] == 1 / 5  # owls
    assert meta["splits"]["dev"]["unseen_tags"] == (0 if format in ("ccgbank", "piped", "pmb") else 1 / 5)  # NNS
    digest = hashlib.sha256((tmp_path / "train.txt").read_bytes()).hexdigest()
    assert meta["sources"]["train"] == [{"file": "train.txt", "sha256": digest}]


@pytest.mark.parametrize(
    ("format", "column", "first"),
    [
        ("conllu", "xpos", "XDT"),
        ("conllu", "FORM", "The"),
        ("ccgbank", "pos", "DT"),
        ("ccgbank", "supertag", "NP[nb]/N"),
        ("piped", "pos", "DT"),
        ("piped", "supertag", "NP[nb]/N"),
        ("ptb", "pos", "DT"),
        ("columns", "2", "DT"),
        ("columns", "-1", "DT"),
    ],
)
def test_columns_to_choose(tmp_path: Path, format: str, column: str, first: str) -> None:
    data = run(tmp_path, format, column=column).data
    assert sentences_of(data, "train")[0][1][0] == first and data.meta["column"] == column


@pytest.mark.parametrize(
    ("format", "column", "reason"),
    [
        ("conllu", "XPOSS", "no CoNLL-U column 'XPOSS'"),
        ("ccgbank", "tag", "unknown column of the format ccgbank 'tag'"),
        ("ptb", "supertag", r"unknown column of the format ptb 'supertag' \(choices: pos\)"),
        ("columns", "pos", "--column must be a number"),
        ("columns", "--1", "--column must be a number"),
        ("columns", "²", "--column must be a number"),
        ("columns", "1", "column 1: column 1 holds the words"),
    ],
)
def test_columns_that_are_none(tmp_path: Path, format: str, column: str, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        run(tmp_path, format, column=column)
    assert not (tmp_path / "data").exists()


def test_vocabularies_are_those_of_the_training_split(tmp_path: Path) -> None:
    vocabulary = json.loads(run(tmp_path).data.file("vocab.json").read_text())
    assert vocabulary["words"][:2] == [".", "ran"] and vocabulary["word_counts"][:3] == [2, 2, 1]
    assert "owls" not in vocabulary["words"] and "NNS" not in vocabulary["tags"]
    assert dict(zip(vocabulary["tags"], vocabulary["tag_counts"], strict=True))["VBD"] == 3


def test_tags_that_only_dev_has_are_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "nntag"):
        run(tmp_path)
    assert [record.getMessage() for record in caplog.records] == [
        "dev has tags that training never sees, their words count as errors: NNS (1)"
    ]


def test_without_dev_a_tenth_is_split_off_and_that_is_said(tmp_path: Path) -> None:
    whole = learnable(40, 1)
    result = run(tmp_path, train=whole, dev=None, seed=3)
    (note,) = result.notes
    assert note.startswith("no dev set given: 4 training sentences") and "seed 3" in note
    train, dev = sentences_of(result.data, "train"), sentences_of(result.data, "dev")
    assert len(dev) == 4 and sorted(train + dev) == sorted(whole)
    again = run(tmp_path / "again", train=whole, dev=None, seed=3).data
    other = run(tmp_path / "other", train=whole, dev=None, seed=4).data
    assert sentences_of(again, "dev") == dev != sentences_of(other, "dev")
    vocabulary = json.loads(result.data.file("vocab.json").read_text())
    assert sum(vocabulary["word_counts"]) == sum(len(tokens) for tokens, _ in train)  # dev is not counted


def test_rare_training_tags_become_one(tmp_path: Path) -> None:
    result = run(tmp_path, tag_cutoff=2)
    assert result.notes == ["3 tags seen fewer than 2 times in training became RARE"]
    train = sentences_of(result.data, "train")
    assert train[0][1] == ("DT", "NN", "RARE", "RARE", "RARE", "VBD", "PRP", ".")
    assert sentences_of(result.data, "dev") == DEV  # gold tags of dev stay what they are
    assert json.loads(result.data.file("vocab.json").read_text())["tags"] == ["RARE", "VBD", ".", "DT", "NN", "PRP"]


def test_a_tag_of_the_corpus_that_is_called_rare_is_another(tmp_path: Path) -> None:
    train = [(("a", "b", "c"), ("RARE", "X", "Y")), (("a", "b"), ("RARE", "X"))]
    result = run(tmp_path, train=train, tag_cutoff=2)
    assert result.notes == ["1 tags seen fewer than 2 times in training became RARE-2"]
    assert sentences_of(result.data, "train")[0][1] == ("RARE", "X", "RARE-2")
    assert json.loads(result.data.file("vocab.json").read_text())["rare_tag"] == "RARE-2"
    kept = run(tmp_path / "kept", train=train)
    assert json.loads(kept.data.file("vocab.json").read_text())["rare_tag"] is None
    with pytest.raises(UsageError, match="--tag-cutoff 9: no tag is seen so often in training"):
        run(tmp_path / "none", train=train, tag_cutoff=9)


def test_the_grammar_is_that_of_the_training_derivations(tmp_path: Path) -> None:
    for file, word in (("train", "a"), ("dev", "b")):
        (tmp_path / file).write_text(f"(<T S 0 2> (<L NP x x {word} NP>) (<L S\\NP y y {word} S\\NP>) )\n" * 3)
    sources = {split: [tmp_path / split] for split in ("train", "dev")}
    data = preprocess_tagging(open_corpus("ccgbank", sources), tmp_path / "data").data
    assert read_grammar(data.file("grammar.json")).binary == {("NP", "S\\NP", "S"): 3}
    alone = preprocess_tagging(open_corpus("ccgbank", {"train": [tmp_path / "train"]}), tmp_path / "alone").data
    assert read_grammar(alone.file("grammar.json")).roots == {"S": 2}  # one of three sentences became dev
    pos = preprocess_tagging(open_corpus("ccgbank", sources, column="pos"), tmp_path / "pos").data
    assert not (pos.path / "grammar.json").exists()


def test_bad_sentences_are_left_out_on_demand_and_counted(tmp_path: Path) -> None:
    file = tmp_path / "bad.txt"
    file.write_text("a|X|N b|Y|V\nc|Z\n\nd|X|N\ne||N f|X|N\n")
    sources = {"train": [file], "dev": [file]}
    with pytest.raises(DataError, match=rf"^{file}:2:1: expected word\|POS\|supertag, found 'c\|Z'"):
        preprocess_tagging(open_corpus("piped", sources), tmp_path / "data")
    assert not (tmp_path / "data").exists()
    result = preprocess_tagging(open_corpus("piped", sources, skip_bad=True), tmp_path / "data")
    assert sentences_of(result.data, "train") == [(("a", "b"), ("N", "V")), (("d",), ("N",))]
    assert result.notes == ["4 bad items were left out (listed above)"] and result.data.meta["left_out"] == 4


@pytest.mark.parametrize("split", ["train", "dev"])
def test_a_split_without_sentences_is_an_error(tmp_path: Path, split: str) -> None:
    sentences: dict[str, Tagged] = {"train": TRAIN, "dev": DEV, split: []}
    with pytest.raises(DataError, match=rf"{split}\.txt: no sentences for {split}"):
        run(tmp_path, train=sentences["train"], dev=sentences["dev"])
    assert not (tmp_path / "data").exists()


def test_one_sentence_cannot_be_split(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="a single sentence cannot be split into train and dev; give a dev file"):
        run(tmp_path, train=DEV, dev=None)
    assert run(tmp_path, train=DEV, dev=DEV).data.meta["splits"]["train"]["sentences"] == 1


def test_files_of_a_split_are_read_in_order(tmp_path: Path) -> None:
    files = [write_corpus(tmp_path / f"{number}.txt", [sentence], "columns") for number, sentence in enumerate(TRAIN)]
    data = preprocess_tagging(open_corpus("columns", {"train": files[::-1], "dev": files[:1]}), tmp_path / "data").data
    assert sentences_of(data, "train") == TRAIN[::-1]


def test_the_same_input_gives_the_same_bytes(tmp_path: Path) -> None:
    folders = [run(tmp_path / name, train=learnable(60, 1), dev=None).data.path for name in ("x", "y")]
    files = [{file.name: file.read_bytes() for file in sorted(folder.iterdir())} for folder in folders]
    assert files[0] == files[1] and len(files[0]) == 5


def test_words_with_spaces_of_every_kind_survive(tmp_path: Path) -> None:
    words = ("New York", "a\u00a0b", "c\u2028d", "e\x85f", "g\x0ch", "i\rj", "k\x00l", "#", "_", "\ufeffm")
    sentences: Tagged = [(words, ("X", "Y") * (len(words) // 2))]
    data = run(tmp_path, train=sentences, dev=sentences).data
    assert sentences_of(data, "train") == sentences


def test_a_corpus_is_a_folder_or_files_or_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    train = write_corpus(Path("data/raw/conllu/en_x-ud-train.conllu"), TRAIN, "conllu")
    write_corpus(Path("data/raw/conllu/en_x-ud-dev.conllu"), DEV, "conllu")
    write_corpus(Path("data/raw/conllu/en_x-ud-test.conllu"), DEV, "conllu")
    result = preprocess(PreprocessOptions("conllu"))
    assert result.data.path == Path("data/processed/conllu") and list(result.data.meta["splits"]) == [
        "train",
        "dev",
        "test",
    ]
    with pytest.raises(UsageError, match="give either a folder or --train, --dev and --test, not both"):
        preprocess(PreprocessOptions("conllu", source=Path("data/raw/conllu"), train=(train,)))
    with pytest.raises(UsageError, match="--dev and --test need --train"):
        preprocess(PreprocessOptions("conllu", dev=(train,)))
    with pytest.raises(UsageError, match="--sample generates its own corpus"):
        preprocess(PreprocessOptions("conllu", source=Path("data/raw/conllu"), sample=True, sample_size=3))
    with pytest.raises(UsageError, match=r"unknown corpus 'conlu'; did you mean 'conllu'\?"):
        preprocess(PreprocessOptions("conlu"))
    with pytest.raises(UsageError, match="unknown task for conllu 'parsing'"):
        preprocess(PreprocessOptions("conllu", task="parsing"))


@pytest.mark.parametrize(
    ("corpus", "options", "flag"),
    [
        ("sherlock", {"column": "pos"}, "--column"),
        ("conllu", {"task": "lm", "tag_cutoff": 2}, "--tag-cutoff"),
        ("sst", {"vocab_size": 9}, "--vocab-size"),
        ("ptb", {"binarise": True}, "--binarise"),
        ("columns", {"lowercase": True}, "--lowercase"),
    ],
)
def test_flags_without_a_meaning(corpus: str, options: dict[str, Any], flag: str) -> None:
    with pytest.raises(UsageError, match=f"^{flag} has no meaning for {corpus} with the task "):
        preprocess(PreprocessOptions(corpus, sample=True, sample_size=5, **options))


@pytest.mark.parametrize("format", FORMATS)
def test_the_sample_of_every_format(tmp_path: Path, format: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = preprocess(PreprocessOptions(format, sample=True, sample_size=12)).data
    assert data.path == Path(f"data/processed/{format}-sample") and data.meta["generated_sample"] == 12
    assert [data.meta["splits"][split]["sentences"] for split in ("train", "dev", "test")] == [12, 50, 50]
    before = {file.name: file.read_bytes() for file in data.path.iterdir()}
    preprocess(PreprocessOptions(format, sample=True, sample_size=12))
    assert {file.name: file.read_bytes() for file in data.path.iterdir()} == before
    preprocess(PreprocessOptions(format, sample=True, sample_size=12, seed=2))
    assert (data.path / "train.tsv").read_bytes() != before["train.tsv"]


def test_a_language_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_corpus(tmp_path / "data/raw/pmb/de-train.conll", TRAIN, "pmb")
    write_corpus(tmp_path / "data/raw/pmb/it-train.conll", DEV, "pmb")
    data = preprocess(PreprocessOptions("pmb", language="de")).data
    assert data.path == Path("data/processed/pmb-de")
    assert sum(data.meta["splits"][split]["sentences"] for split in ("train", "dev")) == len(TRAIN)
    with pytest.raises(UsageError, match="files of de, it; choose one with --language"):
        preprocess(PreprocessOptions("pmb"))
    for corpus, options in (("conllu", {}), ("pmb", {"sample": True}), ("pmb", {"train": (Path("x"),)})):
        with pytest.raises(UsageError, match="--language chooses among the files of a folder of the corpus pmb"):
            preprocess(PreprocessOptions(corpus, language="de", **options))


def test_marks_of_documents_are_no_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "train.conll"
    file.write_text("-DOCSTART- -X- O\n\nAnn NNP B\nleft VBD O\n\n" * 3)
    with caplog.at_level(logging.WARNING):
        data = preprocess(PreprocessOptions("columns", train=(file,), dev=(file,), column="2")).data
    assert (data.meta["splits"]["train"]["sentences"], data.meta["splits"]["train"]["tokens"]) == (3, 6)
    assert data.meta["tag_types"] == 2
    assert f"{file}: left out, as marks and not words: -DOCSTART- (3 times)" in caplog.text


@pytest.mark.parametrize("size", [0, -1])
def test_a_sample_of_nothing_is_refused(tmp_path: Path, size: int) -> None:
    with pytest.raises(UsageError, match="at least one training sentence"):
        preprocess(PreprocessOptions("conllu", sample=True, sample_size=size, out=tmp_path / "data"))


def test_each_task_of_a_corpus_has_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = [preprocess(PreprocessOptions("sst", task=task, sample=True, sample_size=12)) for task in ("fine", "binary")]
    assert [str(found.data.path) for found in made] == ["data/processed/sst-sample", "data/processed/sst-binary-sample"]
    assert [found.data.meta["labels"] for found in made] == ["fine", "binary"]
