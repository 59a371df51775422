"""ARPA files: written and read back, read by kenlm, worked by hand, and malformed."""

from __future__ import annotations

import gzip
import logging
import math
from pathlib import Path

import numpy as np
import pytest

from nntag.errors import DataError, UsageError
from nntag.language_models.ngram.arpa import write_arpa
from nntag.language_models.ngram.arpa_reader import read_arpa
from nntag.language_models.ngram.estimate import estimate_ngrams
from nntag.language_models.ngram.model import NgramModel

WORDS = ["</s>", "<unk>", "a", "b", "c", "ça", "x\u00a0y"]  # a no-break space belongs to its token
BOS_ID = len(WORDS)

HAND_WRITTEN = """\
whatever stands before

\\data\\
ngram 1=5
ngram 2=3
ngram 3=1

\\1-grams:
-1.0\t<unk>
-99\t<s>\t-0.5
-0.7\t</s>
-0.4\ta\t-0.3
-0.9\tb\t-0.2

\\2-grams:
-0.3\t<s> a\t-0.1
-0.6 a b -0.25
-0.2\tb </s>

\\3-grams:
-0.05\t<s> a b

\\end\\
"""


@pytest.fixture(scope="module")
def trained() -> tuple[NgramModel, np.ndarray]:
    generator = np.random.default_rng(0)
    tokens = np.concatenate([np.append(generator.integers(1, 7, generator.integers(0, 9)), 0) for _ in range(150)])
    return estimate_ngrams(tokens, 0, BOS_ID, len(WORDS), 3), tokens


@pytest.mark.parametrize("name", ["model.arpa", "model.arpa.gz"])
def test_round_trip_is_exact(tmp_path, trained, name):
    model, tokens = trained
    write_arpa(model, tmp_path / name, WORDS)
    back, words = read_arpa(tmp_path / name)
    assert words == [*WORDS, "<s>"] and (back.bos, back.eos) == (BOS_ID, 0)
    for k in range(3):
        np.testing.assert_array_equal(back.keys[k], model.keys[k])
        np.testing.assert_array_equal(back.log_prob[k], model.log_prob[k])
    for k in range(2):
        np.testing.assert_array_equal(back.log_backoff[k], model.log_backoff[k])
    write_arpa(back, tmp_path / f"again-{name}", words)
    read = gzip.open if name.endswith(".gz") else open
    with read(tmp_path / name, "rb") as one, read(tmp_path / f"again-{name}", "rb") as other:
        assert one.read() == other.read()


def test_kenlm_reads_the_same_scores(tmp_path, trained):
    kenlm = pytest.importorskip("kenlm")
    model, tokens = trained
    write_arpa(model, tmp_path / "model.arpa", WORDS)
    theirs = kenlm.Model(str(tmp_path / "model.arpa"))
    generator = np.random.default_rng(1)
    for length in range(12):
        ids = generator.integers(1, 7, length)
        text = " ".join(WORDS[i] for i in ids)
        expected = [-log10 * math.log(10) for log10, _, _ in theirs.full_scores(text)]
        np.testing.assert_allclose(model.token_nats(np.append(ids, 0)), expected, rtol=1e-5)


def test_hand_written_file(tmp_path):
    (tmp_path / "hand.arpa").write_text(HAND_WRITTEN.replace("\n", "\r\n"), encoding="utf-8")
    model, words = read_arpa(tmp_path / "hand.arpa")
    ids = {word: number for number, word in enumerate(words)}
    assert model.counts == [5, 3, 1]

    def log10_of(text: str) -> list[float]:
        tokens = np.array([ids[word] for word in text.split()] + [ids["</s>"]])
        return (-model.token_nats(tokens) / math.log(10)).tolist()

    # <s> a b </s>: bigram, trigram, then "a b </s>" is absent: backoff of "a b" + bigram "b </s>"
    assert log10_of("a b") == pytest.approx([-0.3, -0.05, -0.25 - 0.2], abs=1e-6)
    # b: backoff of <s> + unigram; a: "<s> b" is absent, so backoff of b + unigram; b: bigram, "b a" being absent
    # </s>: backoff of "a b" + bigram
    assert log10_of("b a b") == pytest.approx([-0.5 - 0.9, -0.2 - 0.4, -0.6, -0.25 - 0.2], abs=1e-6)
    # an unknown word has no context of its own: backoff of <s> + unigram; then a alone
    assert log10_of("<unk> a") == pytest.approx([-0.5 - 1.0, -0.4, -0.3 - 0.7], abs=1e-6)


def test_missing_signs(tmp_path, caplog):
    text = HAND_WRITTEN.replace("-1.0\t<unk>\n", "").replace("ngram 1=5", "ngram 1=4")
    (tmp_path / "no-unk.arpa").write_text(text, encoding="utf-8")
    with caplog.at_level(logging.WARNING, "nntag"):
        model, words = read_arpa(tmp_path / "no-unk.arpa")
    assert "no-unk.arpa" in caplog.text and "<unk>" in caplog.text
    assert words == ["<s>", "</s>", "a", "b", "<unk>"]
    assert -model.token_nats(np.array([4, 1]))[0] / math.log(10) == pytest.approx(-100.5)
    only = "\\data\\\nngram 1=2\n\n\\1-grams:\n-0.3\t</s>\n-0.3\ta\n\n\\end\\\n"
    (tmp_path / "no-bos.arpa").write_text(only, encoding="utf-8")
    model, words = read_arpa(tmp_path / "no-bos.arpa")
    assert words == ["</s>", "a", "<unk>"] and model.order == 1
    assert model.token_nats(np.array([1, 0])).sum() / math.log(10) == pytest.approx(0.6)


def test_the_unknown_word_in_capitals(tmp_path, caplog):
    (tmp_path / "file.arpa").write_text(HAND_WRITTEN.replace("<unk>", "<UNK>"), encoding="utf-8")
    with caplog.at_level(logging.WARNING, "nntag"):
        model, words = read_arpa(tmp_path / "file.arpa")
    assert words[0] == "<unk>" and len(words) == 5 and not caplog.text
    assert model.log_prob[0][0] == pytest.approx(-1.0 * math.log(10))


@pytest.mark.parametrize(
    ("old", "new", "line", "reason"),
    [
        ("\\end\\\n", "", 22, "cut short"),
        ("\\end\\\n", "\\4-grams:\n", 23, r"expected an n-gram or \\end"),
        ("ngram 2=3", "ngram 2=4", 20, "announces 4 2-grams, found 3"),
        ("ngram 2=3\n", "", 5, "expected ngram 2="),
        ("-0.9\tb\t-0.2", "-0.9\ta\t-0.2", 13, "listed twice"),
        ("-0.9\tb\t-0.2", "0.9\tb\t-0.2", 13, "log probabilities"),
        ("-0.9\tb\t-0.2", "nan\tb\t-0.2", 13, "log probabilities"),
        ("-0.9\tb\t-0.2", "b", 13, "1 words"),
        ("-0.9\tb\t-0.2", "x\tb\t-0.2", 13, "expected numbers"),
        ("-0.2\tb </s>", "-0.2\tb z", 18, "'z' is not among"),
        ("-0.2\tb </s>", "-0.6\ta b", 18, "listed twice"),
        ("-0.05\t<s> a b", "-0.05\tb a b", 21, "first 2 words"),
        ("-0.7\t</s>", "-0.7\t</S>", 0, "'</s>'"),
    ],
)
def test_faults_are_named_with_their_line(tmp_path, old, new, line, reason):
    assert old in HAND_WRITTEN
    path = tmp_path / "bad.arpa"
    path.write_text(HAND_WRITTEN.replace(old, new), encoding="utf-8")
    with pytest.raises(DataError, match=reason) as caught:
        read_arpa(path)
    assert caught.value.path == str(path)
    if line:
        assert caught.value.line == line


def test_not_an_arpa_file(tmp_path: Path):
    (tmp_path / "text").write_text("some\ntext\n", encoding="utf-8")
    with pytest.raises(DataError, match="data"):
        read_arpa(tmp_path / "text")
    with pytest.raises(DataError, match="cannot be read"):
        read_arpa(tmp_path / "absent")
    (tmp_path / "empty").touch()
    with pytest.raises(DataError, match=r"empty: the file ends, expected \\data"):
        read_arpa(tmp_path / "empty")


def test_words_that_the_format_cannot_hold(tmp_path, trained):
    model, _ = trained
    for words in (["</s>", "<unk>", "a a", *WORDS[3:]], ["</s>", "<unk>", "b", *WORDS[3:]], [*WORDS[:-1], ""]):
        with pytest.raises(UsageError, match="ARPA"):
            write_arpa(model, tmp_path / "model.arpa", words)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("iARPA\n\n" + HAND_WRITTEN, "f.arpa:1: expected a file in the format arpa, found what looks like an intermed"),
        ("qARPA 3\n\n" + HAND_WRITTEN, "f.arpa:1: expected a file in the format arpa"),
        (HAND_WRITTEN.replace("-0.4\ta", "-0.1\ta"), r"the probabilities of the unigrams sum to 1.22"),
        (
            HAND_WRITTEN.replace("b", "<UNK>"),
            "more than one sign of unknown words: <unk>",
        ),
    ],
)
def test_files_that_are_no_arpa_files(tmp_path, text, reason):
    (tmp_path / "f.arpa").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=reason):
        read_arpa(tmp_path / "f.arpa")
