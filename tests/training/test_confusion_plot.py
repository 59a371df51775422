"""The picture of a confusion matrix: what is gathered, its files, what is refused; the matrix itself in reports."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from nntag.errors import DataError, UsageError
from nntag.tagging import score
from nntag.tagging.score import TaggingScore
from nntag.training.confusion_plot import draw_confusion, gather_rare
from tests.command_line import fails, run_nntag
from tests.tagging.tiny_run import make_tiny_run

pytest.importorskip("matplotlib")


def test_rare_classes_become_one_row() -> None:
    filled = [[5, 1, 0, 0, 0, 0], [0, 9, 2, 0, 0, 1], [1, 0, 1, 1, 0, 0], [0, 0, 1, 0, 0, 0]]
    counts = np.array([*filled, [0] * 6, [0] * 6])
    names, gathered = gather_rare(list("abcdef"), counts, 2)
    assert names == ["b", "a", "others (4)"]
    assert gathered.tolist() == [[9, 0, 3], [1, 5, 0], [0, 1, 3]]
    names, same = gather_rare(list("abcdef"), counts, 6)
    assert names == list("bacdef") and same.sum() == counts.sum()
    assert gather_rare(list("abc"), counts[:3, :3])[0] == list("abc")  # classes such as 0 to 4 stay in their order


def test_pictures_are_made_in_each_format_and_are_the_same_each_time(tmp_path: Path) -> None:
    counts = np.random.default_rng(1).integers(0, 30, (40, 40))
    names = [f"S[dcl]\\NP_{number}$" for number in range(40)]
    for suffix, start in ((".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")):
        files = [tmp_path / f"{name}{suffix}" for name in "ab"]
        for file in files:
            draw_confusion(names, counts, file)
        assert files[0].read_bytes().startswith(start)
        assert suffix == ".pdf" or files[0].read_bytes() == files[1].read_bytes()
    text = (tmp_path / "a.svg").read_text()
    assert "others (16)" in text and "S[dcl]\\NP_" in text and "precision" in text
    with pytest.raises(UsageError, match="cannot write --plots"):
        draw_confusion(names, counts, tmp_path / "gone" / "a.png")


def test_the_report_has_every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    gold, predicted = ["A", "B", "A", None, "C", "A"], ["A", "A", "B", "A", "C", "A"]
    found = TaggingScore({"A": 1}, frozenset())
    found.add(list("uvwxyz"), gold, predicted)
    report = found.report()["confusion_matrix"]
    pairs = {(report["tags"][g], report["tags"][p]): number for g, p, number in report["pairs"]}
    assert pairs == Counter((g, p) for g, p in zip(gold, predicted, strict=True) if g) and report["left_out"] == 0
    monkeypatch.setattr(score, "MOST_PAIRS", 2)
    cut = found.report()["confusion_matrix"]
    assert [number for *_, number in cut["pairs"]] == [2, 1] and cut["left_out"] == 2
    with pytest.raises(DataError):
        TaggingScore({}, frozenset()).report()


def test_eval_draws(tmp_path: Path) -> None:
    run = make_tiny_run(tmp_path, epochs=1)
    report = json.loads(run_nntag("eval", run, "--plots", tmp_path / "x.svg", "--json").out)
    matrix = report["confusion_matrix"]
    right = sum(number for gold, predicted, number in matrix["pairs"] if gold == predicted)
    assert right / report["tokens"] == report["accuracy"]
    assert all(tag in (tmp_path / "x.svg").read_text() for tag in matrix["tags"])
    assert "--plots must end in .png, .svg, .pdf, found 'x.gif'" in fails("eval", run, "--plots", "x.gif")
