"""`Settings`: everything that defines a run, merged from defaults, recipe, model name, TOML file, `--set` and flags."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.config.fields import build_config, unknown_name
from nntag.config.recipes import find_recipe
from nntag.config.registry import ModelRow, find_model
from nntag.config.tasks import find_task
from nntag.config.toml_files import read_toml
from nntag.config.training import TrainConfig
from nntag.errors import RunError, UsageError

SECTIONS = ("model", "input", "train")

Overrides = Sequence[Mapping[str, Any]]  # values over a recipe by `section.field` or bare name, weakest mapping first


@dataclass(frozen=True, slots=True)
class Settings:
    """A model's name, its recipe and the three checked configs."""

    name: str  # of the registry row
    recipe: str
    model: Any  # the row's config dataclass
    input: Any  # the task's input dataclass
    train: TrainConfig

    @property
    def row(self) -> ModelRow:
        """The row of the model in the registry."""
        return find_model(self.name)

    def with_input(self, **values: Any) -> Settings:
        """The same settings but for some of the input: what files decide, such as the width of their word vectors."""
        return dataclasses.replace(self, input=dataclasses.replace(self.input, **values))

    def values(self) -> dict[str, Any]:
        """Every value by `section.field`: what `resolve_settings` makes the same settings of."""
        saved = self.to_json()
        return {f"{section}.{name}": value for section in SECTIONS for name, value in saved[section].items()}

    def to_json(self) -> dict[str, Any]:
        """What `config.json` keeps of the settings."""
        sections = {section: dataclasses.asdict(getattr(self, section)) for section in SECTIONS}
        return {"name": self.name, "recipe": self.recipe, **sections}


class SettingsFile(dict[str, Any]):
    """The values of a TOML file, by `section.field` or bare name, and the file's name for messages."""

    def __init__(self, path: str | Path, values: Mapping[str, Any]):
        super().__init__(values)
        self.path = path


class Assignments(dict[str, str]):
    """The values of `--set`, which were typed for one setting: a bare name that two sections have is refused."""


def resolve_settings(name: str, recipe: str = "default", *overrides: Mapping[str, Any]) -> Settings:
    """Merges defaults < recipe < what the name stands for < each of `overrides` in turn.

    Keys are `section.field` or a field's bare name. Raises `UsageError` for unknown names and bad values, which names
    the file where a `SettingsFile` is at fault.
    """
    try:
        return _merge(name, recipe, overrides)
    except UsageError:
        for values in overrides:
            if isinstance(values, SettingsFile):
                _check_file(name, recipe, values)
        raise


def _check_file(name: str, recipe: str, file: SettingsFile) -> None:
    """Raises `UsageError` with the file's name where its values alone are at fault."""
    _merge(name, recipe, ())
    try:
        _merge(name, recipe, (file,))
    except UsageError as error:
        raise UsageError(f"{file.path}: {error}") from None


def _merge(name: str, recipe: str, overrides: Overrides) -> Settings:
    row = find_model(name)
    classes = {"model": row.config, "input": find_task(row.task).input, "train": TrainConfig}
    values: dict[str, dict[str, Any]] = {section: {} for section in SECTIONS}
    for key, value in find_recipe(recipe, row.task).values_for(name).items():
        section, field = key.split(".")
        if field in field_names(classes[section]):  # a recipe serves all models of its task
            values[section][field] = value
    values["model"].update(row.preset)
    for given in overrides:
        for key, value in given.items():
            section, field = _locate(key, classes, isinstance(given, Assignments))
            values[section][field] = value
    configs: dict[str, Any] = {section: build_config(classes[section], values[section]) for section in SECTIONS}
    return Settings(name, recipe, **configs)


def settings_from_json(saved: Mapping[str, Any], *overrides: Mapping[str, Any]) -> Settings:
    """The settings that `to_json` wrote, with `overrides` over them; raises `RunError` for another version's."""
    try:
        flat = {f"{s}.{field}": value for s in SECTIONS for field, value in saved[s].items()}
        return resolve_settings(saved["name"], saved["recipe"], flat, *overrides)
    except (KeyError, TypeError, AttributeError):
        raise RunError("not the settings of a run made by this version of nntag") from None


def read_settings_file(path: str | Path) -> SettingsFile:
    """The values of a TOML file with the tables [model], [input] and [train]; raises `DataError` or `UsageError`."""
    flat: dict[str, Any] = {}
    for key, value in read_toml(path).items():
        if isinstance(value, dict):
            flat |= {f"{key}.{field}": item for field, item in value.items()}
        else:
            flat[key] = value
    return SettingsFile(path, flat)


def parse_assignments(assignments: Sequence[str]) -> Assignments:
    """`["hidden=64", "train.lr=0.1"]` as a mapping; raises `UsageError`."""
    pairs = Assignments()
    for assignment in assignments:
        name, equals, value = assignment.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"--set must be NAME=VALUE, found {assignment!r}")
        pairs[name.strip()] = value.strip()
    return pairs


def field_names(cls: type) -> list[str]:
    """The names of a config dataclass's fields."""
    return [field.name for field in dataclasses.fields(cls)]


def _locate(key: str, classes: Mapping[str, type], must_be_plain: bool = False) -> tuple[str, str]:
    """The section and field that a key means; a bare name that two sections have means the first of them, or is refused
    where it `must_be_plain` which one is meant."""
    section, dot, field = key.partition(".")
    if dot:
        if section in classes and field in field_names(classes[section]):
            return section, field
    else:
        owners = [name for name, cls in classes.items() if key in field_names(cls)]
        if must_be_plain and len(owners) > 1:
            full = [f"--set {name}.{key}=..." for name in owners]
            raise UsageError(f"--set {key}: there are {len(owners)} settings of that name; say {' or '.join(full)}")
        if owners:
            return owners[0], key
    known = [f"{name}.{field}" for name, cls in classes.items() for field in field_names(cls)]
    bare = [name.partition(".")[2] for name in known]
    raise UsageError(unknown_name("setting", key, known if dot else list(dict.fromkeys(bare))))
