"""The [data] table of an experiment file in, the data folder that it describes out, made by `nntag preprocess`."""

from __future__ import annotations

import dataclasses
import typing
from pathlib import Path
from typing import Any

from nntag.commands.preprocess import RAW, PreprocessOptions, preprocess
from nntag.config.fields import check_value, unknown_name
from nntag.encoding.data_folder import META, read_json, sha256_of, write_json
from nntag.errors import UsageError
from nntag.experiments.file import Experiment, Values
from nntag.progress import ProgressCallback

SPLITS = ("train", "dev", "test")
OWN = {"folder": "source", "sample": "sample_size"}  # keys of the file -> fields of PreprocessOptions
RECORD = "data.json"  # beside the data folder: the table and the files it was made from


def make_data(experiment: Experiment, folder: Path, progress: ProgressCallback) -> tuple[Path, list[str]]:
    """Makes the data folder unless it is there, made from the same table and files; returns it and remarks.

    Where the files have gone since, the data folder that was made of them stays in use. Raises `UsageError` for keys
    and values that `nntag preprocess` does not know, `DataError` for a bad corpus.
    """
    assert experiment.data is not None
    try:
        options = read_options(experiment.data, folder)
    except UsageError as error:
        raise UsageError(f"{experiment.path}: data: {error}") from None
    corpus, path = str(experiment.data["corpus"]), folder.parent / RECORD
    record = {"table": dict(experiment.data), "files": _hash_files(corpus, options)}
    if (folder / META).is_file() and path.is_file():
        made_from = read_json(path)
        if made_from.get("table") == record["table"] and record["files"] in ({}, made_from["files"]):
            return folder, []
    path.unlink(missing_ok=True)
    made = preprocess(corpus, options, progress)
    write_json(path, record)
    return folder, made.notes


def _hash_files(corpus: str, options: PreprocessOptions) -> dict[str, str | None]:
    """The files of the corpus that are there, each with its hash; none for a generated sample."""
    if options.sample_size is not None:
        return {}
    given = [path for paths in options.files.values() for path in paths]
    files = given or sorted((options.source or RAW / corpus).rglob("*"))
    return {str(path): sha256_of(path) for path in files if path.is_file()}


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
