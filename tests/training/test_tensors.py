"""Tensors as bytes, and whether their numbers are finite."""

import contextlib
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from nntag.training.tensors import bytes_of, exchanged, is_finite


@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_one_number_that_is_not_finite_is_seen(kind: torch.dtype, bad: float) -> None:
    for rows in (1, 7, 1000):
        value = torch.randn(rows, 3).to(kind)
        assert is_finite(value)
        value[rows // 2, 1] = bad
        assert not is_finite(value)
    assert is_finite(torch.empty(0, 3)) and is_finite(torch.tensor(1.0)) and not is_finite(torch.tensor(bad))


def test_bytes_are_those_of_numpy_and_no_copy() -> None:
    value = torch.arange(6.0).view(2, 3)
    found = bytes_of(value)
    assert bytes(found) == value.numpy().tobytes() and bytes(bytes_of(value.T)) == value.numpy().T.tobytes()
    value[0, 0] = 7
    assert np.frombuffer(found, np.float32)[0] == 7


@pytest.mark.parametrize("fault", [None, ValueError, KeyboardInterrupt])
def test_weights_are_exchanged_while_the_block_runs(fault: type[BaseException] | None) -> None:
    model, mean = torch.nn.Linear(2, 3), {"weight": torch.ones(3, 2), "bias": torch.zeros(3)}
    before = {name: value.clone() for name, value in model.state_dict().items()}
    with (
        contextlib.suppress(ValueError, KeyboardInterrupt),
        exchanged(model.state_dict(), mean, contextlib.nullcontext),
    ):
        assert (model.weight == 1).all() and (model.bias == 0).all()
        assert all(torch.equal(mean[name], before[name]) for name in before)
        if fault is not None:
            raise fault
    assert all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    assert (mean["weight"] == 1).all() and (mean["bias"] == 0).all()


def test_an_interrupt_that_was_held_up_leaves_the_weights_as_they_were() -> None:
    @contextlib.contextmanager
    def held() -> Iterator[None]:
        yield
        if arrived.pop():
            raise KeyboardInterrupt

    arrived, value, other = [False, True], torch.ones(2), torch.zeros(2)
    with pytest.raises(KeyboardInterrupt), exchanged({"a": value}, {"a": other}, held):
        raise AssertionError("the block must not run")
    assert value.tolist() == [1, 1] and other.tolist() == [0, 0]
