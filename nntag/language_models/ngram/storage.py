"""The arrays of an n-gram model in, `ngram.json` and `model.safetensors` out, and back, memory-mapped and checked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nntag.errors import RunError
from nntag.files import replace_file
from nntag.json_files import read_json, write_json
from nntag.language_models.ngram.arrays import map_arrays, write_arrays
from nntag.manifest import ALWAYS_READ, FILE, check_file, describe_file, open_seal, seal_json
from nntag.schema import Columns, Real, Record, Rows, Text, Whole

ABOUT, WEIGHTS = "ngram.json", "model.safetensors"
_FORMAT = 1
_SCHEMA = Record(
    {
        "format": Whole(),
        "order": Whole(1, 100),
        "counts": Rows(Whole(), 1),
        "discounts": Rows(Columns((Real(), Real(), Real()))),
        "vocab_size": Whole(1),
        "bos": Whole(),
        "eos": Whole(),
    },
    {"weights": FILE, "sha256": Text()},
)


class Arrays(NamedTuple):
    """What the model holds of each order; see `NgramModel`."""

    keys: list[NDArray[np.int64]]
    log_prob: list[NDArray[np.float32]]
    log_backoff: list[NDArray[np.float32]]

    @property
    def counts(self) -> list[int]:
        """The number of n-grams of each order."""
        return [len(log_prob) for log_prob in self.log_prob]


def write_model(folder: Path, described: Mapping[str, Any], arrays: Arrays) -> None:
    """Writes `ngram.json` and, last, `model.safetensors` into the folder, which exists; raises OSError.

    `described`: the `discounts`, `vocab_size`, `bos` and `eos` of the model.
    """
    order = len(arrays.log_prob)
    named: dict[str, NDArray] = {}
    for k in range(1, order + 1):
        named[f"{k}.log_prob"] = arrays.log_prob[k - 1]
        if k > 1:
            named[f"{k}.key"] = arrays.keys[k - 1]
        if k < order:
            named[f"{k}.log_backoff"] = arrays.log_backoff[k - 1]
    about = {"format": _FORMAT, "order": order, "counts": arrays.counts, **described}
    with replace_file(Path(folder) / WEIGHTS) as partial:
        write_arrays(partial, named)
        about["weights"] = describe_file(partial)
        with replace_file(Path(folder) / ABOUT) as partial_about:
            write_json(partial_about, seal_json(about))


def read_model(folder: Path, thorough: bool = False) -> tuple[dict[str, Any], Arrays]:
    """What `write_model` was given, the arrays memory-mapped. Raises RunError where a file is missing, damaged or of
    another format; what large arrays hold is looked at only if `thorough`."""
    path = Path(folder) / ABOUT
    about = open_seal(read_json(path, _SCHEMA, "the description of an n-gram model"), path)
    weights = path.with_name(WEIGHTS)
    if "weights" in about:
        check_file(weights, about["weights"], "estimate the n-gram model again", thorough)
    try:
        if about["format"] != _FORMAT:
            raise ValueError(f"its format is {about['format']}, this version reads {_FORMAT}")
        named, order = map_arrays(weights), about["order"]
        arrays = Arrays(
            [np.empty(0, np.int64)] + [named[f"{k}.key"] for k in range(2, order + 1)],
            [named[f"{k}.log_prob"] for k in range(1, order + 1)],
            [named[f"{k}.log_backoff"] for k in range(1, order)],
        )
        if arrays.counts != about["counts"]:
            raise ValueError("ngram.json and model.safetensors belong to different models")
        base = max(about["vocab_size"], about["bos"] + 1)
        if not (about["eos"] < about["vocab_size"] and about["bos"] <= about["vocab_size"]):
            raise ValueError("its sizes do not fit its words")
        _check_shapes(arrays, base)
        if thorough or weights.stat().st_size <= ALWAYS_READ:
            _check_values(arrays, base)
        return about, arrays
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise RunError(f"{path}: cannot load the n-gram model: {error}") from error


def _check_shapes(arrays: Arrays, base: int) -> None:
    """Raises `ValueError` for arrays that do not fit each other."""
    counts = arrays.counts
    if counts[0] != base:
        raise ValueError("its sizes do not fit its words")
    for name, kind, wanted in (
        ("keys", np.int64, [0, *counts[1:]]),
        ("log_prob", np.float32, counts),
        ("log_backoff", np.float32, counts[:-1]),
    ):
        orders = getattr(arrays, name)
        if any(array.dtype != kind for array in orders):
            raise ValueError("an array is of another type")
        if [len(array) for array in orders] != wanted:
            raise ValueError("its arrays have other lengths than they must have")


def _check_values(arrays: Arrays, base: int) -> None:
    """Raises `ValueError` for arrays that hold what no model can hold."""
    for k, keys in enumerate(arrays.keys[1:], 1):
        inside = not len(keys) or (keys[0] >= 0 and keys[-1] < arrays.counts[k - 1] * base)
        if not inside or not (keys[1:] > keys[:-1]).all():
            raise ValueError(f"its {k + 1}-grams are not in order")
    if not all(np.isfinite(array).all() for array in (*arrays.log_prob, *arrays.log_backoff)):
        raise ValueError("a probability is not a finite number")
