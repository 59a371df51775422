"""`tag --tokenize`: running text in; tokens with tags, spaces, text and offsets out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nntag.corpora.lines import lines_from_bytes
from nntag.corpora.raw_text import read_raw_text
from nntag.tagging.stream.output import restore_text
from tests.command_line import Finished, fails, run_nntag
from tests.tagging.tiny_run import make_tiny_run

TEXT = 'Bob (the dog)  runs. "The dog ends\u00a0now," he said.\n\nthe dog ends\n'


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_run(tmp_path_factory.mktemp("raw"))


def tag(run: Path, *arguments: str, text: str = TEXT) -> Finished:
    done = run_nntag("tag", "--model", run, *arguments, stdin=text.encode())
    assert done.code == 0, done.err
    return done


def test_every_sentence_has_a_line_and_blank_lines_stay(run: Path) -> None:
    lines = tag(run, "--tokenize").out.split("\n")
    words = [[pair.rpartition("|")[0] for pair in line.split()] for line in lines]
    assert words == [
        ["Bob", "(", "the", "dog", ")", "runs", "."],
        ['"', "The", "dog", "ends", "now", ",", '"', "he", "said", "."],
        [],
        ["the", "dog", "ends"],
        [],
    ]
    assert lines[3] == "the|DT dog|NN ends|VB"


def test_conllu_says_where_no_space_follows(run: Path) -> None:
    blocks = tag(run, "--tokenize", "--format", "conllu").out.split("\n\n")
    assert [block.split("\n")[0] for block in blocks] == [
        "# text = Bob (the dog) runs.",
        '# text = "The dog ends now," he said.',
        "# empty",
        "# text = the dog ends",
        "",
    ]
    rows = [line.split("\t") for line in blocks[0].split("\n")[1:]]
    assert [row[9] for row in rows] == ["_", "SpaceAfter=No", "_", "SpaceAfter=No", "_", "SpaceAfter=No", "_"]
    assert all(len(row) == 10 and row[3] != "_" for row in rows)
    in_misc = tag(run, "--tokenize", "--format", "conllu", "--column", "MISC").out.split("\n")[2]
    assert in_misc.split("\t")[3] == "_" and in_misc.split("\t")[9].startswith("SpaceAfter=No|Tag=")
    assert tag(run, "--format", "conllu", text="the dog").out.split("\n")[0].startswith("1\tthe\t")


def test_json_says_where_tokens_stand(run: Path) -> None:
    records = [json.loads(line) for line in tag(run, "--tokenize", "--format", "json").out.splitlines()]
    assert [record["line"] for record in records] == [1, 1, 2, 3]
    for record in records:
        line = TEXT.split("\n")[record["line"] - 1]
        assert [line[start:end] for start, end in record["offsets"]] == record["tokens"]
    assert "offsets" not in json.loads(tag(run, "--format", "json", text="the dog").out)


@given(st.text(alphabet="aB.,'\"()- \t\u00a0\u2009!?", max_size=40))
def test_the_text_of_conllu_is_that_of_its_forms_and_spaces(text: str) -> None:
    for sentence in read_raw_text(lines_from_bytes(text.encode())):
        if sentence.tokens:
            start, end = sentence.spans[0][0], sentence.spans[-1][1]
            assert restore_text(sentence.tokens, sentence.spaces) == " ".join(text[start:end].split())


def test_only_text_is_tokenised(run: Path, tmp_path: Path) -> None:
    (tmp_path / "x.conllu").write_text("1\tdog\t_\tNOUN\t_\t_\t0\troot\t_\t_\n\n")
    error = fails("tag", "--model", run, "--tokenize", tmp_path / "x.conllu")
    assert error.startswith("--tokenize is for plain text, and ") and "read as conllu" in error


def test_text_that_is_not_tokenised_is_told_once(run: Path) -> None:
    (line,) = [line for line in tag(run, text="The dog runs.\n" * 30).err.splitlines() if "warning" in line]
    assert "not tokenised (runs.)" in line and "--tokenize" in line
    assert tag(run, "--tokenize").err == ""
