"""The [data] table of an experiment file in, the data folder that it describes out, made by `nntag preprocess`."""

from __future__ import annotations

import dataclasses
import typing
from pathlib import Path
from typing import Any

from nntag.config.fields import check_value, unknown_name
from nntag.encoding.store import META, read_json, write_json
from nntag.errors import UsageError
from nntag.progress import ProgressCallback
from nntag.workflows.corpus import PreprocessOptions, preprocess
from nntag.workflows.experiment_file import Experiment, Values

SPLITS = ("train", "dev", "test")
OWN = {"folder": "source", "sample": "sample_size"}  # keys of the file -> fields of PreprocessOptions
RECORD = "data.json"  # beside the data folder: the table it was made from


def make_data(experiment: Experiment, folder: Path, progress: ProgressCallback) -> tuple[Path, list[str]]:
    """Makes the data folder unless it is there, made from the same table; returns it and remarks.

    Raises `UsageError` for keys and values that `nntag preprocess` does not know, `DataError` for a bad corpus.
    """
    assert experiment.data is not None
    try:
        options = read_options(experiment.data, folder)
    except UsageError as error:
        raise UsageError(f"{experiment.path}: data: {error}") from None
    record = folder.parent / RECORD
    if (folder / META).is_file() and record.is_file() and read_json(record) == experiment.data:
        return folder, []
    record.unlink(missing_ok=True)
    made = preprocess(str(experiment.data["corpus"]), options, progress)
    write_json(record, experiment.data)
    return folder, made.notes


def read_options(table: Values, out: Path) -> PreprocessOptions:
    """The flags of `nntag preprocess` from a table; paths start at the working folder, as on its command line."""
    fields = {field.name: field for field in dataclasses.fields(PreprocessOptions)}
    hints = typing.get_type_hints(PreprocessOptions)
    hidden = {"files", "out", *OWN.values()}
    known = ["corpus", *OWN, *SPLITS, *(name for name in fields if name not in hidden)]
    values: dict[str, Any] = {"out": out, "files": {split: _paths(split, table.get(split, [])) for split in SPLITS}}
    for key, value in table.items():
        if key not in known:
            raise UsageError(unknown_name("key", key, known))
        name = OWN.get(key, key)
        if name == "source":
            values[name] = _paths(key, value)[0]
        elif name in fields:
            values[name] = check_value(key, hints[name], fields[name], value)
    return PreprocessOptions(**values)


def _paths(key: str, value: Any) -> list[Path]:
    """One path or a list of them."""
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not all(isinstance(path, str) and path for path in paths):
        raise UsageError(f"{key} must be a path or a list of paths, found {value!r}")
    return [Path(path) for path in paths]
