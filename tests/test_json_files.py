"""JSON that comes from anywhere: what fits its schema is read, all else is one short line that names the file."""

from __future__ import annotations

import json
import os
import pickle
import re
from pathlib import Path
from typing import Any

import pytest

from nntag.errors import LONGEST_MESSAGE, DataError, RunError, UsageError, cut
from nntag.json_files import LARGEST_FILE, decode_json, read_json, without_infinity, write_json
from nntag.schema import Anything, Choice, Columns, Flag, Maybe, Misfit, Real, Record, Rows, Schema, Table, Text, Whole

WORDS = Record({"words": Rows(Text()), "counts": Rows(Whole())}, {"note": Text()}, same_length=(("words", "counts"),))


def fault(path: Path, schema: Schema = WORDS) -> str:
    with pytest.raises(RunError) as found:
        read_json(path, schema, "a vocabulary")
    message = str(found.value)
    assert message.startswith(f"{path}: ") and len(message) <= LONGEST_MESSAGE and "\n" not in message
    return message.removeprefix(f"{path}: ")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "damaged JSON: Expecting value"),
        ("[" * 100_000, "damaged JSON: nested too deep"),
        ('{"words":' * 900 + "1" + "}" * 900, "damaged JSON|not a vocabulary"),
        ("[]", "not a vocabulary: it must be an object, found a list of 0"),
        ("{}", "not a vocabulary: it must have 'words'"),
        ('{"words": "abc", "counts": []}', "words must be a list, found 'abc'"),
        ('{"words": [1], "counts": [1]}', r"words\[0\] must be text, found 1"),
        ('{"words": ["\\ud83d"], "counts": [1]}', r"words\[0\] must be text without halves of surrogate pairs"),
        ('{"words": ["a"], "counts": [true]}', r"counts\[0\] must be a whole number .* found True"),
        ('{"words": ["a"], "counts": [-1]}', r"counts\[0\] must be a whole number from 0"),
        (f'{{"words": ["a"], "counts": [{"9" * 400}]}}', r"counts\[0\] must be a whole number .*400 characters"),
        (f'{{"words": ["a"], "counts": [{"9" * 5000}]}}', "damaged JSON: Exceeds the limit"),
        ('{"words": ["a"], "counts": [NaN]}', r"counts\[0\] must be a whole number"),
        ('{"words": ["a"], "counts": []}', "words and counts must have the same length"),
        (f'{{"words": "{"x" * 10**7}", "counts": []}}', "words must be a list, found 'xxx.*10,000,002 characters"),
        (f'{{"{"x" * 10**7}": 1}}', "a key of it must be text of at most 100,000 characters"),
    ],
    ids=range(16),
)
def test_what_does_not_fit_is_one_line(tmp_path: Path, text: str, reason: str) -> None:
    file = tmp_path / "vocab.json"
    file.write_text(text, encoding="utf-8")
    assert re.match(rf"(not a vocabulary: )?({reason})", fault(file)), fault(file)


def test_what_fits_comes_back(tmp_path: Path) -> None:
    file, value = (
        tmp_path / "vocab.json",
        {"words": ["é", "\U0001f600", ""], "counts": [3, 2, 0], "more": [{"x": None}]},
    )
    write_json(file, value)
    assert read_json(file, WORDS) == value


def test_no_file_without_an_end_is_read(tmp_path: Path) -> None:
    (tmp_path / "zero").symlink_to("/dev/zero")
    os.mkfifo(tmp_path / "pipe")
    for name in ("zero", "pipe", "."):
        assert fault(tmp_path / name) == "not an ordinary file"
    assert fault(tmp_path / "gone") == "No such file or directory"
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(LARGEST_FILE + 1)
    assert fault(tmp_path / "sparse").startswith("larger than 64 MiB")


def test_many_brackets_are_counted_before_they_cost_memory() -> None:
    with pytest.raises(Misfit, match="more than 2,000,000 lists"):
        decode_json(b"[" + b"[]," * 2_000_000 + b"[]]")


@pytest.mark.parametrize(
    ("schema", "right", "wrong"),
    [
        (Anything(), [None, [[[]]], {"a": {"b": [1]}}], [json.loads("[" * 30 + "]" * 30)]),
        (Text(), ["", "a"], [1, None, ["a"], "a" * 200_000, "\udcff"]),
        (Text(path=True), ["\udcff"], [b"a"]),
        (Choice(("a", "b")), ["a"], ["c", 1, ["a"]]),
        (Flag(), [True, False], [1, "true", None]),
        (Whole(1, 3), [1, 3], [0, 4, 2.0, True, "2"]),
        (Real(), [1, -0.5], [float("nan"), float("inf"), 10**400, True, "1"]),
        (Real(any_size=True), [float("inf")], [10**400, None]),
        (Maybe(Flag()), [None, True], [0]),
        (Rows(Whole(), 1), [[1]], [[], [0.5], "1", {"0": 1}]),
        (Columns((Text(), Whole())), [["a", 1]], [["a"], ["a", 1, 2], [1, "a"], "a1"]),
        (Table(Whole()), [{}, {"a": 1}], [{"a": "1"}, []]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_kind_of_schema(schema: Schema, right: list[Any], wrong: list[Any]) -> None:
    for value in right:
        schema.check(value, "it")
    for value in wrong:
        with pytest.raises(Misfit, match="^(a key of )?it"):
            schema.check(value, "it")


def test_numbers_that_json_cannot_hold_become_null(tmp_path: Path) -> None:
    value = {"a": [float("inf"), 1.5, (float("nan"),)], "b": -float("inf"), "c": "NaN"}
    assert without_infinity(value) == {"a": [None, 1.5, [None]], "b": None, "c": "NaN"}
    write_json(tmp_path / "x", value)
    assert json.loads((tmp_path / "x").read_text(), parse_constant=lambda name: pytest.fail(name))


def test_messages_are_cut_in_the_middle_and_survive_pickling() -> None:
    assert cut("abc", 3) == "abc"
    for length in (501, 10**7):
        shortened = cut("a" + "-" * (length - 2) + "z", 500)
        assert len(shortened) == 500 and shortened[0] == "a" and shortened[-1] == "z" and f"{length:,}" in shortened
    for error in (RunError("x" * 1000), UsageError("y" * 1000), DataError("file", 3, "z" * 1000, 4)):
        assert len(str(error)) == LONGEST_MESSAGE
        assert str(pickle.loads(pickle.dumps(error))) == str(error)
