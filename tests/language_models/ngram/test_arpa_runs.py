"""ARPA files in and out through runs, kenlm as the judge where it is installed."""

import math

import numpy as np
import pytest

from nntag.commands.evaluate import evaluate
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.config.options.use import EvaluateOptions
from nntag.errors import RunError, UsageError
from nntag.language_models.mixture import load_language_model
from nntag.language_models.ngram.arpa_runs import export_arpa, import_arpa
from nntag.language_models.preprocessing.text import preprocess_text
from nntag.training.runs import load_run
from tests.opening import open_corpus

TEXT = "a b c\nb a\na b a b\nc c a\nd a b c a\na d b\nb b c\nc a b\n"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("arpa")
    (folder / "t.txt").write_text(TEXT * 4 + "e a b\nf\n")
    preprocess_text(
        open_corpus("text", {"train": [folder / "t.txt"], "dev": [folder / "t.txt"]}),
        folder / "data",
    )
    train(TrainOptions("ngram", folder / "data", folder / "run", settings={"order": 3}))
    export_arpa(folder / "m.arpa", folder / "run")
    import_arpa(folder / "m.arpa", folder / "back")
    return folder


def test_an_imported_model_has_no_data_folder(runs):
    with pytest.raises(
        RunError, match="back/best: made from an ARPA file, so it has no data folder; name one with --data"
    ):
        load_run(runs / "back").open_data()


def test_an_exported_and_imported_model_gives_the_same_probabilities(runs):
    sentences = [line.split() for line in ("a b c", "d", "zebra a", "c c c c b", "f e")]
    scores = [load_language_model([runs / name]).score_sentences(sentences) for name in ("run", "back")]
    for first, second in zip(*scores, strict=True):
        np.testing.assert_allclose(first, second, rtol=1e-6)


def test_an_imported_model_is_evaluated_on_files(runs):
    reports = [evaluate(EvaluateOptions(runs / name, runs / "t.txt")).report for name in ("run", "back")]
    assert reports[0]["perplexity"] == pytest.approx(reports[1]["perplexity"], rel=1e-6)


def test_an_imported_model_with_its_words_in_another_order_is_mixed(runs):
    head, mark, sections = (runs / "m.arpa").read_text().partition("\\1-grams:\n")
    unigrams, gap, longer = sections.partition("\n\n")
    (runs / "turned.arpa").write_text(head + mark + "\n".join(reversed(unigrams.splitlines())) + gap + longer)
    import_arpa(runs / "turned.arpa", runs / "turned")
    train(TrainOptions("lstm-lm", runs / "data", runs / "lstm", settings={"hidden": 4, "train.epochs": 1}))
    sentences = [["a", "b", "zebra"], ["f"]]
    for names in (("lstm", "run"), ("run", "lstm")):
        ours = load_language_model([runs / name for name in names])
        theirs = load_language_model([runs / name.replace("run", "turned") for name in names])
        assert theirs.vocabulary.words == ours.vocabulary.words
        for expected, found in zip(ours.score_sentences(sentences), theirs.score_sentences(sentences), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-6)
    mixed = evaluate(EvaluateOptions(runs / "turned", runs / "data", mix_with=(runs / "lstm",))).report
    assert mixed["perplexity"] == pytest.approx(
        evaluate(EvaluateOptions(runs / "run", runs / "data", mix_with=(runs / "lstm",))).report["perplexity"], rel=1e-6
    )


def test_kenlm_reads_the_file(runs):
    kenlm = pytest.importorskip("kenlm")
    model = kenlm.Model(str(runs / "m.arpa"))
    ours = load_language_model([runs / "run"])
    for line in ("a b c", "d a b c a", "f"):
        assert model.score(line) * math.log(10) == pytest.approx(
            float(ours.score_sentences([line.split()])[0].sum()), rel=1e-5
        )


def test_only_ngram_runs_are_exported_and_no_run_is_overwritten(runs):
    train(TrainOptions("memn", runs / "data", runs / "memn", settings={"hidden": 4, "train.epochs": 1}))
    with pytest.raises(UsageError, match="only an n-gram model"):
        export_arpa(runs / "x.arpa", runs / "memn")
    with pytest.raises(UsageError, match="already"):
        import_arpa(runs / "m.arpa", runs / "back")
    with pytest.raises(UsageError, match="cannot be written"):
        export_arpa(runs / "no" / "x.arpa", runs / "run")


def test_a_file_in_kenlms_order_of_words(tmp_path):
    unigrams = "-1\t<unk>\n0\t<s>\t-0.5\n-0.7\t</s>\n-0.4\ta\t-0.25\n-0.6\tb\t-0.1\n"
    bigrams = "-0.2\t<s> a\n-0.3\ta b\n-0.35\tb </s>\n"
    text = f"\\data\\\nngram 1=5\nngram 2=3\n\n\\1-grams:\n{unigrams}\n\\2-grams:\n{bigrams}\n\\end\\\n"
    (tmp_path / "k.arpa").write_text(text)
    import_arpa(tmp_path / "k.arpa", tmp_path / "run")
    model = load_language_model([tmp_path / "run"])
    scores = [scores / math.log(10) for scores in model.score_sentences([["a", "b"], ["b", "x"]])]
    np.testing.assert_allclose(scores[0], [-0.2, -0.3, -0.35], rtol=1e-5)
    np.testing.assert_allclose(scores[1], [-0.5 - 0.6, -0.1 - 1, -0.7], rtol=1e-5)
