"""Columns of one tag, of no tag, of too many tags, and gold tags that a model does not know: refused or told."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from nntag.encoding.labels import check_gold_tags, check_training_tags
from nntag.errors import DataError
from tests.command_line import fails, run_nntag
from tests.tagging.tiny_run import make_tiny_run


def conllu(xpos: list[str]) -> str:
    rows = [f"{n}\tw{n}\t_\tNOUN\t{tag}\t_\t0\t_\t_\t_" for n, tag in enumerate(xpos, 1)]
    return ("\n".join(rows) + "\n\n") * 4


@pytest.mark.parametrize(
    ("tags", "reason"),
    [(["_", "_", "_"], "the column XPOS holds no tag in any line"), (["X", "X"], "has the tag 'X' on every word")],
)
def test_a_column_of_one_tag_is_refused(tmp_path: Path, tags: list[str], reason: str) -> None:
    file = tmp_path / "train.conllu"
    file.write_text(conllu(tags))
    message = fails("preprocess", "conllu", "--column", "XPOS", "--train", file, "--out", tmp_path / "data")
    assert message.startswith(f"{file}: ") and reason in message
    assert not (tmp_path / "data").exists()


def test_a_column_of_as_many_tags_as_words_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, logger="nntag"):
        check_training_tags({f"t{n}": 1 for n in range(501)}, 900, "f", "LEMMA")
        check_training_tags({f"t{n}": 1 for n in range(501)}, 2000, "f", "CAT")
        check_training_tags({f"t{n}": 1 for n in range(500)}, 500, "f", "CAT")
    assert [record.getMessage()[:49] for record in caplog.records] == [
        "f: the column LEMMA has 501 different tags for 90"
    ]


def test_gold_tags_that_the_model_does_not_know(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(DataError, match=r"f: none of its tags \(NN, VB\) is known .* NOUN, VERB, ADJ, \.\.\.; was it"):
        check_gold_tags({"NN": 3, "VB": 1}, ("NOUN", "VERB", "ADJ", "X"), "f")
    with caplog.at_level(logging.WARNING, logger="nntag"):
        check_gold_tags({"NN": 3, "NOUN": 2}, ("NOUN",), "f")
        check_gold_tags({"NN": 3, "NOUN": 3}, ("NOUN",), "f")
        check_gold_tags({"NOUN": 3}, ("NOUN",), "f")
    messages = [record.getMessage() for record in caplog.records]
    assert messages == [
        "f: the model knows the tags of only 2 of its 5 words",
        "f: every gold tag is 'NOUN', so that its accuracy says little",
    ]


def test_eval_of_another_column_is_refused(tmp_path: Path) -> None:
    run = make_tiny_run(tmp_path, column="XPOS", epochs=1)
    message = fails("eval", "--model", run, "--data", tmp_path / "test.conllu", "--column", "UPOS")
    assert "none of its tags" in message and "was it trained on another column?" in message
    assert run_nntag("eval", "--model", run, "--data", tmp_path / "test.conllu").code == 0


def test_one_class_of_sentences_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "train.txt"
    file.write_text("(0 (1 bad) (2 film))\n(2 (2 a) (2 film))\n" * 9)
    message = fails("preprocess", "sst", "--task", "binary", "--train", file, "--out", tmp_path / "data")
    assert "all training sentences have one class (labels seen: 0, 1, 2; 0 to 4 are expected)" in message
