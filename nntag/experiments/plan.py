"""The plan of an experiment: a checked file and values of the command line in, the systems with their settings out."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from nntag.config.fields import unknown_name
from nntag.config.registry import find_model
from nntag.config.settings import SECTIONS, Settings, resolve_settings
from nntag.config.tasks import find_task
from nntag.config.training import TrainConfig
from nntag.errors import UsageError
from nntag.experiments.experiment import NAMES, ONE, Experiment, Figure, Recipe, Row, Values


@dataclass(frozen=True)
class System:
    """One line of the table: a model with all its settings but the seed."""

    label: str
    series: str  # the name of the row it comes from
    axes: Mapping[str, Any]  # its values in the grid
    settings: Settings
    published: Mapping[str, float]
    data: str = ONE  # the name of its data in the file
    note: str = ""

    def value_of(self, key: str) -> Any:
        """A setting by the name that the file uses for it; None where the model has no such setting."""
        if key in NAMES:
            return {"model": self.settings.name, "recipe": self.settings.recipe, "data": self.data}[key]
        section, dot, name = key.partition(".")
        sections = (section,) if dot else SECTIONS
        for section in sections:
            config = getattr(self.settings, section)
            if hasattr(config, name if dot else key):
                return getattr(config, name if dot else key)
        return None

    def settings_for(self, seed: int) -> Settings:
        """The settings of the run with this seed."""
        train = dataclasses.replace(self.settings.train, seed=seed)
        return dataclasses.replace(self.settings, train=train)


def plan_systems(experiment: Experiment, assignments: Values | None = None) -> tuple[System, ...]:
    """The systems of the chosen rows, which must belong to one task and differ.

    The recipe's changes, [settings] and `assignments` hold for every model that has such a setting, but one that no
    model has is an error. Raises `UsageError` naming the file, the row and the key.
    """
    assignments = dict(assignments or {})
    systems = plan_table(experiment, assignments)
    chosen = [system for system in systems if not experiment.chosen or system.series in experiment.chosen]
    _check_used(f"{experiment.path}: recipe.", experiment.recipe.changes, set(), systems)
    _check_used(f"{experiment.path}: settings.", experiment.settings, {"model", "data"}, systems)
    _check_used("--set ", assignments, set(), chosen)
    _check_comparable(experiment, chosen)
    return tuple(chosen)


def plan_table(experiment: Experiment, assignments: Values) -> tuple[System, ...]:
    """Rows times grid, chosen or not, each over the recipe and [settings]; `assignments` (`--set`) win over all."""
    systems: list[System] = []
    for row in experiment.rows:
        for axes in _grid_points(experiment.grid):
            label = _label(row.name, axes)
            own = {**row.values, **axes}
            data = str(own.get("data", experiment.settings.get("data", ONE)))
            try:
                settings = _resolve(experiment.recipe, experiment.settings, own, assignments)
                _check_data(experiment, data)
            except UsageError as error:
                raise UsageError(f"{experiment.path}: {label}: {error}") from None
            published = _published(experiment.published.figures, row, axes)
            systems.append(System(label, row.name or label, axes, settings, published, data, row.note))
    return tuple(systems)


def named_keys(experiment: Experiment, assignments: Iterable[str] = ()) -> list[str]:
    """The settings that the file or the command line names, in order, `model` first."""
    keys = ["model", *(key for row in experiment.rows for key in row.values), *experiment.grid, "recipe"]
    keys = [*keys, *experiment.settings, *experiment.recipe.changes, *assignments]
    return list(dict.fromkeys(keys))


def _check_data(experiment: Experiment, name: str) -> None:
    known = [*experiment.data, *experiment.folders]
    if name not in known and (name != ONE or len(known) > 1 or (known and ONE not in known)):
        named = ", ".join(known)
        raise UsageError(unknown_name("data", name, known) if name else f"no data (set `data` to one of {named})")


def _grid_points(grid: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    for values in itertools.product(*grid.values()):
        yield dict(zip(grid, values, strict=True))


def _label(name: str, axes: Values) -> str:
    """`skip-gated, layers 7`; a model or recipe stands for itself."""
    parts = [str(v) if key in NAMES else f"{key.rpartition('.')[2]} {v}" for key, v in axes.items()]
    return ", ".join([name, *parts] if name else parts)


def _resolve(recipe: Recipe, shared: Values, own: Values, assignments: Values) -> Settings:
    values = {**shared, **own}
    if "model" not in values:
        raise UsageError("no model (set `model` in the row, in [grid] or in [settings])")
    model = find_model(str(values["model"])).name
    known = _setting_names(model)
    layers = (
        {} if "recipe" in own else {key: value for key, value in recipe.changes.items() if key in known},
        {key: value for key, value in shared.items() if key in known},
        {key: value for key, value in own.items() if key not in NAMES},
        {key: value for key, value in assignments.items() if key in known},
    )
    return resolve_settings(model, str(own.get("recipe", recipe.name)), *layers)


def _setting_names(model: str) -> set[str]:
    """Every setting of a model, as `field` and as `section.field`."""
    row = find_model(model)
    classes = {"model": row.config, "input": find_task(row.task).input, "train": TrainConfig}
    names = [(section, field.name) for section, cls in classes.items() for field in dataclasses.fields(cls)]
    return {name for _, name in names} | {f"{section}.{name}" for section, name in names}


def _published(figures: Iterable[Figure], row: Row, axes: Values) -> dict[str, float]:
    own = {"row": row.name, **row.values, **axes}
    found: dict[str, float] = {}
    for figure in figures:
        if all(own.get(key) == value for key, value in figure.match.items()):
            found |= figure.scores
    return found


def _check_used(place: str, values: Values, names: set[str], systems: Iterable[System]) -> None:
    """A setting that none of the models has is a mistake in writing."""
    models = sorted({system.settings.name for system in systems})
    known = names.union(*(_setting_names(model) for model in models))
    for key in values:
        if key not in known:
            raise UsageError(f"{place}{key}: none of the models has this setting ({', '.join(models)})")


def _check_comparable(experiment: Experiment, systems: list[System]) -> None:
    """All systems belong to one task, and no two are the same."""
    first, seen = systems[0], dict[str, str]()
    for system in systems:
        task = system.settings.row.task
        if task != first.settings.row.task:
            raise UsageError(
                f"{experiment.path}: {system.label} is a model for {task}, {first.label} one for "
                f"{first.settings.row.task}; one table compares models of one task"
            )
        twin = seen.setdefault(repr((system.settings, system.data)), system.label)
        if twin != system.label:
            raise UsageError(f"{experiment.path}: {twin} and {system.label} have the same settings")


def slug(label: str) -> str:
    """A label as a file name."""
    return re.sub(r"[^a-z0-9.+]+", "-", label.lower()).strip("-.") or "row"
