"""What `nntag read` prints of each kind of record, and which options a format has."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from nntag.commands.read import read_records
from nntag.config.options.preprocess import ReadOptions
from nntag.errors import DataError, UsageError

CONLLU = "1\tIt\tit\tPRON\tPRP\t_\t2\tnsubj\t_\t_\n2\tis\tbe\tAUX\tVBZ\t_\t0\troot\t_\t_\n"


def records(tmp_path: Path, format: str, data: str, **options) -> list[dict]:
    path = tmp_path / "file"
    path.write_text(data, encoding="utf-8")
    found = list(read_records(ReadOptions(format, path, **options)))
    assert json.loads(json.dumps(found)) == found
    return found


@pytest.mark.parametrize(
    ("format", "data", "options", "expected"),
    [
        ("text", "a b\n\nc", {}, [{"tokens": ["a", "b"]}, {"tokens": []}, {"tokens": ["c"]}]),
        ("columns", "a N\n", {}, [{"tokens": ["a"], "tags": ["N"]}]),
        ("columns", "a N x\n", {"column": "3"}, [{"tokens": ["a"], "tags": ["x"]}]),
        ("columns", "a N x\n", {"column": "-1"}, [{"tokens": ["a"], "tags": ["x"]}]),
        ("piped", "a|N|S\n", {}, [{"tokens": ["a"], "tags": ["N"], "supertags": ["S"]}]),
        ("piped", "a|N\n", {"column": "tag"}, [{"tokens": ["a"], "tags": ["N"]}]),
        ("pmb", "a\ta\tA\tNIL\tn\tO\t[]\n", {}, [{"tokens": ["a"], "tags": ["n"]}]),
        ("pmb", "a\ta\tA\tNIL\tn\tO\t[]\n", {"column": "semtag"}, [{"tokens": ["a"], "tags": ["NIL"]}]),
        ("ptb", "((NN a))", {}, [{"tokens": ["a"], "tags": ["NN"]}]),
        ("ccgbank", "(<L N NN NN a N>)", {}, [{"tokens": ["a"], "tags": ["N"], "pos": ["NN"]}]),
        (
            "ccgbank",
            "(<L N NN NN a N>)",
            {"column": "pos"},
            [{"tokens": ["a"], "tags": ["NN"], "supertags": ["N"]}],
        ),
        (
            "conllu",
            CONLLU,
            {"column": "XPOS"},
            [{"tokens": ["It", "is"], "tags": ["PRP", "VBZ"], "heads": [2, 0], "relations": ["nsubj", "root"]}],
        ),
        (
            "sst",
            "(3 (2 a) (4 b))",
            {},
            [
                {
                    "tokens": ["a", "b"],
                    "root_label": 3,
                    "labels": ["2", "4", "3"],
                    "words": ["a", "b", None],
                    "children": [[], [], [0, 1]],
                }
            ],
        ),
        ("gutenberg", "a\nb\n\nc\n", {}, [{"text": "a b"}, {"text": "c"}]),
        ("vectors", "new york 0.1 1e-3\n", {"dim": 2}, [{"word": "new york", "vector": [0.1, 0.001]}]),
        (
            "sherlock",
            "id,question,a),b),c),d),e)\n3,a  b _____ .,v,w,x,y,z\n",
            {},
            [{"n": 3, "left": "a b", "options": ["v", "w", "x", "y", "z"], "right": "."}],
        ),
    ],
)
def test_objects(tmp_path: Path, format: str, data: str, options: dict, expected: list[dict]) -> None:
    assert records(tmp_path, format, data, **options) == expected


def test_answers(tmp_path: Path) -> None:
    (tmp_path / "answers").write_text("id,answer\n3,d\n")
    data = "id,question,a),b),c),d),e)\n3,a _____ .,v,w,x,y,z\n"
    assert records(tmp_path, "sherlock", data, answers=tmp_path / "answers")[0]["answer"] == "d"


def test_bad_items_are_left_out_and_warned_of(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert records(tmp_path, "columns", "a N\n\nb\n\nc N\n", skip_bad=True) == [
            {"tokens": ["a"], "tags": ["N"]},
            {"tokens": ["c"], "tags": ["N"]},
        ]
    assert [record.getMessage() for record in caplog.records] == [
        f"{tmp_path / 'file'}:3: expected 2 fields, found 1: 'b' (left out)"
    ]
    with pytest.raises(DataError, match="file:3"):
        records(tmp_path, "columns", "a N\n\nb\n\nc N\n")


@pytest.mark.parametrize(
    ("format", "options", "message"),
    [
        ("conlu", {}, "unknown format 'conlu'; did you mean 'conllu'"),
        ("text", {"dim": 3}, "dim belongs to the format 'vectors', not to 'text'"),
        ("piped", {"answers": "x"}, "answers belongs to the format 'sherlock', not to 'piped'"),
        ("columns", {"column": "pos"}, "column must be a number"),
        ("conllu", {"column": "POS"}, "no CoNLL-U column 'POS'"),
        ("ccgbank", {"column": "posts"}, "unknown column of the format ccgbank 'posts'; did you mean 'pos'"),
        ("text", {"column": "2"}, "unknown column of the format text"),
    ],
)
def test_options_that_a_format_does_not_have(tmp_path: Path, format: str, options: dict, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        records(tmp_path, format, "a N\n", **options)
