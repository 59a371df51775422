"""Language models end to end: text -> data folder -> runs -> perplexity, scores and mixtures."""

import json
import math
import random

import numpy as np
import pytest

from nntag.commands.evaluate import evaluate
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import EvaluateOptions, ScoreOptions
from nntag.corpora.lines import lines_from_bytes
from nntag.encoding.data_folder import open_data_folder
from nntag.errors import DataError, RunError, UsageError
from nntag.language_models.mixture import load_language_model
from nntag.language_models.preprocessing.sherlock import preprocess_sherlock
from nntag.language_models.preprocessing.text import preprocess_text
from nntag.language_models.score import score_lines
from nntag.language_models.streams import open_stream
from tests.opening import open_corpus

TINY = {"train.epochs": 2, "train.batch_size": 8}


WORDS = ["ant", "bee", "cat", "dog", "eel", "fox"]


def write_text(path, sentences, seed):
    """Sentences of a little language in which four words of five follow in the order of `WORDS`."""
    choose = random.Random(seed)
    lines = []
    for _ in range(sentences):
        words = [choose.choice(WORDS)]
        for _ in range(choose.randint(1, 8)):
            following = WORDS[(WORDS.index(words[-1]) + 1) % len(WORDS)]
            words.append(following if choose.random() < 0.8 else choose.choice(WORDS))
        lines.append(" ".join(words))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lm")
    files = {
        split: [write_text(folder / f"{split}.txt", n, n)] for split, n in (("train", 200), ("dev", 40), ("test", 30))
    }
    preprocess_text(open_corpus("text", files), folder / "data")
    return folder


@pytest.fixture(scope="module")
def runs(data):
    for model, extra in (
        ("rm", {"hidden": 12, "memory": 4}),
        ("memn", {"hidden": 8, "memory": 4}),
        ("ngram", {"order": 3}),
    ):
        train(TrainOptions(model, data / "data", data / model, settings={**TINY, **extra}))
    train(
        TrainOptions(
            "lstm-lm",
            data / "data",
            data / "tran",
            recipe="tran2016",
            settings={**TINY, **{"hidden": 8, "min_length": 3}},
        )
    )
    return data


def test_data_folder_has_counts_and_ids(data):
    folder = open_data_folder(data / "data", "lm")
    lines = (data / "train.txt").read_text().splitlines()
    assert folder.meta["splits"]["train"]["sentences"] == len(lines) == 200
    assert folder.meta["splits"]["train"]["tokens"] == sum(len(line.split()) for line in lines)
    assert folder.meta["vocabulary"] == 8  # six words, </s> and <unk>
    words = json.loads((data / "data" / "vocab.json").read_text())["words"]
    stream = open_stream(data / "data", "train")
    assert [" ".join(words[number - 2] for number in stream[n][:-1]) for n in range(len(stream))] == lines


@pytest.mark.parametrize(
    ("options", "kept"),
    [
        ({}, ["b", "a", "c"]),  # the text has no <unk>: words seen once are unknown
        ({"min_count": 1}, ["b", "a", "c", "d", "e"]),
        ({"vocab_size": 4}, ["b", "a"]),
        ({"vocab_size": 100, "min_count": 3}, ["b"]),
    ],
)
def test_vocabulary_by_count_or_size(tmp_path, options, kept):
    (tmp_path / "t.txt").write_text("b a c\nb a d\nb c e\n")
    (tmp_path / "d.txt").write_text("b z\n")
    found = preprocess_text(
        open_corpus("text", {"train": [tmp_path / "t.txt"], "dev": [tmp_path / "d.txt"]}, **options),
        tmp_path / "o",
    )
    assert json.loads((tmp_path / "o" / "vocab.json").read_text())["words"] == kept
    assert found.data.meta["splits"]["dev"]["unknown"] == 0.5
    assert ("no <unk>" in " ".join(found.notes)) == (len(kept) == 5)


def test_a_text_that_has_unk_keeps_all_its_words(tmp_path):
    (tmp_path / "t.txt").write_text("b <unk> c\n")
    files = {"train": [tmp_path / "t.txt"], "dev": [tmp_path / "t.txt"]}
    assert preprocess_text(open_corpus("text", files), tmp_path / "o").data.meta["vocabulary"] == 4


def test_dev_is_split_off_by_seed_where_there_is_none(tmp_path):
    path = write_text(tmp_path / "t.txt", 300, 1)
    lengths = []
    for seed in (1, 1, 2):
        preprocess_text(open_corpus("text", {"train": [path]}, seed=seed), tmp_path / "o")
        streams = [open_stream(tmp_path / "o", split) for split in ("train", "dev")]
        assert sum(map(len, streams)) == 300 and 2 < len(streams[1]) < 40
        lengths.append(streams[1].ids.tolist())
    assert lengths[0] == lengths[1] != lengths[2]


@pytest.mark.parametrize("text", ["", "\n \n", "only one\n"])
def test_too_little_text_is_a_data_error(tmp_path, text):
    (tmp_path / "t.txt").write_text(text)
    with pytest.raises(DataError, match="t.txt"):
        preprocess_text(open_corpus("text", {"train": [tmp_path / "t.txt"]}), tmp_path / "o")
    assert not (tmp_path / "o").exists() and [path.name for path in tmp_path.iterdir()] == ["t.txt"]


def test_border_signs_inside_a_sentence_are_bad_lines(tmp_path):
    (tmp_path / "t.txt").write_text("a b\n<s> a b </s>\nb a\n")
    files = {"train": [tmp_path / "t.txt"], "dev": [tmp_path / "t.txt"]}
    with pytest.raises(DataError, match="t.txt:2: .*reserved"):
        preprocess_text(open_corpus("text", files), tmp_path / "o")
    found = preprocess_text(open_corpus("text", files, skip_bad=True), tmp_path / "o")
    assert found.data.meta["splits"]["train"]["sentences"] == 2 and found.data.meta["left_out"] == 2


def test_border_signs_in_capitals_are_bad_where_text_is_put_into_lower_case(tmp_path):
    (tmp_path / "t.txt").write_text("A b\nA </S> b\nb a <S>\n")
    files = {"train": [tmp_path / "t.txt"], "dev": [tmp_path / "t.txt"]}
    with pytest.raises(DataError, match="t.txt:2: .*reserved"):
        preprocess_text(open_corpus("text", files, min_count=1, lowercase=True), tmp_path / "o")
    found = preprocess_text(open_corpus("text", files, min_count=1, lowercase=True, skip_bad=True), tmp_path / "o")
    assert found.data.meta["vocabulary"] == 4 and found.data.meta["left_out"] == 4


@pytest.mark.parametrize("sizes", [{"vocab_size": 0}, {"vocab_size": 2}, {"vocab_size": -5}, {"min_count": 0}])
def test_sizes_without_sense_are_usage_errors(tmp_path, sizes):
    (tmp_path / "t.txt").write_text("a b\na b\n")
    files = {"train": [tmp_path / "t.txt"], "dev": [tmp_path / "t.txt"]}
    with pytest.raises(UsageError, match="must be at least"):
        preprocess_text(open_corpus("text", files, **sizes), tmp_path / "o")
    with pytest.raises(UsageError, match="must be at least"):
        preprocess_sherlock(open_corpus("sherlock", {"train": [tmp_path / "t.txt"]}, **sizes), tmp_path / "o")


def test_a_vocabulary_without_words_is_a_data_error(tmp_path):
    (tmp_path / "t.txt").write_text("a b\na b\n")
    with pytest.raises(DataError, match="t.txt: no training word occurs 3 times"):
        preprocess_text(
            open_corpus(
                "text", {split: [tmp_path / "t.txt"] for split in ("train", "dev")}, vocab_size=None, min_count=3
            ),
            tmp_path / "o",
        )
    assert not (tmp_path / "o").exists()


def test_no_sentence_of_the_wanted_length(data, tmp_path):
    for model in ("ngram", "rm"):
        with pytest.raises(RunError, match="nothing to train on"):
            train(TrainOptions(model, data / "data", tmp_path / model, settings={"min_length": 1000}))
        assert not (tmp_path / model).exists()


def test_trees_and_treebanks_give_their_words(tmp_path):
    (tmp_path / "t.mrg").write_text("( (S (NP (NN tea)) (VP (VBZ cools)) (-NONE- *T*)) )\n( (NP (NN tea)) )\n")
    files = {"train": [tmp_path / "t.mrg"], "dev": [tmp_path / "t.mrg"]}
    meta = preprocess_text(open_corpus("ptb", files, min_count=1), tmp_path / "o").data.meta
    assert meta["splits"]["train"] == {"sentences": 2, "tokens": 3, "unknown": 0.0}


def test_eval_reports_what_token_by_token_scoring_sums_to(runs):
    for name in ("rm", "memn", "ngram", "tran"):
        model = load_language_model([runs / name])
        sentences = [line.split() for line in (runs / "test.txt").read_text().splitlines()]
        total, count = 0.0, 0
        for sentence in sentences:  # one by one: batches must change nothing
            logs = model.score_sentences([sentence])[0]
            total, count = total - float(logs.sum()), count + len(logs)
        for report in (
            evaluate(EvaluateOptions(runs / name)).report,
            evaluate(EvaluateOptions(runs / name, runs / "test.txt")).report,
        ):
            assert report["tokens"] == count == sum(len(sentence) + 1 for sentence in sentences)
            assert report["perplexity"] == pytest.approx(math.exp(total / count), rel=1e-5)


def test_models_learn_more_than_the_frequencies(runs):
    assert evaluate(EvaluateOptions(runs / "ngram")).report["perplexity"] < 5  # of six words and </s>


def test_interpolation_is_not_worse_than_its_best_part_on_dev(runs):
    report = evaluate(
        EvaluateOptions(
            runs / "rm",
            split="dev",
            mix_with=(
                runs / "ngram",
                runs / "memn",
            ),
        )
    ).report
    assert sum(part["weight"] for part in report["mixture"]) == pytest.approx(1)
    assert report["perplexity"] <= min(part["perplexity"] for part in report["mixture"]) + 1e-6


@pytest.mark.parametrize("option", ["betas", "parses", "column"])
def test_flags_of_taggers_are_refused(runs, option):
    with pytest.raises(UsageError, match=r"^--\w+ is for runs of tagging, and this one is for lm$"):
        evaluate(EvaluateOptions(runs / "rm", **{option: [0.1] if option == "betas" else "x"}))


@pytest.mark.parametrize(
    ("name", "format", "holds"),
    [("q.csv", None, "questions"), ("v.vec", None, "vectors"), ("t.txt", "gutenberg", "para")],
)
def test_files_without_sentences_are_refused(runs, tmp_path, name, format, holds):
    (tmp_path / name).write_text("id,question,a),b),c),d),e)\n1,an _____ eel,a,b,c,d,e\n")
    with pytest.raises(UsageError, match=f"need sentences .* holds {holds}"):
        evaluate(EvaluateOptions(runs / "ngram", tmp_path / name, format=format))


def test_interpolation_of_unlike_vocabularies_is_a_usage_error(runs, tmp_path):
    preprocess_text(
        open_corpus("text", {"train": [runs / "train.txt"], "dev": [runs / "dev.txt"]}, vocab_size=5),
        tmp_path / "d",
    )
    train(TrainOptions("ngram", tmp_path / "d", tmp_path / "r"))
    with pytest.raises(UsageError, match="different vocabularies"):
        evaluate(EvaluateOptions(runs / "rm", mix_with=(tmp_path / "r",)))
    with pytest.raises(RunError, match="vocabulary"):
        evaluate(EvaluateOptions(runs / "rm", tmp_path / "d", "dev"))


def test_a_data_folder_with_as_many_other_words_is_refused(runs, tmp_path):
    text = (runs / "test.txt").read_text().replace("ant", "gnu")
    (tmp_path / "t.txt").write_text(text)
    preprocess_text(
        open_corpus("text", {split: [tmp_path / "t.txt"] for split in ("train", "dev")}, vocab_size=8),
        tmp_path / "data",
    )
    assert open_data_folder(tmp_path / "data").meta["vocabulary"] == 8
    with pytest.raises(RunError, match="vocabulary differs from the run's"):
        evaluate(EvaluateOptions(runs / "ngram", tmp_path / "data"))


def test_counted_runs_are_not_overwritten(runs):
    with pytest.raises(UsageError, match="already"):
        train(TrainOptions("ngram", runs / "data", runs / "ngram"))


def score(model, text, **options):
    parts = []
    totals = score_lines(model, lines_from_bytes(text.encode()), parts.append, ScoreOptions(**options))
    return b"".join(parts).decode(), totals


def test_score_prints_a_line_for_each_line(runs):
    model = load_language_model([runs / "rm"])
    text, totals = score(model, "ant bee ant\n\nwasp\n")
    lines = text.split("\n")
    assert len(lines) == 4 and lines[1] == "" and lines[3] == ""
    log, ppl, tokens, unknown = lines[0].split("\t")
    logs = model.score_sentences([["ant", "bee", "ant"]])[0]
    assert float(log) == pytest.approx(float(logs.sum()), abs=1e-4)
    assert float(ppl) == pytest.approx(math.exp(-float(logs.sum()) / 4), rel=1e-4)
    assert (tokens, unknown) == ("4", "0") and lines[2].split("\t")[2:] == ["2", "1"]
    assert (totals.sentences, totals.tokens, totals.unknown) == (2, 6, 1)


def test_score_per_token_and_as_json(runs):
    model = load_language_model([runs / "ngram"])
    text, _ = score(model, "cat cat\n\n", per_token=True)
    assert [line.split("\t")[0] for line in text.split("\n")] == ["cat", "cat", "</s>", "", "", ""]
    record = json.loads(score(model, "cat cat\n", per_token=True, json=True)[0])
    assert record["words"] == ["cat", "cat", "</s>"] and record["tokens"] == 3
    assert record["log_probability"] == pytest.approx(sum(record["log_probabilities"]), abs=1e-5)


def test_score_writes_what_comes_before_a_fault(runs):
    model, parts = load_language_model([runs / "ngram"]), []
    with pytest.raises(DataError, match=":2:.*reserved"):
        score_lines(model, lines_from_bytes(b"cat\ndog <s>\n"), parts.append)
    assert b"".join(parts).count(b"\n") == 1


def test_mixtures_score_the_mean_of_probabilities(runs):
    names = ("rm", "ngram")
    apart = [np.exp(load_language_model([runs / name]).score_sentences([["ant", "fox"]])[0]) for name in names]
    mixed = load_language_model([runs / name for name in names]).score_sentences([["ant", "fox"]])[0]
    np.testing.assert_allclose(np.exp(mixed), np.mean(apart, axis=0), rtol=1e-6)


@pytest.mark.corpus
def test_counts_of_the_penn_treebank(shared_data, tmp_path):
    names = {"train": "ptb.train.txt", "dev": "ptb.valid.txt", "test": "ptb.test.txt"}
    files = {split: [shared_data / "ptb_lm" / name] for split, name in names.items()}
    meta = preprocess_text(open_corpus("text", files), tmp_path / "ptb").data.meta
    counts = {split: (c["sentences"], c["tokens"]) for split, c in meta["splits"].items()}
    assert counts == {"train": (42_068, 887_521), "dev": (3_370, 70_390), "test": (3_761, 78_669)}
    assert meta["vocabulary"] == 10_000
