"""The [data] tables of an experiment file in, the data folders that they describe out, made by `nntag preprocess`."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from nntag.commands.preprocess import RAW, preprocess
from nntag.config.fields import check_value, unknown_name
from nntag.config.options.preprocess import PreprocessOptions
from nntag.encoding.data_folder import META, DataFolder, open_data_folder
from nntag.errors import UsageError
from nntag.experiments.experiment import ONE, Experiment, Values
from nntag.json_files import read_json, write_json
from nntag.manifest import sha256_of
from nntag.progress import ProgressCallback
from nntag.schema import Record, Table

SPLITS = ("train", "dev", "test")
OWN = {"folder": "source", "sample": "sample_size"}  # keys of the file -> fields of PreprocessOptions

_RECORD = Record({"table": Table(), "files": Table()})

Given = str | Path | Mapping[str, str | Path] | None


def open_data(
    experiment: Experiment, names: Iterable[str], task: str, given: Given, out: Path, progress: ProgressCallback
) -> tuple[dict[str, DataFolder], list[str]]:
    """The data folders called `names` and remarks: those `given` (--data), else those that the file names or describes.

    Raises `UsageError` where there is no folder and no table of a name, or a name is given that the file does not have.
    """
    folders = {ONE: given} if isinstance(given, str | Path) else dict(given or {})
    names, known = list(names), [*experiment.data, *experiment.folders] or [ONE]
    for name in folders:
        if name not in known:
            wanted = ", ".join(f"{other}=FOLDER" for other in known) if known != [ONE] else "FOLDER, without a name"
            raise UsageError(f"--data {name}: {experiment.path} has no such data; give --data {wanted}")
    folders = {**experiment.folders, **folders}
    opened, notes = {}, []
    for name in names:
        if name not in folders and name not in experiment.data:
            raise UsageError(f"{experiment.path}: has no [data] table; name a data folder with --data")
        folder = folders.get(name)
        if folder is None:
            folder, remarks = make_data(experiment, out / (f"data-{name}" if name else "data"), progress, name)
            notes += remarks
        opened[name] = open_data_folder(folder, task)
    return opened, notes


def make_data(
    experiment: Experiment, folder: Path, progress: ProgressCallback, name: str = ONE
) -> tuple[Path, list[str]]:
    """Makes a data folder unless it is there, made from the same table and files; returns it and remarks.

    Beside the folder, FOLDER.json holds the table and the files that it was made from.

    Where the files have gone since, the data folder that was made of them stays in use. Raises `UsageError` for keys
    and values that `nntag preprocess` does not know, `DataError` for a bad corpus.
    """
    table = experiment.data[name]
    try:
        options = read_options(table, folder)
    except UsageError as error:
        raise UsageError(f"{experiment.path}: data{f'.{name}' if name else ''}: {error}") from None
    corpus, path = str(table["corpus"]), folder.with_name(f"{folder.name}.json")
    record = {"table": dict(table), "files": _hash_files(corpus, options)}
    if (folder / META).is_file() and path.is_file():
        made_from = read_json(path, _RECORD, "the record of a data folder")
        if made_from.get("table") == record["table"] and record["files"] in ({}, made_from["files"]):
            return folder, []
    path.unlink(missing_ok=True)
    made = preprocess(options, progress)
    write_json(path, record)
    return folder, made.notes


def _hash_files(corpus: str, options: PreprocessOptions) -> dict[str, str | None]:
    """The files of the corpus that are there, each with its hash; none for a generated sample."""
    if options.sample:
        return {}
    given = [path for paths in options.files.values() for path in paths]
    files = given or sorted((options.source or RAW / corpus).rglob("*"))
    return {str(path): sha256_of(path) for path in files if path.is_file()}


def read_options(table: Values, out: Path) -> PreprocessOptions:
    """The flags of `nntag preprocess` from a table; paths start at the working folder, as on its command line."""
    fields = {field.name: field for field in dataclasses.fields(PreprocessOptions)}
    hints = typing.get_type_hints(PreprocessOptions)
    hidden = {"out", "force", *SPLITS, *OWN.values()}
    known = [*OWN, *SPLITS, *(name for name in fields if name not in hidden)]
    values: dict[str, Any] = {"out": out, "sample": "sample" in table, "force": True}
    values |= {split: tuple(_paths(split, table.get(split, []))) for split in SPLITS}
    for key, value in table.items():
        if key not in known:
            raise UsageError(unknown_name("key", key, known))
        name = OWN.get(key, key)
        if name == "source":
            values[name] = _paths(key, value)[0]
        elif name not in SPLITS:
            values[name] = check_value(key, hints[name], fields[name], value)
    return PreprocessOptions(**values)


def _paths(key: str, value: Any) -> list[Path]:
    """One path or a list of them."""
    paths = [value] if isinstance(value, str) else value
    if not isinstance(paths, list) or not all(isinstance(path, str) and path for path in paths):
        raise UsageError(f"{key} must be a path or a list of paths, found {value!r}")
    return [Path(path) for path in paths]
