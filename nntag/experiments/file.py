"""Experiment files: TOML in, a checked `Experiment` out: which systems are compared, on what data, with which seeds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

from nntag.config.fields import unknown_name
from nntag.config.toml_files import read_toml
from nntag.errors import DataError, UsageError

Values = Mapping[str, Any]  # all keys are settings but those in NAMES
NAMES = ("model", "recipe")
FIGURES = ("dev", "test")
KEYS = ("title", "about", "seeds", "test", "settings", "rows", "grid", "published", "data", "small")
SMALL_KEYS = ("seeds", "settings", "grid", "rows", "data")


@dataclass(frozen=True)
class Row:
    """One named system: a line of the table, or several where the file has a grid."""

    name: str = ""
    values: Values = field(default_factory=dict)


@dataclass(frozen=True)
class Figure:
    """Published scores, and the values of the rows that they belong to."""

    match: Values
    scores: Mapping[str, float]  # of "dev" and "test", in percent where the score is a share


@dataclass(frozen=True)
class Small:
    """What `--small` changes."""

    seeds: tuple[int, ...] | None = None
    settings: Values = field(default_factory=dict)
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    rows: tuple[str, ...] = ()
    data: Values | None = None


@dataclass(frozen=True)
class Experiment:
    """A checked experiment file. The systems are the product of `rows` and `grid`."""

    path: Path
    title: str
    about: str = ""
    seeds: tuple[int, ...] = (1, 2, 3)
    test: bool = False  # score the test split too
    settings: Values = field(default_factory=dict)  # of every row that has such a setting
    rows: tuple[Row, ...] = ()
    grid: Mapping[str, list[Any]] = field(default_factory=dict)
    figures: tuple[Figure, ...] = ()
    figures_from: str = ""
    data: Values | None = None  # the options of `nntag preprocess`
    small: Small | None = None
    chosen: tuple[str, ...] = ()  # names of the rows to run; none: all

    def make_small(self) -> Experiment:
        """The variant that `--small` runs; raises `UsageError` where the file has none."""
        if self.small is None:
            raise UsageError(f"{self.path}: has no [small] table, so there is no --small variant")
        chosen = replace(
            self,
            seeds=self.small.seeds or self.seeds,
            settings={**self.settings, **self.small.settings},
            grid={**self.grid, **self.small.grid},
            data=self.small.data or self.data,
        )
        return chosen.choose_rows(self.small.rows) if self.small.rows else chosen

    def choose_rows(self, names: Iterable[str]) -> Experiment:
        """The same with these rows alone; raises `UsageError` for a name that the file does not have."""
        known, wanted = [row.name for row in self.rows], tuple(names)
        for name in wanted:
            if name not in known:
                raise UsageError(f"{self.path}: {unknown_name('row', name, known)}")
        return replace(self, chosen=wanted)

    def choose_seeds(self, seeds: Iterable[int]) -> Experiment:
        return replace(self, seeds=tuple(dict.fromkeys(seeds)))


def read_experiment(path: str | Path) -> Experiment:
    """Reads and checks an experiment file; raises `DataError` or `UsageError` naming the file and the key."""
    path = Path(path)
    return _Reader(path).experiment(read_toml(path))


class _Reader:
    """Checks the names and kinds of all keys; the values of settings are checked when rows are planned."""

    def __init__(self, path: Path):
        self.path = path

    def fail(self, key: str, reason: str) -> NoReturn:
        raise DataError(self.path, None, f"{key}: {reason}")

    def experiment(self, table: Mapping[str, Any]) -> Experiment:
        self.check_keys("", table, KEYS)
        if "title" not in table:
            self.fail("title", "missing; every experiment has one")
        if "rows" not in table and "grid" not in table:
            self.fail("rows", "missing; give [[rows]], a [grid] or both")
        rows, row_figures = self.rows(table.get("rows", [{}]), named="rows" in table)
        published = self.kind("published", table.get("published", {}), dict)
        self.check_keys("published", published, ("source", "figures"))
        return Experiment(
            self.path,
            self.kind("title", table["title"], str),
            self.kind("about", table.get("about", ""), str),
            self.seeds("seeds", table["seeds"]) if "seeds" in table else Experiment.seeds,
            self.kind("test", table.get("test", False), bool),
            self.values("settings", table.get("settings", {})),
            rows,
            self.grid("grid", table.get("grid", {})),
            (*row_figures, *self.figures(published.get("figures", []))),
            self.kind("published.source", published.get("source", ""), str),
            self.data("data", table["data"]) if "data" in table else None,
            self.small(table["small"]) if "small" in table else None,
        )

    def kind(self, key: str, value: Any, kind: type) -> Any:
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            wanted = {str: "text", bool: "true or false", int: "a whole number", dict: "a table", list: "a list"}[kind]
            self.fail(key, f"must be {wanted}, found {value!r}")
        return value

    def check_keys(self, key: str, table: Mapping[str, Any], known: Iterable[str]) -> None:
        for name in table:
            if name not in known:
                self.fail(f"{key}.{name}" if key else name, unknown_name("key", name, known))

    def seeds(self, key: str, value: Any) -> tuple[int, ...]:
        seeds = [self.kind(key, seed, int) for seed in self.kind(key, value, list)]
        if not seeds or min(seeds) < 0 or len(set(seeds)) < len(seeds):
            self.fail(key, f"must be different whole numbers from 0 on, found {value!r}")
        return tuple(seeds)

    def flatten(self, key: str, table: Any) -> dict[str, Any]:
        """`[settings.train] lr = 1` and `"train.lr" = 1` mean the same."""
        flat: dict[str, Any] = {}
        for name, value in self.kind(key, table, dict).items():
            if isinstance(value, dict):
                flat |= {f"{name}.{field}": item for field, item in value.items()}
            else:
                flat[name] = value
        return flat

    def values(self, key: str, table: Any) -> dict[str, Any]:
        flat = self.flatten(key, table)
        for name in NAMES:
            self.kind(f"{key}.{name}", flat.get(name, ""), str)
        return flat

    def rows(self, tables: Any, named: bool) -> tuple[tuple[Row, ...], list[Figure]]:
        """The rows, and the figures that stand in them."""
        rows: list[Row] = []
        figures = []
        for number, table in enumerate(self.kind("rows", tables, list), 1):
            key = f"rows {number}"
            table = dict(self.kind(key, table, dict))
            published = table.pop("published", None)
            name = self.kind(f"{key}.name", table.pop("name", table.get("model", "") if named else ""), str)
            if named and not name:
                self.fail(key, "has neither a name nor a model")
            if name in [row.name for row in rows]:
                self.fail(f"{key}.name", f"there is a row {name!r} already")
            rows.append(Row(name, self.values(key, table)))
            if published is not None:
                figures.append(Figure({"row": name}, self.scores(f"{key}.published", published)))
        if not rows:
            self.fail("rows", "must hold one row at least")
        return tuple(rows), figures

    def grid(self, key: str, table: Any) -> dict[str, list[Any]]:
        axes = {}
        for name, value in self.flatten(key, table).items():
            axes[name] = self.kind(f"{key}.{name}", value, list)
            if not value or any(value.count(item) > 1 for item in value):
                self.fail(f"{key}.{name}", f"must be a list of different values, found {value!r}")
        return axes

    def figures(self, tables: Any) -> list[Figure]:
        figures = []
        for number, table in enumerate(self.kind("published.figures", tables, list), 1):
            key = f"published.figures {number}"
            table = self.kind(key, table, dict)
            match = {name: value for name, value in table.items() if name not in FIGURES}
            figures.append(Figure(match, self.scores(key, {name: table[name] for name in FIGURES if name in table})))
        return figures

    def scores(self, key: str, table: Any) -> dict[str, float]:
        self.check_keys(key, self.kind(key, table, dict), FIGURES)
        for name, value in table.items():
            if isinstance(value, bool) or not isinstance(value, int | float):
                self.fail(f"{key}.{name}", f"must be a number, found {value!r}")
        if not table:
            self.fail(key, "has neither dev nor test")
        return {name: float(value) for name, value in table.items()}

    def data(self, key: str, table: Any) -> dict[str, Any]:
        if "corpus" not in self.kind(key, table, dict):
            self.fail(f"{key}.corpus", "missing: which corpus, as `nntag preprocess` takes it")
        return dict(table)

    def small(self, table: Any) -> Small:
        self.check_keys("small", self.kind("small", table, dict), SMALL_KEYS)
        return Small(
            self.seeds("small.seeds", table["seeds"]) if "seeds" in table else None,
            self.values("small.settings", table.get("settings", {})),
            self.grid("small.grid", table.get("grid", {})),
            tuple(self.kind("small.rows", name, str) for name in self.kind("small.rows", table.get("rows", []), list)),
            self.data("small.data", table["data"]) if "data" in table else None,
        )
