"""The random state that dropout is drawn from, as tensors of a checkpoint: the CPU's, and a GPU's where one trains."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

PREFIX = "random/"


def read_random_state(device: torch.device) -> dict[str, Tensor]:
    """uint8 tensors by name; what `restore_random_state` takes."""
    states = {f"{PREFIX}cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states[f"{PREFIX}cuda"] = torch.cuda.get_rng_state(device)
    return states


def restore_random_state(tensors: Mapping[str, Tensor], device: torch.device) -> dict[str, Tensor]:
    """Goes on from the states among `tensors`, which are returned; a GPU that has none there stays as it is seeded.

    Raises `KeyError`, `TypeError`, `RuntimeError` for what is no state.
    """
    states = {name: value for name, value in tensors.items() if name.startswith(PREFIX)}
    torch.set_rng_state(states[f"{PREFIX}cpu"])
    if device.type == "cuda" and f"{PREFIX}cuda" in states:
        torch.cuda.set_rng_state(states[f"{PREFIX}cuda"], device)
    return states
