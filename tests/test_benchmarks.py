"""The benchmarks' own logic: what counts as worse, and the GPU's check, tried with the CPU against the CPU."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

FOLDER = Path(__file__).parent.parent / "benchmarks"


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Imports a module of benchmarks/ as its scripts import each other."""
    monkeypatch.syspath_prepend(str(FOLDER))
    before = set(sys.modules)

    def find(name: str) -> ModuleType:
        return importlib.import_module(name)

    yield find
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(FOLDER)):
            del sys.modules[name]


def test_only_ratios_far_below_the_recorded_ones_are_worse(load) -> None:
    find_worse = load("bench").find_worse
    recorded = {"kernel": 0.8, "tagger": 1.0, "trees": 2.0}
    assert find_worse({"kernel": 0.59, "tagger": 0.76, "trees": 9.0, "new": 0.001}, recorded) == ["kernel"]


def test_what_is_recorded_are_ratios_of_known_subjects(load) -> None:
    recorded = json.loads((FOLDER / "recorded.json").read_text())["ratios"]
    assert recorded and all(ratio > 0 for ratio in recorded.values())
    subjects = tuple(load("bench").SUBJECTS)
    assert all(name.startswith(subjects) for name in recorded)


def test_the_check_of_the_gpu_finds_no_difference_between_a_cpu_and_itself(load, tmp_path: Path, monkeypatch) -> None:
    check, harness = load("gpu_check"), load("harness")
    data = {kind: harness.make_sample(kind, tmp_path, 40) for kind in check.SMALL}
    assert dict(check.compare_models(data, "cpu")) == {row.name: "" for row in check.MODELS if not row.counted}
    assert check.check_resumption(data["tagging"], tmp_path, "cpu") == ""
    rate, _ = check.measure_rate(harness.prepare_model("rm", data["lm"], {"hidden": 16}), "float32", 0.05)
    assert rate > 0
    chosen = [row for row in check.MODELS if row.name in ("skip-gated", "rm", "tree-lstm", "ngram")]
    monkeypatch.setattr(check, "MODELS", chosen)

    step = check.take_step

    def take_wrong_step(name: str, data: object, device: str) -> tuple[float, dict[str, torch.Tensor]]:
        nats, gradients = step(name, data, "cpu")
        if device != "cpu" and name == "rm":
            return 1.01 * nats, gradients
        if device != "cpu" and name == "tree-lstm":
            key = next(iter(gradients))
            gradients[key] = gradients[key] + 0.1
        return nats, gradients

    monkeypatch.setattr(check, "take_step", take_wrong_step)
    found = dict(check.compare_models(data, "another"))
    assert found["skip-gated"] == "" and found["rm"].startswith("loss ") and found["tree-lstm"].startswith("gradients")


def test_without_a_gpu_one_line_says_so(load, capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    monkeypatch.setattr(sys, "argv", ["gpu_check.py"])
    assert load("gpu_check").main() == 2
    assert capsys.readouterr().out.startswith("gpu-check: torch finds no GPU here, so nothing was checked")


def test_a_section_is_replaced_where_it_stands(load, tmp_path: Path) -> None:
    check = load("gpu_check")
    page = tmp_path / "page.md"
    page.write_text(f"# Page\n\n{check.BEGIN}\nnever run\n{check.END}\n\nmore\n")
    check.write_section(["all well"], page)
    assert page.read_text() == f"# Page\n\n{check.BEGIN}\nall well\n{check.END}\n\nmore\n"


def test_the_cost_model_is_fitted_to_three_sizes_and_holds_at_others(load) -> None:
    model = load("cost_model")
    truth = model.Constants(rate=5e10, flow=2e9, fixed=3e-6)
    measured = {}
    for size in (*model.CALIBRATED, *model.TRIED):
        cost = model.cost_of_tree(size, 300)
        measured[size] = (cost, truth.seconds(cost))
    found = model.fit(measured)
    assert all(abs(found.seconds(measured[size][0]) / measured[size][1] - 1) < 1e-6 for size in model.TRIED)
    assert model.cost_of_tree(150, 300).operations == 2 * 300 * 450 + 2 * 300 * 750 + 2 * 2 * 150 * 5
    assert model.cost_of_language_model(1, 10, 100, 2).operations == 2 * 10 * (80 + 60 + 100) + 4 * 2 * 10
