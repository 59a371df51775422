"""Data folders: what `preprocess` writes and `train` reads; text, vocabularies and a `meta.json`, complete or absent.

A folder is written beside its final place and renamed when complete, so that a broken run leaves nothing half done. The
bytes depend on the sources and options alone: no times, no machine names, no order of a set.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.config.columns import list_columns
from nntag.corpora.formats import FORMATS
from nntag.errors import RunError, UsageError
from nntag.files import hold_lock
from nntag.json_files import LARGEST_FILE, check_json, check_regular, read_json, write_json
from nntag.manifest import check_manifest, describe_files, list_files, read_manifest, write_manifest
from nntag.schema import Choice, Maybe, OneOrMore, Record, Rows, Schema, Table, Text, Whole

FORMAT_VERSION = 1
SEVERAL_COLUMNS = 2  # the version of folders with more than one tag a word, which version 0.1.0 would misread
META = "meta.json"
VOCABULARY = "vocab.json"
PROCESSED = Path("data/processed")
AGAIN = "run `nntag preprocess` again"
CHANGED = "has changed"  # a file of a corpus, since data was made of it
_META = Record(
    {"format_version": Whole(), "task": Text(), "splits": Table(Table())},
    {
        "corpus": Maybe(Text()),
        "column": Maybe(OneOrMore(Text())),
        "labels": Choice(("fine", "binary")),
        "questions": Whole(),
        "sources": Table(Rows(Record({"file": Text(path=True), "sha256": Maybe(Text())}))),
    },
)


@dataclass(frozen=True, slots=True)
class DataFolder:
    """A complete data folder and its `meta.json`."""

    path: Path
    meta: Mapping[str, Any]

    @property
    def task(self) -> str:
        """The task that the data is for."""
        return str(self.meta["task"])

    def file(self, name: str) -> Path:
        """The path of a file in the folder; raises `RunError` where it is missing."""
        path = self.path / name
        if not path.exists():
            raise RunError(f"{path}: missing from the data folder; {AGAIN}")
        check_regular(path)
        return path

    def read_json(self, name: str, schema: Schema, what: str) -> Any:
        """The value of one of the folder's JSON files; raises `RunError` where it is missing or damaged."""
        return read_json(self.file(name), schema, f"{what}; {AGAIN}")

    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each file: as its manifest has them, computed where a folder of version 0.1.0 has none."""
        files = read_manifest(self.path) or describe_files(self.path)
        return {name: written["sha256"] for name, written in files.items()}

    def has_split(self, split: str) -> bool:
        """Whether the folder has a split of that name."""
        return split in self.meta["splits"]


@contextlib.contextmanager
def create_data_folder(path: str | os.PathLike[str], force: bool = False, in_use: bool = False) -> Iterator[Path]:
    """Yields a temporary folder to fill; it becomes `path` when the block ends well and is removed otherwise.

    An older data folder at `path` is replaced, see `check_replacement`; anything else that stands there is a
    `UsageError`. Where another process is writing the same folder, its end is waited for.
    """
    target = Path(path)
    partial = target.parent / f".{target.name}.partial-{os.getpid()}"
    old = target.parent / f".{target.name}.old-{os.getpid()}"
    try:
        _check_nothing_is_lost(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        with hold_lock(target.with_name(f".{target.name}.lock")) as is_alone:
            if is_alone:
                _remove_leftovers(target)
            partial.mkdir()
            yield partial
            write_manifest(partial)
            if not force:
                changes_data = in_use and read_manifest(partial) != (read_manifest(target) or describe_files(target))
                check_replacement(target, read_json(partial / META), changes_data)
            if target.exists():
                target.rename(old)
            partial.rename(target)
            shutil.rmtree(old, ignore_errors=True)
    except OSError as error:
        raise RunError(
            f"{error.filename or target}: cannot write the data folder: {error.strerror or error}"
        ) from error
    finally:
        shutil.rmtree(partial, ignore_errors=True)


class OtherDataError(UsageError):
    """A data folder that would be replaced by one of another corpus."""


def check_replacement(target: Path, meta: Mapping[str, Any], changes_data: bool = False) -> None:
    """Raises `OtherDataError` where another corpus, column or task, by its `meta.json`, lies at `target` already.

    A corpus of files of the same names may be made anew, with what they hold now and with other options, unless that
    `changes_data` of runs; a generated sample with any: nothing is lost.
    """
    if not (target / META).is_file():
        return
    try:
        old = open_data_folder(target).meta
    except RunError:  # damaged, or another version's: made anew is what it should be
        return
    changes = [f"{name} was {was}, is {now}" for name, was, now in _compare_origins(old, meta) if was != now]
    if not changes and not (meta.get("generated_sample") and old.get("generated_sample")):
        files = compare_sources(old, meta)
        changes = [change for change in files if changes_data or not change.endswith(CHANGED)]
        if changes_data and not changes:
            changes = ["its files would be others"]
    if changes:
        raise OtherDataError(
            f"{target} holds other data ({'; '.join(changes[:4])}); give another --out, or replace it with --force"
        )


def _compare_origins(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    for name in ("task", "corpus", "labels"):
        yield name, old.get(name), new.get(name, old.get(name))
    if "column" in new:
        yield "column", find_column(old), find_column(new)


def find_column(meta: Mapping[str, Any]) -> str | None:
    """The column of a data folder's, or a run's, corpus by its name, also where it was the format's first; the names of
    several, separated by commas."""
    corpus, columns = meta.get("corpus"), list_columns(meta.get("column"))
    if columns == (None,):
        return FORMATS[corpus].choose_column(None).name if corpus in FORMATS else None
    return ", ".join(map(str, columns))


def compare_sources(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    """Which files of a corpus, by two `meta.json` of data made of it, are others, or end in `CHANGED`; a pipe has no
    SHA-256 to compare."""
    before, after = old.get("sources", {}), new.get("sources", {})
    changes = []
    for split in after if before else ():
        was, now = ([(file["file"], file["sha256"]) for file in files.get(split, [])] for files in (before, after))
        if was != now and all(digest for _, digest in (*was, *now)):
            names = [", ".join(name for name, _ in files) or "nothing" for files in (was, now)]
            other = names[0] != names[1]
            changes.append(f"{split} was {names[0]}, is {names[1]}" if other else f"{names[0]} {CHANGED}")
    return changes


def _check_nothing_is_lost(target: Path) -> None:
    """Raises `UsageError` unless there is nothing, an empty folder, or a data folder with nothing else in it."""
    if not target.exists() or (target.is_dir() and not any(target.iterdir())):
        return
    if not (target / META).is_file():
        raise UsageError(f"{target} exists and is not a data folder of nntag; give another --out")
    try:
        written = read_manifest(target)
    except RunError:  # damaged: made anew is what it should be
        return
    names = list_files(target)
    foreign = [name for name in names if (name not in written if written is not None else "/" in name)]
    if foreign:
        raise UsageError(
            f"{target} holds files that `nntag preprocess` did not write ({foreign[0]}); give another --out"
        )


def _remove_leftovers(target: Path) -> None:
    """Removes what earlier runs that were killed left beside `target`; an old complete folder is put back.

    Only for who holds the lock: then nobody is at work on what is found.
    """
    kinds = {f".{target.name}.old": "old", f".{target.name}.partial": "partial"}
    for leftover in list(target.parent.iterdir()):
        name, _, pid = leftover.name.rpartition("-")
        if name not in kinds or not pid.isdigit():
            continue
        if kinds[name] == "old" and not target.exists():
            leftover.rename(target)
        else:
            shutil.rmtree(leftover, ignore_errors=True)


def write_meta(folder: Path, *, task: str, corpus: str, splits: Mapping[str, Any], **details: Any) -> None:
    """Writes `meta.json`: the last file of a data folder. `splits` maps each split to its counts."""
    version = SEVERAL_COLUMNS if isinstance(details.get("column"), list) else FORMAT_VERSION
    head = {"format_version": version, "task": task, "corpus": corpus, "splits": dict(splits)}
    write_json(folder / META, head | details)


def write_vocabulary(folder: Path, value: Mapping[str, Any]) -> None:
    """Writes `vocab.json`; raises `UsageError` for one that is larger than what is read back."""
    write_json(folder / VOCABULARY, value)
    size = (folder / VOCABULARY).stat().st_size
    if size > LARGEST_FILE:
        raise UsageError(
            f"the vocabulary takes {size >> 20} MiB, more than the {LARGEST_FILE >> 20} MiB that nntag opens; "
            "make it smaller: give --vocab-size or a greater --min-count, or less text"
        )


def open_data_folder(path: str | os.PathLike[str], task: str | None = None, thorough: bool = False) -> DataFolder:
    """The data folder at `path`, its files compared with its manifest, the content of large ones if `thorough`.

    Raises `RunError` where there is none, for another format version, another task, and where a file has changed.
    """
    folder = Path(path)
    if not (folder / META).is_file():
        why = f"no {META} in it" if folder.exists() else "there is no such file or folder"
        raise RunError(f"{folder}: not a data folder ({why}); make one with `nntag preprocess`")
    meta = read_json(folder / META)
    versions = (FORMAT_VERSION, SEVERAL_COLUMNS)
    if not isinstance(meta, dict) or meta.get("format_version") not in versions or "splits" not in meta:
        raise RunError(f"{folder}: written by another version of nntag; {AGAIN}")
    check_json(meta, folder / META, _META, f"the description of a data folder; {AGAIN}")
    if task is not None and meta["task"] != task:
        raise RunError(f"{folder}: holds data for {meta['task']}, but the model needs data for {task}")
    check_manifest(folder, AGAIN, thorough)
    return DataFolder(folder, meta)


def newest_data_folder(task: str | None = None, root: Path = PROCESSED) -> DataFolder:
    """The data folder of `task` under `root` that was written last; raises `RunError` where there is none."""
    complete = (path for path in root.glob(f"*/{META}") if not path.parent.name.startswith("."))
    found = sorted(complete, key=lambda path: (path.stat().st_mtime_ns, str(path)), reverse=True)
    for meta in found:
        data = open_data_folder(meta.parent)
        if task is None or data.task == task:
            return data
    wanted = f" for {task}" if task else ""
    raise RunError(f"{root}: no data folder{wanted}; make one with `nntag preprocess` or name one with --data")


def is_corpus_file(data: str | Path | None) -> bool:
    """Whether --data names a corpus file (or a folder of files, or standard input) rather than a data folder of
    `preprocess`."""
    return str(data) == "-" or data is not None and Path(data).exists() and not (Path(data) / META).is_file()


def choose_split(folder: DataFolder, split: str | None) -> str:
    """The split asked for, or test, or dev where there is no test; raises `UsageError`."""
    if split is None:
        return "test" if folder.has_split("test") else "dev"
    if not folder.has_split(split):
        raise UsageError(f"{folder.path} has no split {split!r} (it has: {', '.join(folder.meta['splits'])})")
    return split
