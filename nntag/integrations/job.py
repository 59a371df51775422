"""Input files and options -> a job: parts, the file that each one goes to, and what the output depends on."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from nntag import __version__
from nntag.config.options.engine import EngineOptions
from nntag.config.options.parse import ParseOptions
from nntag.config.options.use import ScoreOptions, TagOptions, list_models
from nntag.corpora.packing import unpacked_name
from nntag.corpora.parts import Part, cut_file
from nntag.errors import UsageError
from nntag.integrations.annotate import Options, find_cut, load_annotator
from nntag.integrations.parquet import PARQUET, RowGroups, cut_parquet
from nntag.manifest import list_files, sha256_of
from nntag.tagging.parsing.tagged import TAGGED_FORMATS
from nntag.tagging.stream.input import choose_input_format
from nntag.training.runs import newest_run

NO_EFFECT = ("files", "file", "output_dir", "model", "models", "pos_model", "grammar", "batch_size", "jobs", "device")
# fields whose values make no difference to the output, or whose files are compared by their SHA-256


@dataclass(frozen=True)
class Job:
    """All that a worker needs to know, and what a manifest says of it."""

    options: Options
    folder: Path  # absolute, as all paths here: workers have other working directories
    parts: tuple[Part | RowGroups, ...]
    targets: tuple[str, ...]  # for each part its file in `folder`
    text_column: str
    identity: dict[str, Any]  # equal for two jobs of the same output

    @property
    def needs_gpu(self) -> bool:
        """Whether each worker takes a GPU."""
        return self.options.device != "cpu"


def plan_job(options: Options, inputs: Sequence[str], engine: EngineOptions) -> Job:
    """Loads the model once, to know that it works, then reads all inputs once, to cut them and for their SHA-256.

    Raises `UsageError`, `RunError`, `DataError`.
    """
    assert engine.output is not None
    files = find_inputs(inputs)
    annotator = load_annotator(_name_model(options, list(files)))
    options, folder = _absolute(annotator.options), engine.output.resolve()
    parts: list[Part | RowGroups] = []
    targets: list[str] = []
    described = []
    for path, place in files.items():
        if folder in path.resolve().parents:
            raise UsageError(f"{path} lies in --output; give another folder")
        cut: Sequence[Part | RowGroups]
        if path.suffix.lower() == PARQUET:
            annotator.annotate_texts([])  # refuses formats that a column cannot hold
            cut, digest = cut_parquet(path.resolve(), engine.part_bytes, engine.text_column)
            suffix = PARQUET
        else:
            cut, digest = cut_file(path.resolve(), engine.part_bytes, find_cut(options, path))
            suffix = annotator.suffix
        described.append({"path": str(path), "bytes": path.stat().st_size, "sha256": digest})
        parts += cut
        targets += [f"{place}/part-{number:05}{suffix}" for number in range(len(cut))]
    identity = {
        "nntag": __version__,
        "command": annotator.command,
        "settings": _settings(options) | {"part_bytes": engine.part_bytes, "text_column": engine.text_column},
        "models": [_digest(path) for path in annotator.models],
        "inputs": described,
    }
    return Job(options, folder, tuple(parts), tuple(targets), engine.text_column, identity)


def find_inputs(names: Sequence[str]) -> dict[Path, str]:
    """Every file that is named or lies in a folder that is, with the place of its parts in the output folder."""
    found: dict[Path, str] = {}
    for name in names:
        given = Path(name)
        if name == "-":
            raise UsageError("an engine takes files and folders, not standard input")
        files = list(_files_in(given)) if given.is_dir() else [given]
        if not files:
            raise UsageError(f"{given}: no files in this folder")
        for file in files:
            place = file.relative_to(given) if given.is_dir() else Path(file.name)
            plain = unpacked_name(place)
            for other, taken in found.items():
                if taken == plain.as_posix() and other != file:
                    raise UsageError(f"{file} and {other} would both go to {plain}; give them one after the other")
            found[file] = plain.as_posix()
    if not found:
        raise UsageError("an engine takes files and folders: name at least one")
    return found


def _files_in(folder: Path) -> Iterator[Path]:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts):
            yield path  # _SUCCESS and the like are marks of other engines


def _name_model(options: Options, files: Sequence[Path]) -> Options:
    """The newest run is one for all workers: where text is to be parsed and no model is named, it is named here."""
    if not isinstance(options, ParseOptions) or list_models(options.model):
        return options
    tagged = [choose_input_format(options.input_format, str(path)) in TAGGED_FORMATS for path in files]
    if all(tagged):
        return options
    if any(tagged):
        raise UsageError("some of these files are tagged and some are not; parse them one after the other")
    return replace(options, model=newest_run("tagging"))


def _absolute(options: Options) -> Options:
    """The options with paths that mean the same in another working directory."""
    if isinstance(options, ScoreOptions):
        return replace(options, models=tuple(Path(model).resolve() for model in options.models))
    names = ("pos_model", "grammar") if isinstance(options, ParseOptions) else ("pos_model",)
    given = {name: getattr(options, name) for name in names}
    paths = {name: Path(path).resolve() for name, path in given.items() if path is not None and Path(path).exists()}
    models = tuple(Path(model).resolve() for model in list_models(options.model))
    return replace(options, model=models or None, **paths)  # type: ignore[arg-type]


def _settings(options: TagOptions | ScoreOptions | ParseOptions) -> dict[str, Any]:
    values = {name: value for name, value in dataclasses.asdict(options).items() if name not in NO_EFFECT}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def _digest(path: Path) -> dict[str, Any]:
    """A file, or all files of a folder as one."""
    if path.is_file():
        return {"path": str(path), "sha256": sha256_of(path)}
    names = list_files(path)
    digest = hashlib.sha256("".join(f"{name} {sha256_of(path / name)}\n" for name in names).encode())
    return {"path": str(path), "sha256": digest.hexdigest()}
