"""What a call of `nntag experiment` asks for: a file and flags in, the systems of the table and those to run out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nntag.config.fields import unknown_name
from nntag.errors import UsageError
from nntag.experiments.data import Given
from nntag.experiments.experiment import Experiment, Values
from nntag.experiments.file import find_experiment, read_experiment
from nntag.experiments.plan import System, plan_systems, plan_table
from nntag.experiments.report_file import read_report_file
from nntag.experiments.results import describe_settings
from nntag.training.runs import RUNS

EXPERIMENTS = RUNS / "experiments"


@dataclass(frozen=True)
class ExperimentOptions:
    """The flags of `nntag experiment`."""

    data: Given = None  # a data folder, or several by name, in place of the file's [data]
    out: str | Path | None = None
    jobs: int = 1
    recipe: str | None = None  # in place of the file's [recipe]
    seeds: Sequence[int] = ()
    small: bool = False
    rows: Sequence[str] = ()  # only these
    grid: Mapping[str, list[Any]] = field(default_factory=dict)  # only these values of the grid's axes
    assignments: Values = field(default_factory=dict)  # settings over all rows
    same_data: bool = False  # the data are those of the published figures
    device: str = "cpu"
    engine: str | None = None  # ray: runs on a cluster, not in processes here
    address: str = ""  # of that cluster; "": Ray on this machine
    command: str = ""  # for the record


@dataclass(frozen=True)
class Chosen:
    """The table and the part of it that is asked for."""

    experiment: Experiment  # its seeds: those asked for, and those of earlier calls
    assignments: Values
    systems: tuple[System, ...]  # of the whole table
    wanted: tuple[System, ...]
    seeds: tuple[int, ...]
    out: Path
    earlier_folders: Mapping[str, str]  # data folders of the earlier call, by name
    notes: list[str]


def choose_systems(
    file: str | Path, options: ExperimentOptions, read_earlier: Callable[[Path], Mapping[str, Any]]
) -> Chosen:
    """Plans the table. `read_earlier` gives the report of an earlier call in the output folder, or nothing.

    Rows, seeds and values of the grid that an earlier call asked for stay in the table. Raises `DataError`,
    `UsageError`.
    """
    path = find_experiment(file)
    experiment = read_report_file(path) if path.suffix == ".json" else read_experiment(path)
    experiment, assignments = _change(experiment, options)
    name = f"{path.parent.name}-again" if path.suffix == ".json" else path.stem + ("-small" if options.small else "")
    out = Path(options.out) if options.out else EXPERIMENTS / name
    rows, earlier = experiment.chosen, read_earlier(out)
    earlier = earlier if earlier.get("title") == experiment.title else {}
    whole = replace(experiment, chosen=(), grid=_join_grids(experiment, options.grid, earlier))
    systems = plan_table(whole, assignments)
    plan_systems(replace(whole, chosen=rows, grid={**whole.grid, **options.grid}), assignments)  # checks what is run
    wanted = tuple(system for system in systems if _is_wanted(system, rows, {**experiment.grid, **options.grid}))
    notes = _compare_tables(earlier, systems, out)
    seeds = experiment.seeds
    if earlier and not notes:
        experiment = experiment.choose_seeds(sorted({*seeds, *earlier["seeds"]}))
    folders = {name: data["folder"] for name, data in earlier.get("data", {}).items()}
    return Chosen(experiment, assignments, systems, wanted, seeds, out, folders, notes)


def _change(experiment: Experiment, options: ExperimentOptions) -> tuple[Experiment, dict[str, Any]]:
    """The file with what the command line changes, and the settings of `--set` without the recipe."""
    if options.small:
        experiment = experiment.make_small()
    if options.rows:
        experiment = experiment.choose_rows(options.rows)
    assignments = dict(options.assignments)
    named = assignments.pop("recipe", None)
    if named and options.recipe not in (None, named):
        raise UsageError(f"--recipe {options.recipe} and --set recipe={named} contradict each other")
    if recipe := options.recipe or named:
        experiment = experiment.choose_recipe(str(recipe))
    if options.seeds:
        experiment = experiment.choose_seeds(options.seeds)
    for axis in options.grid:
        if axis not in experiment.grid:
            raise UsageError(f"--grid: {experiment.path}: {unknown_name('axis', axis, experiment.grid)}")
    return experiment, assignments


def _join_grids(
    experiment: Experiment, asked: Mapping[str, list[Any]], earlier: Mapping[str, Any]
) -> dict[str, list[Any]]:
    """Each axis with the values of the file, of the command line and of earlier calls."""
    grid = {}
    for axis, values in experiment.grid.items():
        before = [row["axes"][axis] for row in earlier.get("rows", []) if axis in row["axes"]]
        grid[axis] = list({repr(value): value for value in (*values, *asked.get(axis, []), *before)}.values())
        if all(isinstance(value, int) for value in grid[axis]):
            grid[axis].sort()
    return grid


def _is_wanted(system: System, rows: Sequence[str], grid: Mapping[str, list[Any]]) -> bool:
    in_grid = all(system.axes[axis] in values for axis, values in grid.items())
    return in_grid and (not rows or system.series in rows)


def _compare_tables(earlier: Mapping[str, Any], systems: Sequence[System], out: Path) -> list[str]:
    """A remark where the rows of an earlier table have other settings now: they leave the table, their runs stay."""
    now = {system.label: describe_settings(system) for system in systems}
    for row in earlier.get("rows", []):
        saved = row["settings"]
        changed = [key for key, value in now.get(row["row"], saved).items() if _plain(value) != saved.get(key)]
        if row["runs"] and changed:
            return [
                f"the table in {out} had other settings ({', '.join(changed)}) and is replaced; its runs stay. To keep "
                "both tables, give another --out"
            ]
    return []


def _plain(value: Any) -> Any:
    """As JSON gives it back."""
    return [_plain(item) for item in value] if isinstance(value, tuple | list) else value
