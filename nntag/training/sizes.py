"""A model and the header of a weights file in, nothing out: sizes that do not fit are refused before memory is taken.

The model is built without memory first (torch's device "meta"), and no further than the file can fill it: settings that
ask for a billion layers are refused after a few.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.nn.modules.module import (
    register_module_buffer_registration_hook,
    register_module_parameter_registration_hook,
)

from nntag.errors import RunError
from nntag.training.checkpoint import EXTRA
from nntag.training.tensor_files import Header
from nntag.training.tensors import SAFETENSORS_NAMES, is_finite


class _TooLarge(Exception):
    """The model has more than its file."""


def check_sizes(path: Path, header: Header, build: Callable[[], nn.Module]) -> None:
    """Raises `RunError` where the model that `build` makes has other tensors than the weights file at `path`."""
    held = {name: str(entry) for name, entry in header.tensors.items() if not name.startswith(EXTRA)}
    numbers = sum(_count(entry.shape) for name, entry in header.tensors.items() if name in held)
    try:
        with torch.device("meta"), _limit_tensors(len(held), numbers):
            model = build()
    except NotImplementedError:  # what torch's device "meta" cannot do; then only loading the weights can tell
        return
    except (_TooLarge, RuntimeError, OverflowError):
        raise RunError(f"{path}: the weights do not fit the settings beside them, which ask for more") from None
    difference = find_difference(held, {name: describe_tensor(value) for name, value in model.state_dict().items()})
    if difference:
        raise RunError(f"{path}: the weights do not fit the settings beside them: {difference}")


def describe_tensor(value: Tensor) -> str:
    """`F32[3, 4]`: type and shape, as `TensorEntry` writes them."""
    return f"{SAFETENSORS_NAMES.get(value.dtype, str(value.dtype))}[{', '.join(map(str, value.shape))}]"


def find_difference(held: Mapping[str, str], wanted: Mapping[str, str]) -> str:
    """The first tensor that is missing, of another type or shape, or too many; "" where all are as wanted."""
    for name, kind in wanted.items():
        if held.get(name) != kind:
            return f"{name} must be {kind}, found {held.get(name, 'nothing')}"
    return next((f"{name} has no place there" for name in held if name not in wanted), "")


@contextlib.contextmanager
def _limit_tensors(tensors: int, numbers: int) -> Iterator[None]:
    """Ends a model's building, by `_TooLarge`, when it has twice as many tensors, or numbers in them, as are there."""
    left = [2 * tensors + 16, 2 * numbers + 65_536]

    def take(module: nn.Module, name: str, tensor: Tensor | None) -> None:
        if tensor is not None:
            left[0] -= 1
            left[1] -= tensor.numel()
        if min(left) < 0:
            raise _TooLarge

    hooks = [register_module_parameter_registration_hook(take), register_module_buffer_registration_hook(take)]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def _count(shape: tuple[int, ...]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def check_tensors(held: Mapping[str, Tensor], model: nn.Module) -> None:
    """Raises `ValueError` for tensors of other names, types or shapes than the model's."""
    kinds = {name: describe_tensor(value) for name, value in held.items()}
    difference = find_difference(kinds, {name: describe_tensor(value) for name, value in model.state_dict().items()})
    if difference:
        raise ValueError(difference)


def find_not_finite(held: Mapping[str, Tensor]) -> str:
    """The name of the first tensor with an infinite number or a NaN in it, or ""."""
    return next((name for name, value in held.items() if value.is_floating_point() and not is_finite(value)), "")
