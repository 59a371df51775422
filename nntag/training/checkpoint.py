"""Checkpoints: a folder with `model.safetensors`, `config.json` and `vocab.json`, each written whole or not at all.

`model.safetensors` holds the weights under their own names. In `last` it also holds what resuming needs: tensors under
`training/` (the weights that the optimiser moves, where dev sees their running mean), `optimiser/N/NAME`, for a
pre-trained part that is tuned `pretrained/N/NAME`, within an epoch `random/DEVICE`, and the JSON of the epoch, the
scores and the log so far in its header, all in one file so that one rename replaces them all.
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
from torch import Tensor

from nntag.errors import RunError
from nntag.files import replace_file
from nntag.json_files import read_json, without_infinity, write_json
from nntag.manifest import ALWAYS_READ, FILE, check_file, describe_file, open_seal, seal_json
from nntag.schema import Choice, Maybe, OneOrMore, Record, Table, Text
from nntag.training.tensor_files import UNSEALED, check_seal, encode_header, parse_header, read_header, write_sealed
from nntag.training.tensors import SAFETENSORS_NAMES, bytes_of, is_finite
from nntag.training.update_rules import UpdateRule

WEIGHTS = "model.safetensors"
CONFIG = "config.json"
VOCABULARIES = "vocab.json"
PARTS = ("best", "last")  # of a run folder
EXTRA = ("training/", "optimiser/", "pretrained/", "random/")
ADVICE = "put back the file that was trained, or train anew"
_SEALED = Record({}, {"seal": Record({"sha256": Text()}, {"run": Maybe(Text()), "part": Maybe(Choice(PARTS))})})
_CONFIG = Record(
    {"settings": Table()},
    {
        "task": Text(),
        "data": Maybe(Text(path=True)),
        "corpus": Maybe(Text()),
        "column": Maybe(OneOrMore(Text())),
        "nntag": Text(),
        "run": Text(),
        "command": Text(path=True),
        "data_files": Table(Text()),
        "files": Table(FILE),
        "sha256": Text(),
    },
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The content of a `model.safetensors`."""

    weights: Mapping[str, Tensor]
    state: Mapping[str, Any]  # the JSON in the header: epoch, scores, log
    extra: Mapping[str, Tensor]  # only in `last`


def write_checkpoint(
    folder: Path, weights: Mapping[str, Tensor], state: Mapping[str, Any], extra: Mapping[str, Tensor] | None = None
) -> None:
    """Replaces `folder/model.safetensors`; raises `RunError` naming it where that fails, the old one intact.

    Its seal says to which run, by the config beside it, and to which part of that run it belongs.
    """
    path = folder / WEIGHTS
    tensors = sorted({**weights, **(extra or {})}.items(), key=lambda item: (-item[1].element_size(), item[0]))
    seal = {"sha256": UNSEALED, "run": _run_of(folder), "part": folder.name if folder.name in PARTS else None}
    text = json.dumps({"seal": seal, **without_infinity(state)})
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replace_file(path) as partial, open(partial, "wb") as file:
            described = ((name, SAFETENSORS_NAMES[value.dtype], value.shape, value.nbytes) for name, value in tensors)
            write_sealed(file, encode_header(described, {"state": text}), (bytes_of(value) for _, value in tensors))
    except OSError as error:
        raise RunError(f"{path}: cannot write the checkpoint: {error.strerror}; an older one there is intact") from None


def _run_of(folder: Path) -> str | None:
    """The name that a run has in its config, which its weights repeat."""
    path = folder / CONFIG
    return read_json(path, _CONFIG, "the config of a run").get("run") if path.exists() else None


def write_identity(
    folder: Path, config: Mapping[str, Any], vocabularies: Mapping[str, Any], files: Sequence[Path] = ()
) -> None:
    """Writes what does not change during a run, and copies `files`: each checkpoint folder can be used alone.

    The config comes last, as it holds the SHA-256 of the other files and its own.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replace_file(folder / VOCABULARIES) as partial:
            write_json(partial, vocabularies)
        for file in files:
            with replace_file(folder / file.name) as partial:
                shutil.copyfile(file, partial)
        names = [VOCABULARIES, *(file.name for file in files)]
        described = {name: describe_file(folder / name) for name in names}
        with replace_file(folder / CONFIG) as partial:
            write_json(partial, seal_json({**config, "files": described}))
    except OSError as error:
        raise RunError(f"{error.filename or folder}: cannot write the run folder: {error.strerror}") from None


def read_checkpoint(path: Path, thorough: bool = False) -> Checkpoint:
    """Reads a `model.safetensors` onto the CPU; raises `RunError` for a missing, damaged or foreign file.

    Weights that are not finite are refused too. Of a large file the content is compared with its seal if `thorough`.
    """
    if not path.exists():
        raise RunError(f"{path}: no such file")
    state = read_state(path, thorough)
    weights: dict[str, Tensor] = {}
    extra: dict[str, Tensor] = {}
    try:
        with safe_open(path, framework="pt", device="cpu") as file:
            for name in file.keys():  # noqa: SIM118 (not a mapping)
                (extra if name.startswith(EXTRA) else weights)[name] = file.get_tensor(name)
    except (SafetensorError, OSError, ValueError, TypeError) as error:
        raise RunError(f"{path}: not a weights file in safetensors format, or damaged ({error})") from None
    for name, value in [*weights.items(), *extra.items()]:
        moment = name.startswith(("optimiser/", "pretrained/"))  # a square can overflow where no weight does
        if value.is_floating_point() and not moment and not is_finite(value):
            raise RunError(f"{path}: weights are not finite ({name}); {ADVICE}")
    return Checkpoint(weights, state, extra)


def read_state(path: Path, thorough: bool = False) -> dict[str, Any]:
    """The JSON in the header of a `model.safetensors`, its seal compared with the file and the run it lies in."""
    text = read_header(path).metadata.get("state", "{}")
    state = parse_header(text, path, _SEALED)
    seal = state.pop("seal", None)
    if seal is None:  # of version 0.1.0, or of another tool
        return state
    if thorough or path.stat().st_size <= ALWAYS_READ:
        check_seal(path, seal["sha256"])
    part, own = seal.get("part"), path.parent.name
    if part is not None and own in PARTS and own != part:
        raise RunError(f"{path}: belongs into {part}, not into {own}; {ADVICE}")
    if seal.get("run") != _run_of(path.parent):
        raise RunError(f"{path}: belongs to another run than the {CONFIG} beside it; {ADVICE}")
    return state


def read_identity(folder: Path, thorough: bool = False) -> tuple[dict[str, Any], dict[str, Any]]:
    """The config and the vocabularies of a checkpoint folder; raises `RunError`.

    Of the files that the config has the sums of, the content of large ones is compared if `thorough`.
    """
    config = open_seal(read_json(folder / CONFIG, _CONFIG, "the config of a run"), folder / CONFIG)
    for name, written in config.pop("files", {}).items():
        check_file(folder / name, written, ADVICE, thorough)
    return config, read_json(folder / VOCABULARIES, Table(), "the vocabularies of a run")


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


def flatten_optimiser(optimiser: UpdateRule, prefix: str = "optimiser") -> dict[str, Tensor]:
    """The optimiser's tensors as `PREFIX/PARAMETER/NAME`."""
    state = optimiser.state_dict()["state"]
    return {
        f"{prefix}/{number}/{name}": torch.as_tensor(value)
        for number, slots in state.items()
        for name, value in slots.items()
    }


def restore_optimiser(optimiser: UpdateRule, tensors: Mapping[str, Tensor], prefix: str = "optimiser") -> None:
    """Puts the tensors of `flatten_optimiser` back; raises `ValueError` for what this optimiser has no use for."""
    parameters = [parameter for group in optimiser.param_groups for parameter in group["params"]]
    state: dict[int, dict[str, Tensor]] = {}
    for key, value in tensors.items():
        if key.startswith(f"{prefix}/"):
            _, number, name = key.split("/")
            shape = torch.Size() if name == "step" else parameters[int(number)].shape
            kind = torch.float32 if name == "step" else parameters[int(number)].dtype
            if name not in optimiser.moments or (value.shape, value.dtype) != (shape, kind):
                raise ValueError(f"{key} is not of this optimiser")
            state.setdefault(int(number), {})[name] = value
    if any(set(slots) != optimiser.moments for slots in state.values()):
        raise ValueError(f"{prefix}: some of its tensors are missing")
    optimiser.load_state_dict({"state": state})
