"""Checkpoints: a folder with `model.safetensors`, `config.json` and `vocab.json`, each written whole or not at all.

`model.safetensors` holds the weights under their own names. In `last` it also holds what resuming needs: tensors under
`training/` (the weights that the optimiser moves, where dev sees their running mean), `optimiser/N/NAME`, for a
pre-trained part that is tuned `pretrained/N/NAME`, and the JSON of the epoch, the scores and the log so far in its
header, all in one file so that one rename replaces them all.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor

from nntag.encoding.data_folder import read_json, write_json
from nntag.errors import RunError
from nntag.files import replace_file

WEIGHTS = "model.safetensors"
CONFIG = "config.json"
VOCABULARIES = "vocab.json"
EXTRA = ("training/", "optimiser/", "pretrained/")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The content of a `model.safetensors`."""

    weights: Mapping[str, Tensor]
    state: Mapping[str, Any]  # the JSON in the header: epoch, scores, log
    extra: Mapping[str, Tensor]  # only in `last`


def write_checkpoint(
    folder: Path, weights: Mapping[str, Tensor], state: Mapping[str, Any], extra: Mapping[str, Tensor] | None = None
) -> None:
    """Replaces `folder/model.safetensors`; raises `RunError` naming it where that fails, the old one intact."""
    path = folder / WEIGHTS
    tensors = {name: value.detach().contiguous().cpu() for name, value in {**weights, **(extra or {})}.items()}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as partial:
            partial.write_bytes(save(tensors, metadata={"state": json.dumps(state)}))
    except OSError as error:
        raise RunError(f"{path}: cannot write the checkpoint: {error.strerror}; an older one there is intact") from None


def write_identity(
    folder: Path, config: Mapping[str, Any], vocabularies: Mapping[str, Any], files: Sequence[Path] = ()
) -> None:
    """Writes what does not change during a run, and copies `files`: each checkpoint folder can be used alone."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, value in ((CONFIG, config), (VOCABULARIES, vocabularies)):
            with replace_file(folder / name) as partial:
                write_json(partial, value)
        for file in files:
            with replace_file(folder / file.name) as partial:
                shutil.copyfile(file, partial)
    except OSError as error:
        raise RunError(f"{error.filename or folder}: cannot write the run folder: {error.strerror}") from None


def read_checkpoint(path: Path) -> Checkpoint:
    """Reads a `model.safetensors` onto the CPU; raises `RunError` for a missing, damaged or foreign file."""
    if not path.is_file():
        raise RunError(f"{path}: no such file")
    weights: dict[str, Tensor] = {}
    extra: dict[str, Tensor] = {}
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            state = dict(json.loads((file.metadata() or {}).get("state", "{}")))
            for name in file.keys():  # noqa: SIM118 (not a mapping)
                (extra if name.startswith(EXTRA) else weights)[name] = file.get_tensor(name)
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise RunError(f"{path}: not a weights file in safetensors format, or damaged ({error})") from None
    return Checkpoint(weights, state, extra)


def read_identity(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The config and the vocabularies of a checkpoint folder; raises `RunError`."""
    config, vocabularies = read_json(folder / CONFIG), read_json(folder / VOCABULARIES)
    if not isinstance(config, dict) or "settings" not in config:
        raise RunError(f"{folder / CONFIG}: not the config of a run")
    if not isinstance(vocabularies, dict):
        raise RunError(f"{folder / VOCABULARIES}: not the vocabularies of a run")
    return config, vocabularies


def checkpoint_path(path: str | os.PathLike[str]) -> Path:
    """The weights file that a run folder (its `best`), a checkpoint folder or a weights file means."""
    given = Path(path)
    for candidate in (given / "best" / WEIGHTS, given / "last" / WEIGHTS, given / WEIGHTS):
        if given.is_dir() and candidate.is_file():
            return candidate
    if given.is_dir():
        raise RunError(f"{given}: not a run folder (no best/{WEIGHTS} in it)")
    if not given.exists():
        raise RunError(f"{given}: no such run folder or weights file")
    if given.suffix != Path(WEIGHTS).suffix:
        raise RunError(f"{given}: neither a run folder nor a weights file ({WEIGHTS})")
    return given


def flatten_optimiser(optimiser: torch.optim.Optimizer, prefix: str = "optimiser") -> dict[str, Tensor]:
    """The optimiser's tensors as `PREFIX/PARAMETER/NAME`."""
    state = optimiser.state_dict()["state"]
    return {
        f"{prefix}/{number}/{name}": torch.as_tensor(value)
        for number, slots in state.items()
        for name, value in slots.items()
    }


def restore_optimiser(
    optimiser: torch.optim.Optimizer, tensors: Mapping[str, Tensor], prefix: str = "optimiser"
) -> None:
    """Puts the tensors of `flatten_optimiser` back."""
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith(f"{prefix}/"):
            _, number, name = key.split("/")
            state.setdefault(int(number), {})[name] = value
    optimiser.load_state_dict({"state": state, "param_groups": optimiser.state_dict()["param_groups"]})
