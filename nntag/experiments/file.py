"""Experiment files: TOML in, a checked `Experiment` out. Those that nntag ships are found by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn

from nntag.config.fields import unknown_name
from nntag.config.registry import MODELS
from nntag.config.settings import field_names
from nntag.config.tasks import TASKS
from nntag.config.toml_files import read_toml
from nntag.config.training import TrainConfig
from nntag.errors import DataError, UsageError
from nntag.experiments.experiment import NAMES, ONE, Experiment, Figure, Published, Recipe, Row, Small, Values
from nntag.experiments.measures import MEASURES

PAPERS = Path(__file__).parent / "papers"  # the files that nntag ships
FIGURES = ("dev", "test")
KEYS = (
    *("title", "about", "seeds", "test", "measure", "attention"),
    *("recipe", "settings", "rows", "grid", "published", "data", "small"),
)
SMALL_KEYS = ("seeds", "recipe", "settings", "grid", "rows", "data")
REPORTING = ("score_train",)  # fields of TrainConfig that change what is written down, not what is learnt


def shipped_files() -> dict[str, Path]:
    """The experiment files that nntag ships, by name."""
    return {path.stem: path for path in sorted(PAPERS.glob("*.toml"))}


def find_experiment(name: str | Path) -> Path:
    """A file, or the shipped one of that name; raises `UsageError` with the choices."""
    path, shipped = Path(name), shipped_files()
    if path.is_file() or path.suffix in (".toml", ".json"):
        return path
    if str(name) not in shipped:
        raise UsageError(f"no such file, and {unknown_name('experiment', name, shipped)}")
    return shipped[str(name)]


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
        measure = self.kind("measure", table.get("measure", Experiment.measure), str)
        if measure not in MEASURES:
            self.fail("measure", unknown_name("measure", measure, MEASURES))
        return Experiment(
            self.path,
            self.kind("title", table["title"], str),
            self.kind("about", table.get("about", ""), str),
            self.seeds("seeds", table["seeds"]) if "seeds" in table else Experiment.seeds,
            self.kind("test", table.get("test", False), bool),
            measure,
            self.kind("attention", table.get("attention", False), bool),
            self.recipe("recipe", table.get("recipe", {})),
            self.settings("settings", table.get("settings", {})),
            rows,
            self.grid("grid", table.get("grid", {})),
            self.published(table.get("published", {}), row_figures),
            self.data("data", table["data"]) if "data" in table else {},
            small=self.small(table["small"]) if "small" in table else None,
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
            self.fail(key, f"must be different whole numbers, none below 0, found {value!r}")
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

    def recipe(self, key: str, table: Any) -> Recipe:
        """A recipe by name and what is changed in it."""
        flat = self.flatten(key, table)
        return Recipe(self.kind(f"{key}.name", flat.pop("name", Recipe.name), str), flat)

    def settings(self, key: str, table: Any) -> dict[str, Any]:
        """What is the table's own; how it is trained belongs to [recipe], which `--recipe` replaces as a whole."""
        flat = self.values(key, table)
        for name in flat:
            if name == "recipe" or _is_training(name):
                place = "its name" if name == "recipe" else "the values that --recipe replaces"
                self.fail(f"{key}.{name}", f"belongs in the table [{key.replace('settings', 'recipe')}]: {place}")
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
            note = self.kind(f"{key}.note", table.pop("note", ""), str)
            if named and not name:
                self.fail(key, "has neither a name nor a model")
            if name in [row.name for row in rows]:
                self.fail(f"{key}.name", f"there is a row {name!r} already")
            rows.append(Row(name, self.values(key, table), note))
            if published is not None:
                figures.append(Figure({"row": name}, self.scores(f"{key}.published", published)))
        if not rows:
            self.fail("rows", "must hold at least one row")
        return tuple(rows), figures

    def grid(self, key: str, table: Any) -> dict[str, list[Any]]:
        axes = {}
        for name, value in self.flatten(key, table).items():
            axes[name] = self.kind(f"{key}.{name}", value, list)
            if not value or any(value.count(item) > 1 for item in value):
                self.fail(f"{key}.{name}", f"must be a list of different values, found {value!r}")
        return axes

    def published(self, table: Any, row_figures: list[Figure]) -> Published:
        self.check_keys("published", self.kind("published", table, dict), ("source", "figures", "corpus"))
        corpora = self.kind("published.corpus", table.get("corpus", {}), dict)
        if corpora and not all(isinstance(value, dict) for value in corpora.values()):
            corpora = {ONE: corpora}
        figures = (*row_figures, *self.figures(table.get("figures", [])))
        return Published(figures, self.kind("published.source", table.get("source", ""), str), corpora)

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

    def data(self, key: str, table: Any) -> dict[str, Values]:
        """One table, or a table of tables by name."""
        named = self.kind(key, table, dict) and all(isinstance(value, dict) for value in table.values())
        tables: dict[str, Values] = dict(table) if named else {ONE: table}
        for name, options in tables.items():
            if "corpus" not in options:
                self.fail(f"{key}.{name}.corpus" if name else f"{key}.corpus", "missing: the corpus to preprocess")
        return tables

    def small(self, table: Any) -> Small:
        self.check_keys("small", self.kind("small", table, dict), SMALL_KEYS)
        return Small(
            self.seeds("small.seeds", table["seeds"]) if "seeds" in table else None,
            self.recipe("small.recipe", table["recipe"]) if "recipe" in table else None,
            self.settings("small.settings", table.get("settings", {})),
            self.grid("small.grid", table.get("grid", {})),
            tuple(self.kind("small.rows", name, str) for name in self.kind("small.rows", table.get("rows", []), list)),
            self.data("small.data", table["data"]) if "data" in table else {},
        )


def _is_training(key: str) -> bool:
    """Whether a setting says how a model is trained, by `train.field` or a bare name that no other section has."""
    section, dot, name = key.rpartition(".")
    if dot:
        return section == "train" and name not in REPORTING
    others = {
        field for cls in (*(row.input for row in TASKS), *(row.config for row in MODELS)) for field in field_names(cls)
    }
    return name in set(field_names(TrainConfig)) - others - set(REPORTING)
