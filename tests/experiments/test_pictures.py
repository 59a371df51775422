"""Pictures of an experiment: attention by position, axes that fit the points, and labels that tell runs apart."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from nntag.commands.plot import label_runs
from nntag.config.settings import resolve_settings
from nntag.experiments import curves
from nntag.experiments.attention_plot import draw_attention
from nntag.experiments.curves import RunCurve, TrainedSystem, draw_learning_curves, draw_scores
from nntag.experiments.processor import describe_processor

pytest.importorskip("matplotlib")


def texts_of(path: Path) -> list[str]:
    return [text for text in ElementTree.parse(path).getroot().itertext() if text.strip()]


def trained(label: str, axes: dict, *scores: float, published: float | None = None) -> TrainedSystem:
    runs = tuple(RunCurve((1, 2), (score - 1, score), (2.0, 1.0), score) for score in scores)
    return TrainedSystem(label, label.partition(",")[0], axes, runs, published)


@pytest.mark.parametrize(("published", "top"), [(None, 61.0), (94.5, 94.5)])
def test_axes_fit_the_measured_points_and_comparable_figures(tmp_path, monkeypatch, published, top):
    drawn = []
    monkeypatch.setattr(curves, "_save", lambda figure, title, stem: drawn.append(figure) or [])
    systems = [trained("plain", {}, 57.0, 61.0, published=published), trained("gated", {}, 58.0)]
    draw_scores(systems, "Skips", "dev accuracy (%)", tmp_path / "scores")
    low, high = drawn[0].axes[0].get_xlim()
    assert 0 < 57.0 - low < 0.2 * (top - 57.0) and 0 < high - top < 0.2 * (top - 57.0)


def test_panels_of_a_grid_tell_systems_of_two_axes_apart(tmp_path):
    places = [("a, layers 1, gate x", 1, "x"), ("a, layers 1, gate y", 1, "y"), ("b, layers 1, gate x", 1, "x")]
    systems = [trained(label, {"layers": layers, "gate": gate}, 50.0) for label, layers, gate in places]
    draw_learning_curves(systems, "Gates", "dev accuracy (%)", tmp_path / "curves")
    assert {"a, gate x", "a, gate y", "b, gate x"} <= set(texts_of(tmp_path / "curves.svg"))


def test_attention_has_a_panel_a_system_and_a_line_a_language(tmp_path):
    rows = [{"position": place, "mean": 0.5, "mean_full_window": None} for place in (-2, -1)]
    full = [{"position": place, "mean": 0.5, "mean_full_window": 0.25} for place in (-2, -1)]
    found = {("RMR", "de"): [rows], ("RM", "de"): [full, full], ("RM", "it"): [full]}
    paths = draw_attention(found, "Attention", tmp_path / "attention")
    assert [path.name for path in paths] == ["attention.png", "attention.svg"]
    assert paths[0].stat().st_size < 50_000  # small enough for a repository
    assert {"RMR", "RM", "de", "it"} <= set(texts_of(paths[1]))


def config(model: str, data: str = "x/en", **values: object) -> dict:
    return {"data": data, "settings": resolve_settings(model, "default", values).to_json()}


def test_labels_name_what_runs_of_a_model_differ_in():
    runs = [config("skip-none", layers=1), config("skip-none", layers=7), config("skip-none", layers=7, seed=2)]
    assert label_runs([*runs, config("rhn")]) == [
        "skip-none, layers 1",
        "skip-none, layers 7",
        "skip-none, layers 7",
        "rhn",
    ]
    assert label_runs([config("rhn"), config("rhn", data="x/de")]) == ["rhn, data en", "rhn, data de"]
    many = {"hidden": 3, "depth": 4, "lr": 0.5, "window": 5, "epochs": 1}
    assert label_runs([config("rhn"), config("rhn", **many)])[1].endswith(", ...")


def test_processors_are_named_with_what_changes_results(tmp_path):
    info = tmp_path / "cpuinfo"
    info.write_text("model name\t: A Chip\nflags\t\t: fpu avx2 amx_tile sse\nmodel name\t: A Chip\n", encoding="utf-8")
    assert describe_processor("cpu", info) == "A Chip (avx2, amx_tile)"
    assert describe_processor("cpu", tmp_path / "none")
