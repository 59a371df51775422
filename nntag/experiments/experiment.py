"""`Experiment`: what an experiment file says, checked: which systems are compared, on what data, with which seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nntag.config.fields import unknown_name
from nntag.errors import UsageError

Values = Mapping[str, Any]  # all keys are settings but those in NAMES
NAMES = ("model", "recipe", "data")
ONE = ""  # the name of the data of a file that has one [data] table


@dataclass(frozen=True)
class Recipe:
    """How all rows are trained: a recipe and its changes. `--recipe` replaces both."""

    name: str = "default"
    changes: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Row:
    """One named system: a line of the table, or several where the file has a grid."""

    name: str = ""
    values: Values = field(default_factory=dict)
    note: str = ""


@dataclass(frozen=True)
class Figure:
    """Published scores, and the values of the rows that they belong to."""

    match: Values
    scores: Mapping[str, float]  # of "dev" and "test", in percent where the score is a share


@dataclass(frozen=True)
class Published:
    """The published figures, and how the corpus that they were measured on is recognised."""

    figures: tuple[Figure, ...] = ()
    source: str = ""
    corpora: Mapping[str, Values] = field(default_factory=dict)  # by the data's name: keys of meta.json -> values


@dataclass(frozen=True)
class Small:
    """What `--small` changes."""

    seeds: tuple[int, ...] | None = None
    recipe: Recipe | None = None
    settings: Values = field(default_factory=dict)
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    rows: tuple[str, ...] = ()
    data: Mapping[str, Values] = field(default_factory=dict)


@dataclass(frozen=True)
class Experiment:
    """A checked experiment file. The systems are the product of `rows` and `grid`."""

    path: Path
    title: str
    about: str = ""
    seeds: tuple[int, ...] = (1, 2, 3)
    test: bool = False  # score the test split too
    measure: str = "score"  # what is measured on test: a name of results.MEASURES
    attention: bool = False  # collect the mean attention by position, and draw it
    recipe: Recipe = Recipe()
    settings: Values = field(default_factory=dict)  # of every row that has such a setting, whatever the recipe
    rows: tuple[Row, ...] = ()
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    published: Published = Published()
    data: Mapping[str, Values] = field(default_factory=dict)  # by name: the options of `nntag preprocess`
    folders: Mapping[str, str] = field(default_factory=dict)  # by name: data folders that are made already
    small: Small | None = None
    chosen: tuple[str, ...] = ()  # names of the rows to run; none: all

    def make_small(self) -> Experiment:
        """The variant that `--small` runs; raises `UsageError` where the file has none."""
        if self.small is None:
            raise UsageError(f"{self.path}: has no [small] table, so there is no --small variant")
        chosen = replace(
            self,
            seeds=self.small.seeds or self.seeds,
            recipe=self.small.recipe or self.recipe,
            settings={**self.settings, **self.small.settings},
            grid={**self.grid, **self.small.grid},
            data=self.small.data or self.data,
        )
        return chosen.choose_rows(self.small.rows) if self.small.rows else chosen

    def choose_recipe(self, name: str) -> Experiment:
        """The same, trained by another recipe: the file's own one goes, and what the file changes in it."""
        for row in self.rows:
            if "recipe" in row.values:
                raise UsageError(f"{self.path}: row {row.name!r} names its own recipe, so --recipe cannot replace it")
        if "recipe" in self.grid:
            raise UsageError(f"{self.path}: compares recipes; choose among them with --grid recipe={name}")
        return replace(self, recipe=Recipe(name))

    def choose_rows(self, names: Iterable[str]) -> Experiment:
        """The same with these rows alone; raises `UsageError` for a name that the file does not have."""
        known, wanted = [row.name for row in self.rows], tuple(names)
        for name in wanted:
            if name not in known:
                raise UsageError(f"{self.path}: {unknown_name('row', name, known)}")
        return replace(self, chosen=wanted)

    def choose_seeds(self, seeds: Iterable[int]) -> Experiment:
        """The same with these seeds."""
        return replace(self, seeds=tuple(dict.fromkeys(seeds)))
