"""Precision: what a name stands for on a device, and what bf16 changes in the models that can use it."""

from __future__ import annotations

import logging

import pytest
import torch

from nntag.config.registry import MODELS, ModelRow
from nntag.config.tasks import find_task
from nntag.errors import UsageError
from nntag.training import precision
from nntag.training.precision import choose_precision, even_rows, has_bf16, product_type, products_in
from tests.config.test_registry import build, data  # noqa: F401  # the fixture

CPU = torch.device("cpu")
BOTH = ("float32", "bf16")
ROUNDED = [row for row in MODELS if not row.counted and "bf16" in find_task(row.task).precisions]


def choose(name: str, offered: tuple[str, ...] = BOTH) -> str:
    return choose_precision(name, CPU, offered, "trees")


def test_auto_is_bf16_only_where_the_hardware_has_it_and_it_is_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(precision, "has_bf16", lambda device: True)
    assert choose("auto") == "bf16"
    assert choose("auto", ("float32",)) == "float32"
    wrong = lambda left, right: torch.mm(left, right) * (1.1 if left.dtype == torch.bfloat16 else 1)  # noqa: E731
    monkeypatch.setattr(torch.Tensor, "__matmul__", wrong)
    assert choose("auto") == "float32"
    monkeypatch.undo()
    monkeypatch.setattr(precision, "has_bf16", lambda device: False)
    assert choose("auto") == "float32" and choose("float32") == "float32"


def test_bf16_that_will_be_slow_is_warned_of(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx2": True}, raising=False)
    with caplog.at_level(logging.WARNING, "nntag"):
        assert choose("bf16") == "bf16"
    assert "this processor has no instructions for bf16" in caplog.text
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: {"avx512_bf16": True}, raising=False)
    assert has_bf16(CPU)


def test_what_a_task_does_not_offer_is_refused() -> None:
    with pytest.raises(UsageError, match="--precision bf16: trees are computed in float32 alone"):
        choose("bf16", ("float32",))


def test_products_are_rounded_inside_the_context_alone() -> None:
    weight = torch.zeros(2, 2)
    with products_in("bf16", CPU):
        assert product_type(weight) == torch.bfloat16
        with products_in("float32", CPU):
            assert product_type(weight) == torch.float32
    with products_in("float32", CPU):
        assert product_type(weight) == torch.float32


@pytest.mark.parametrize("row", ROUNDED, ids=lambda row: row.name)
def test_bf16_changes_loss_and_gradients_by_little(row: ModelRow, data) -> None:  # noqa: F811
    """Against the same model in float64: bf16 has 8 significant bits, so that single products are off by 0.4 %."""
    model, batch = build(row, data(row.task), hidden=24)
    model.eval()
    expected = model.loss(batch)
    expected.nats.backward()
    wanted = {name: value.grad.to_dense().flatten() for name, value in model.named_parameters()}
    model.zero_grad()
    plain = model.float().loss(batch).nats.item()
    with products_in("bf16", CPU):
        found = model.loss(batch)
    found.nats.backward()
    assert found.nats.dtype == torch.float32 and found.count == expected.count
    assert found.nats.item() != plain or row.name == "rhn"  # which has no products in bf16
    assert found.nats.item() == pytest.approx(expected.nats.item(), rel=0.005)
    for name, value in model.named_parameters():
        assert value.dtype == value.grad.dtype == torch.float32
        gradient = value.grad.to_dense().flatten().double()
        assert torch.cosine_similarity(gradient, wanted[name], 0) > 0.995, name
        assert (gradient - wanted[name]).norm() < 0.1 * wanted[name].norm(), name


def test_rows_are_made_even_with_zeros_in_bf16_alone() -> None:
    rows = torch.ones(2, 5, 3, dtype=torch.bfloat16)
    found = even_rows(rows, 4)
    assert found.shape == (2, 8, 3)
    assert found.dtype == rows.dtype
    assert torch.equal(found[:, :5], rows)
    assert not found[:, 5:].any()
    assert even_rows(rows, 5) is rows
    assert even_rows(whole := rows.float(), 4) is whole
