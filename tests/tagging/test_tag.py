"""Tagging streams and single sentences: one line in, one line out, whatever stands in it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

import nntag
from nntag.config.options.use import TagOptions
from nntag.corpora import arrivals
from nntag.corpora.lines import Lines, lines_from_bytes
from nntag.errors import DataError, RunError, UsageError
from nntag.tagging.tag import Tagger, load_tagger, tag_lines, tag_stream
from tests.tagging.tiny_run import make_tiny_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_run(tmp_path_factory.mktemp("tag"))


@pytest.fixture(scope="module")
def tagger(run: Path) -> Tagger:
    return load_tagger(run)


def tag_bytes(tagger: Tagger, data: bytes, input_format: str = "text", **output) -> str:
    written: list[bytes] = []
    tag_lines(tagger, lines_from_bytes(data), written.append, TagOptions(input_format=input_format, **output))
    return b"".join(written).decode("utf-8")


def test_the_python_interface(run: Path) -> None:
    tagger = nntag.load(run)
    assert tagger.tag(["the", "run", "ends"]) == ["DT", "NN", "VB"]
    assert tagger.tag_all([["Bob", "run", "now"], [], ["the", "dog", "ends"]]) == [
        ["NP", "VB", "RB"],
        [],
        ["DT", "NN", "VB"],
    ]
    assert tagger.tag([]) == [] and tagger.tag_all([]) == []
    assert sorted(tagger.tags) == ["DT", "NN", "NP", "RB", "VB"]
    likely = tagger.likely_tags(["the", "run"], beta=1e-30)
    assert [{tag for tag, _ in word} for word in likely] == [set(tagger.tags)] * 2
    for word in likely:
        assert sum(p for _, p in word) == pytest.approx(1, abs=1e-5)
        assert [p for _, p in word] == sorted((p for _, p in word), reverse=True)


def test_likely_tags_are_those_within_beta_of_the_best(tagger: Tagger) -> None:
    everything = tagger.likely_tags(["owl", "run", "x"], beta=1e-30)
    for beta in (0.9, 0.1, 0.001):
        for word, whole in zip(tagger.likely_tags(["owl", "run", "x"], beta), everything, strict=True):
            assert word == [(tag, p) for tag, p in whole if p >= beta * whole[0][1]]


def test_a_beta_of_1_is_one_tag_even_where_several_are_best(run: Path) -> None:
    tagger = load_tagger(run)
    with torch.no_grad():
        tagger.run.model.output.weight.zero_()
        tagger.run.model.output.bias.zero_()
    assert tag_bytes(tagger, b"the dog\n", beta=1.0) == f"the|{tagger.tags[0]}|0.2000 dog|{tagger.tags[0]}|0.2000\n"
    assert [len(word) for word in tagger.likely_tags(["the", "dog"], 0.999)] == [5, 5]


@pytest.mark.parametrize("beta", [0, -1, 1.5, float("nan")])
def test_betas_out_of_range(tagger: Tagger, beta: float) -> None:
    with pytest.raises(UsageError, match="beta must be above 0 and at most 1"):
        tagger.likely_tags(["the"], beta)
    with pytest.raises(UsageError, match="--beta must be above 0 and at most 1"):
        tag_bytes(tagger, b"the\n", beta=beta)


def test_a_string_is_no_sentence(tagger: Tagger) -> None:
    for call in (tagger.tag, tagger.tag_all, tagger.likely_tags):
        with pytest.raises(TypeError, match="a sentence is a list of tokens"):
            call("the dog ends")


def test_text_in_piped_out_line_by_line(tagger: Tagger) -> None:
    data = b"the dog ends\n\n \t \r\nBob run now\r\n\nthe walk ends"
    assert tag_bytes(tagger, data) == "the|DT dog|NN ends|VB\n\n\nBob|NP run|VB now|RB\n\nthe|DT walk|NN ends|VB\n"
    assert tag_bytes(tagger, b"") == "" and tag_bytes(tagger, b"\n") == "\n"


@pytest.mark.parametrize(
    "word",
    [
        "a\u00a0b",
        "c\u2028d",
        "e\x85f",
        "g\x0ch",
        "i\rj",
        "k\x00l",
        "#",
        "_",
        "|",
        "||x|",
        "\ufeffm",
        "漢字",
        "x" * 10_000,
    ],
    ids=ascii,
)
def test_every_word_comes_out_as_it_went_in(tagger: Tagger, word: str) -> None:
    line = f"the {word}  {word}\n".encode()
    tokens = [pair.rpartition("|")[0] for pair in tag_bytes(tagger, line).removesuffix("\n").split(" ")]
    assert tokens == ["the", word, word]
    assert [json.loads(tag_bytes(tagger, line, format="json"))["tokens"]] == [tokens]
    rows = tag_bytes(tagger, line, format="conllu").removesuffix("\n\n").split("\n")
    assert [row.split("\t")[1] for row in rows] == tokens


def test_a_very_long_sentence_has_no_limit(tagger: Tagger) -> None:
    out = tag_bytes(tagger, b"the dog " * 3000 + b"\n")
    pairs = [pair.split("|") for pair in out.removesuffix("\n").split(" ")]
    assert [word for word, _ in pairs] == ["the", "dog"] * 3000 and {tag for _, tag in pairs} <= set(tagger.tags)


def test_every_output_format(tagger: Tagger) -> None:
    data = b"the run\n\nBob\n"
    the, run, bob = *tagger.tag(["the", "run"]), *tagger.tag(["Bob"])
    assert tag_bytes(tagger, data, format="columns") == f"the\t{the}\nrun\t{run}\n\n\nBob\t{bob}\n\n"
    blank = "\t_\t_\t_\t_\t_"
    conllu = f"1\tthe\t_\t{the}\t_{blank}\n2\trun\t_\t{run}\t_{blank}\n\n# empty\n\n1\tBob\t_\t{bob}\t_{blank}\n\n"
    assert tag_bytes(tagger, data, format="conllu") == conllu
    assert tag_bytes(tagger, data, format="conllu", column="xpos").startswith(f"1\tthe\t_\t_\t{the}\t_\t")
    records = [json.loads(line) for line in tag_bytes(tagger, data, format="json").splitlines()]
    assert records == [
        {"tokens": ["the", "run"], "tags": [the, run]},
        {"tokens": [], "tags": []},
        {"tokens": ["Bob"], "tags": [bob]},
    ]


def test_probabilities_in_every_format_that_has_room(tagger: Tagger) -> None:
    (((_, best), *_),) = tagger.likely_tags(["the"], 1e-30)
    assert tag_bytes(tagger, b"the\n", probabilities=True) == f"the|DT|{best:.4f}\n"
    assert tag_bytes(tagger, b"the\n", probabilities=True, format="columns") == f"the\tDT\t{best:.4f}\n\n"
    record = json.loads(tag_bytes(tagger, b"the\n", probabilities=True, format="json"))
    assert record == {"tokens": ["the"], "tags": ["DT"], "probabilities": [round(best, 6)]}
    with pytest.raises(
        UsageError, match="CoNLL-U has no column for probabilities; use --format json, columns or piped"
    ):
        tag_bytes(tagger, b"the\n", probabilities=True, format="conllu")


def test_several_tags_a_word(tagger: Tagger) -> None:
    (word,) = tagger.likely_tags(["owl"], 0.001)
    assert len(word) > 1
    fields = [field for tag, p in word for field in (tag, f"{p:.4f}")]
    assert tag_bytes(tagger, b"owl\n", beta=0.001) == "|".join(["owl", *fields]) + "\n"
    assert tag_bytes(tagger, b"owl\n", beta=0.001, format="columns") == "\t".join(["owl", *fields]) + "\n\n"
    record = json.loads(tag_bytes(tagger, b"owl\n", beta=0.001, format="json"))
    assert record["likely_tags"] == [[[tag, float(f"{p:.6g}")] for tag, p in word]] and record["tags"] == [word[0][0]]
    assert tag_bytes(tagger, b"owl\n\n", beta=1.0) == f"owl|{word[0][0]}|{word[0][1]:.4f}\n\n"


CONLLU = (
    "# sent_id = 1\n# text = Bob run it\n1\tBob\tBob\tX\tY\tA=1\t2\tnsubj\t_\tSpaceAfter=No\n"
    "2-3\trunit\t_\t_\t_\t_\t_\t_\t_\t_\n2\trun\trun\t_\tY\t_\t0\troot\t_\t_\r\n"
    "3\tit \u00a0x\t_\tX\tY\t_\t2\tobj\t_\t_\n"
    "3.1\tnull\t_\t_\t_\t_\t_\t_\t_\t_\n\n\n# a comment alone\n\n1\tthe\t_\t_\t_\t_\t_\t_\t_\tlast"
)


def test_conllu_keeps_everything_but_the_tag(tagger: Tagger) -> None:
    found = tag_bytes(tagger, CONLLU.encode(), "conllu", format="conllu")
    first, second, third = tagger.tag(["Bob", "run", "it \u00a0x"])
    expected = CONLLU.replace("Bob\tBob\tX", f"Bob\tBob\t{first}").replace("run\trun\t_", f"run\trun\t{second}")
    expected = expected.replace("x\t_\tX", f"x\t_\t{third}").replace("the\t_\t_", f"the\t_\t{tagger.tag(['the'])[0]}")
    assert found == expected
    changed = tag_bytes(tagger, CONLLU.encode(), "conllu", format="conllu", column="MISC")
    assert changed.split("\t")[9].startswith(f"SpaceAfter=No|Tag={first}\n") and changed.endswith("\tlast|Tag=DT")
    assert "\tX\tY" in changed and f"\tTag={second}\r\n" in changed
    assert tag_bytes(tagger, changed.encode(), "conllu", format="conllu", column="misc") == changed


def test_conllu_and_columns_as_input(tagger: Tagger) -> None:
    assert tag_bytes(tagger, CONLLU.encode(), "conllu", format="json").count("\n") == 2
    first, second = tagger.tag_all([["the", "run", "ends"], ["New York|x", "Bob"]])
    columns = b"the\tX\trest\nrun\nends X\n\n\nNew York|x\tX\nBob\n"
    assert tag_bytes(tagger, columns, "columns", format="columns") == (
        f"the\t{first[0]}\nrun\t{first[1]}\nends\t{first[2]}\n\nNew York|x\t{second[0]}\nBob\t{second[1]}\n\n"
    )
    assert tag_bytes(tagger, columns.replace(b"New ", b""), "columns") == (
        f"the|{first[0]} run|{first[1]} ends|{first[2]}\nYork|x|{second[0]} Bob|{second[1]}\n"
    )


def test_a_run_trained_on_another_column_writes_that_column(tmp_path: Path) -> None:
    tagger = load_tagger(make_tiny_run(tmp_path, column="XPOS", epochs=2))
    assert tag_bytes(tagger, b"the\n", format="conllu").split("\t")[3] == "_"
    assert tag_bytes(tagger, b"the\n", format="conllu").split("\t")[4].startswith("X")
    assert tag_bytes(tagger, b"the\n", format="conllu", column="UPOS").split("\t")[3].startswith("X")


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ({"input_format": "txt"}, r"unknown --input-format 'txt'; did you mean 'text'\?"),
        ({"format": "xml"}, r"unknown --format 'xml' \(choices: piped, columns, conllu, json, easyccg"),
        ({"format": "conllu", "column": "UPS"}, "no CoNLL-U column 'UPS'"),
        ({"format": "conllu", "column": "FORM"}, "--column FORM would replace the words"),
        ({"format": "conllu", "column": "id"}, "--column id would replace the words"),
    ],
    ids=str,
)
def test_formats_and_columns_that_there_are_not(tagger: Tagger, values: dict[str, str], reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        tag_bytes(tagger, b"the\n", **values)


@pytest.mark.parametrize(
    ("input_format", "good", "bad", "place"),
    [
        ("text", b"the dog\nBob\n", b"the \xff\n", "<bytes>:3:5: expected UTF-8"),
        ("columns", b"the\tX\n\nBob\tX\n\n", b"\tX\n", "<bytes>:5: field 1 of 2 is empty"),
        ("conllu", b"1\tthe" + b"\t_" * 8 + b"\n\n", b"1\tthe\n", "<bytes>:3: 2 columns found"),
    ],
)
def test_what_stands_before_a_fault_is_tagged(
    tagger: Tagger, input_format: str, good: bytes, bad: bytes, place: str
) -> None:
    written: list[bytes] = []
    with pytest.raises(DataError) as error:
        tag_lines(tagger, lines_from_bytes(good + bad), written.append, TagOptions(input_format=input_format))
    assert str(error.value).startswith(place)
    assert b"".join(written).decode() == tag_bytes(tagger, good, input_format)


def test_groups_and_batches_change_nothing(run: Path, tagger: Tagger, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    words = ["the", "run", "Bob", "owl", "x", "now"]
    lines = [" ".join(rng.choice(words, rng.integers(0, 9))) for _ in range(50)]
    data = "\n".join(lines).encode()
    whole = tag_bytes(tagger, data)
    assert [" ".join(p.rpartition("|")[0] for p in line.split()) for line in whole.splitlines()] == lines
    assert whole == "".join(tag_bytes(tagger, f"{line}\n".encode()) for line in lines)
    monkeypatch.setattr(arrivals, "GROUP_ITEMS", 7)
    assert tag_bytes(load_tagger(run, batch_size=1), data) == whole
    monkeypatch.setattr(arrivals, "GROUP_TOKENS", 3)
    assert tag_bytes(load_tagger(run, batch_size=3), data) == whole


class Pipe(Lines):
    """Lines of which each is the last that has arrived."""

    def raw(self):
        for number, raw in super().raw():
            self.waiting = True
            yield number, raw


def test_a_pipe_is_answered_line_by_line(tagger: Tagger) -> None:
    written: list[bytes] = []
    inner = lines_from_bytes(b"the\n\nBob\n")
    tag_lines(tagger, Pipe("<pipe>", inner._open_stream), written.append)
    assert written == [b"the|DT\n", b"\n", b"Bob|NP\n"]


def test_many_new_words_do_not_pile_up(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nntag.tagging.task.MOST_FORMS", 50)
    tagger = load_tagger(run)
    sentences = [[f"w{number}" for number in range(start, start + 30)] for start in range(0, 600, 30)]
    one_by_one = [tagger.tag(sentence) for sentence in sentences]
    assert len(tagger._predictor._forms._numbers) <= 50 + 30
    assert load_tagger(run).tag_all(sentences) == one_by_one


def test_other_models_and_batch_sizes_are_refused(run: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--batch-size must be at least 1, found 0"):
        load_tagger(run, batch_size=0)
    with pytest.raises(RunError, match="no such run folder or weights file"):
        load_tagger(tmp_path / "gone")


def test_several_processes_write_what_one_does(tagger: Tagger, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups of two sentences each; a fault comes out after everything before it."""
    monkeypatch.setattr(arrivals, "GROUP_ITEMS", 2)
    good = b"the|D run|N ends|V\nBob|N\n\nowl|N\nthe|D dog|N\n"
    jobs = {"beta": 0.5, "format": "json", "pos_model": run}
    written: list[bytes] = []
    options = TagOptions(input_format="piped", jobs=2, **jobs)
    with pytest.raises(DataError, match=":6:1: "):
        tag_stream(tagger.run, lines_from_bytes(good + b"no-bar\n"), written.append, options)
    expected: list[bytes] = []
    tag_stream(tagger.run, lines_from_bytes(good), expected.append, TagOptions(input_format="piped", **jobs))
    assert b"".join(written) == b"".join(expected) and len(written) == 3


def test_bf16_gives_almost_the_same_probabilities(run: Path) -> None:
    text = b"the run ends\nBob run now\n"
    found = []
    for precision in ("float32", "bf16"):
        written: list[bytes] = []
        options = TagOptions(probabilities=True, format="json", precision=precision)
        tag_stream(load_tagger(run).run, lines_from_bytes(text), written.append, options)
        found.append([json.loads(line)["probabilities"] for line in b"".join(written).splitlines()])
    exact, rounded = found
    assert exact != rounded
    for left, right in zip(exact, rounded, strict=True):
        np.testing.assert_allclose(left, right, atol=0.02)


def test_an_unknown_precision_names_the_choices(tagger: Tagger) -> None:
    with pytest.raises(UsageError, match="--precision half: taggers are .* float32 or bf16"):
        tag_stream(tagger.run, lines_from_bytes(b"the\n"), lambda data: None, TagOptions(precision="half"))


def test_the_precision_is_chosen_from_python_too(run: Path) -> None:
    tagger, words = load_tagger(run), ["the", "run", "ends"]
    exact = tagger.likely_tags(words)
    tagger.use_precision("bf16")
    assert tagger.likely_tags(words) != exact
    tagger.use_precision("float32")
    assert tagger.likely_tags(words) == exact
    with pytest.raises(UsageError, match="--precision half"):
        tagger.use_precision("half")
