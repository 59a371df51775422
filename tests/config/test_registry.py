"""Every row of the registry: it imports, builds tiny, has a finite loss, and every parameter of it gets a gradient."""

from __future__ import annotations

import dataclasses
import importlib
from functools import cache
from typing import Any

import pytest
import torch

from nntag.config.registry import MODELS, ModelRow, find_model
from nntag.config.settings import Settings, resolve_settings
from nntag.config.tasks import TASKS, find_task
from nntag.encoding.data_folder import DataFolder
from nntag.errors import RunError, UsageError
from nntag.training.model import Model
from nntag.training.tasks import task_class
from tests.tiny_data import make_tiny_data

ROWS = {row.name: row for row in MODELS}
TRAINED = [row for row in MODELS if not row.counted]
SMALL = {"hidden": 6, "layers": 3, "memory": 4, "batch_size": 4}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory):
    folder = tmp_path_factory.mktemp("registry")
    return cache(lambda task: make_tiny_data(task, folder))


def tiny_settings(row: ModelRow, **values: Any) -> Settings:
    names = {field.name for cls in (row.config, find_task(row.task).input) for field in dataclasses.fields(cls)}
    small = {name: value for name, value in SMALL.items() if name in names or name == "batch_size"}
    return resolve_settings(row.name, "default", {**small, **values})


def build(row: ModelRow, folder: DataFolder, **values: Any) -> tuple[Model, Any]:
    """A model in float64 and a training batch for it."""
    settings = tiny_settings(row, **values)
    torch.manual_seed(1)
    task = task_class(row.task).from_data(folder, settings)
    model = task.build_model(settings).double()
    return model, next(iter(task.train_batches(folder, settings, torch.Generator().manual_seed(1))))


def test_names_are_unique_and_rows_complete() -> None:
    assert len(ROWS) == len(MODELS)
    for row in MODELS:
        assert row.task in [task.name for task in TASKS]
        assert row.summary and row.citation and row.module.startswith("nntag.")
        assert set(row.preset) <= {field.name for field in dataclasses.fields(row.config)}


def test_unknown_models_and_tasks_name_the_choices() -> None:
    with pytest.raises(UsageError, match=r"unknown model 'skip-gate'; did you mean 'skip-gate[sd]'\? \(choices: "):
        find_model("skip-gate")
    with pytest.raises(RunError, match="no task called 'parsing'"):
        task_class("parsing")


@pytest.mark.parametrize("name", ROWS)
def test_every_row_imports_and_cites_what_it_implements(name: str) -> None:
    row = ROWS[name]
    assert isinstance(row.load_class(), type)
    text = importlib.import_module(row.module.split(":")[0]).__doc__ or ""
    assert "Where this differs from" in text


@pytest.mark.parametrize("row", TRAINED, ids=lambda row: row.name)
def test_loss_is_finite_and_every_parameter_gets_a_gradient(row: ModelRow, data) -> None:
    model, batch = build(row, data(row.task))
    model.train()
    loss = model.loss(batch)
    assert loss.nats.ndim == 0 and torch.isfinite(loss.nats) and loss.nats > 0
    assert loss.count >= loss.items > 0
    loss.nats.backward()
    for name, parameter in model.named_parameters():
        gradient = parameter.grad
        assert gradient is not None and torch.isfinite(gradient.to_dense()).all(), name
        assert gradient.to_dense().abs().sum() > 0, name


@pytest.mark.parametrize("row", TRAINED, ids=lambda row: row.name)
def test_the_loss_is_the_slope_of_its_gradient(row: ModelRow, data) -> None:
    """Directional derivative: all parameters moved along a random direction, by central differences."""
    model, batch = build(row, data(row.task))
    model.eval()
    parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
    model.loss(batch).nats.backward()
    generator = torch.Generator().manual_seed(3)
    directions = [torch.randn(p.shape, generator=generator, dtype=torch.float64) for p in parameters]
    slope = sum(float((p.grad.to_dense() * d).sum()) for p, d in zip(parameters, directions, strict=True))
    step, losses = 1e-6, []
    with torch.no_grad():
        for sign in (1, -2):
            for parameter, direction in zip(parameters, directions, strict=True):
                parameter.add_(direction, alpha=sign * step)
            losses.append(float(model.loss(batch).nats))
    assert (losses[0] - losses[1]) / (2 * step) == pytest.approx(slope, rel=1e-5)


@pytest.mark.parametrize("row", TRAINED, ids=lambda row: row.name)
def test_a_model_is_built_alike_from_the_same_seed(row: ModelRow, data) -> None:
    first, batch = build(row, data(row.task))
    second, other = build(row, data(row.task))
    assert first.state_dict().keys() == second.state_dict().keys()
    assert all(torch.equal(value, second.state_dict()[name]) for name, value in first.state_dict().items())
    assert torch.equal(first.eval().loss(batch).nats, second.eval().loss(other).nats)


@pytest.mark.parametrize("row", TRAINED, ids=lambda row: row.name)
def test_the_task_and_its_models_come_back_from_what_a_run_keeps(row: ModelRow, data) -> None:
    settings = tiny_settings(row)
    task = task_class(row.task).from_data(data(row.task), settings)
    back = task_class(row.task).from_json(task.to_json(), settings)
    assert back.to_json() == task.to_json()
    model = task.build_model(settings)
    rebuilt = back.build_model(settings, pretrained=False)
    rebuilt.load_state_dict(model.state_dict())
    folder = data(row.task)
    reports = [t.evaluate(m.eval(), folder, "dev")[t.metrics[0].name] for t, m in ((task, model), (back, rebuilt))]
    assert reports[0] == reports[1]


@pytest.mark.parametrize("layers", [1, 5])
@pytest.mark.parametrize("row", [row for row in TRAINED if row.task == "tagging"], ids=lambda row: row.name)
def test_taggers_of_any_depth(row: ModelRow, layers: int, data) -> None:
    names = {field.name for field in dataclasses.fields(row.config)}
    plain = {"topology": 0} if "topology" in names else {}  # its shortcuts need layers to run between
    model, batch = build(row, data("tagging"), **{"layers" if "layers" in names else "depth": layers}, **plain)
    assert torch.isfinite(model.loss(batch).nats)
