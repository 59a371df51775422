"""A tensor in; its bytes, the name of its kind in a safetensors file, and whether its numbers are finite out.

Nothing here copies all weights at once: tables of words take a good part of the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

import torch
from torch import Tensor

SAFETENSORS_NAMES = {
    torch.float64: "F64",
    torch.float32: "F32",
    torch.float16: "F16",
    torch.bfloat16: "BF16",
    torch.int64: "I64",
    torch.int32: "I32",
    torch.int16: "I16",
    torch.int8: "I8",
    torch.uint8: "U8",
    torch.bool: "BOOL",
}


def bytes_of(tensor: Tensor) -> memoryview:
    """The content of a tensor; a copy only where it is not contiguous or on a GPU."""
    return tensor.detach().contiguous().cpu().reshape(-1).view(torch.uint8).numpy().data


def is_finite(value: Tensor) -> bool:
    """Whether no number is infinite or a NaN: the least and the greatest show it."""
    return value.numel() == 0 or bool(torch.isfinite(torch.stack(torch.aminmax(value))).all())


@contextmanager
def exchanged(
    first: Mapping[str, Tensor], second: Mapping[str, Tensor], held: Callable[[], AbstractContextManager[None]]
) -> Iterator[None]:
    """While the block runs, tensors of the same names have each other's content; `held()` holds up interrupts."""
    done = False
    try:
        with held():
            _exchange(first, second)
            done = True
        yield
    finally:
        if done:
            with held():
                _exchange(first, second)


@torch.no_grad()
def _exchange(first: Mapping[str, Tensor], second: Mapping[str, Tensor]) -> None:
    for name, value in first.items():
        kept = value.clone()  # of one tensor at a time
        value.copy_(second[name])
        second[name].copy_(kept)
