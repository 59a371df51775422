"""`--skip-bad` in a stream: what cannot be read is marked in its place, so that input and output still correspond."""

from __future__ import annotations

import json
import os
import threading
from contextlib import nullcontext
from pathlib import Path

import pytest

from nntag.corpora.arrivals import group_arrived
from nntag.corpora.faults import SkippedItems
from nntag.corpora.lines import Lines
from nntag.tagging.parsing.hand_over import TaggedWords, write_candc, write_easyccg
from nntag.tagging.parsing.tagged import read_tagged
from nntag.tagging.stream.input import read_items
from tests.command_line import Finished, run_nntag
from tests.corpora.reading import toy_lines

RUNS = Path(__file__).parents[1] / "data" / "v0.1.0" / "runs"
ROW = "{}\t{}\t_\tX\t_\t_\t_\t_\t_\t_\n"
INPUTS = {  # format -> good, bad, good
    "text": b"the dog\nthe \xff dog\nit saw\n",
    "piped": b"the|DT dog|NN\nthe|DT dog\nit|PRP saw|VBD\n",
    "json": b'{"tokens": ["the", "dog"], "tags": ["A", "B"]}\n{"tokens": [3\n{"tokens": ["it"], "tags": ["C"]}\n',
    "conllu": (
        ROW.format(1, "the")
        + ROW.format(2, "dog")
        + "\n"
        + ROW.format(7, "x")
        + "\n"
        + ROW.format(1, "it")
        + ROW.format(2, "saw")
        + "\n"
    ).encode(),
    "columns": b"the\tX\ndog\tX\n\nthe\t\n\nit\tX\nsaw\tX\n\n",
    "ptb": b"(S (A the) (B dog))\n(S (A the) dog)\n(S (A it) (B saw))\n",
}


def tag(format: str, *more: object, input: bytes | None = None) -> Finished:
    data = INPUTS[format] if input is None else input
    return run_nntag("tag", "--model", RUNS / "tagger", "--input-format", format, *more, stdin=data)


@pytest.mark.parametrize("format", INPUTS)
def test_a_bad_sentence_is_marked_in_its_place(format: str) -> None:
    assert tag(format).code == 2
    done = tag(format, "--skip-bad", "--format", "json")
    records = [json.loads(line) for line in done.out.splitlines()]
    last = ["it"] if format == "json" else ["it", "saw"]
    assert done.code == 0 and [record["tokens"] for record in records] == [["the", "dog"], [], last]
    assert records[1]["error"].startswith("<stdin>:") and "error" not in records[0]
    assert done.err.count("(left out)") == 1 and records[1]["error"] in done.err
    piped = tag(format, "--skip-bad").out.splitlines()
    assert [len(line.split()) for line in piped] == [2, 0, len(last)]


def test_faults_at_both_ends_and_in_a_row() -> None:
    text = b"\xff\n\xfe\nthe dog\n\xff\n"
    records = [json.loads(line) for line in tag("text", "--skip-bad", "--format", "json", input=text).out.splitlines()]
    assert [len(record["tokens"]) for record in records] == [0, 0, 2, 0]
    assert [record.get("error", "")[:10] for record in records] == ["<stdin>:1:", "<stdin>:2:", "", "<stdin>:4:"]
    blocks = tag("conllu", "--skip-bad", "--format", "conllu").out.split("\n\n")
    assert blocks[1].startswith("# unreadable: <stdin>:4: expected the ID 1, found '7'")


def test_a_bad_first_line_does_not_say_how_many_fields_there_are() -> None:
    items = list(read_items(toy_lines("the|DT dog\nthe|DT|NP/N dog|NN|N\n"), "piped", on_bad=SkippedItems()))
    assert [item.tokens for item in items] == [(), ("the", "dog")] and items[1].tags == ("DT", "NN")


@pytest.mark.parametrize("format", ["json", "plain", "tokens"])
def test_scores_of_bad_lines(format: str) -> None:
    flags = {"json": ("--json",), "plain": (), "tokens": ("--per-token",)}[format]
    text = b"the dog\na <s> b\n\n\xff\nit saw\n"
    assert "the words <s> and </s> are reserved" in fails_after_output("score", "--model", RUNS / "ngram", stdin=text)
    done = run_nntag("score", "--model", RUNS / "ngram", "--skip-bad", *flags, stdin=text)
    assert done.code == 0 and "2 sentences" in done.err
    if format == "json":
        records = [json.loads(line) for line in done.out.splitlines()]
        assert [sorted(record)[:1] for record in records] == [
            ["log_probability"],
            ["error"],
            [],
            ["error"],
            ["log_probability"],
        ]
    elif format == "plain":
        lines = [line.split("\t") for line in done.out.splitlines()]
        assert [len(fields) for fields in lines] == [4, 4, 1, 4, 4] and lines[1] == lines[3] == ["nan", "nan", "0", "0"]
    else:
        assert done.out.count("<bad>\tnan\n\n") == 2


def fails_after_output(*arguments: object, stdin: bytes) -> str:
    done = run_nntag(*arguments, stdin=stdin)
    assert done.code == 2 and len(done.errors) == 1
    return done.errors[0]


def test_trees_keep_their_places() -> None:
    done = run_nntag("tag", "--model", RUNS / "tree", "--skip-bad", stdin=b"(2 a)\n(2 a b)\n(2 a)\n")
    first, bad, last = done.out.splitlines()
    assert done.code == 0 and bad == "()" and first == last != "()"
    assert "warning: <stdin>:2:" in done.err and done.err.count("(left out)") == 1


@pytest.mark.parametrize(("format", "write"), [("easyccg", write_easyccg), ("candc", write_candc)])
def test_text_that_is_tagged_already(format: str, write) -> None:
    good = write(TaggedWords(["a", "b"], [[("N", 1.0)], [("N/N", 0.5), ("N", 0.5)]]))
    bad = "x\ty\n" + ("\n" if format == "candc" else "")
    found = list(read_tagged(toy_lines(good + bad + good), format, SkippedItems()))
    assert [len(sentence.tokens) for sentence in found] == [2, 0, 2] and found[1].fault.startswith("toy:")


@pytest.mark.parametrize("format", ["text", "piped", "json"])
def test_a_bad_line_of_a_pipe_is_answered_at_once(format: str) -> None:
    first, bad, _ = INPUTS[format].splitlines(keepends=True)
    reader, writer = os.pipe()
    with os.fdopen(reader, "rb") as stream, os.fdopen(writer, "wb") as sender:
        lines = Lines("<pipe>", lambda: nullcontext(stream), arriving=True)
        groups = group_arrived(read_items(lines, format, on_bad=SkippedItems()), lines, lambda item: 1)
        sender.write(first + bad)
        sender.flush()
        found: list[int] = []
        asking = threading.Thread(target=lambda: found.extend(len(item.tokens) for item in next(groups)), daemon=True)
        asking.start()
        asking.join(10)
        assert found == [2, 0]
