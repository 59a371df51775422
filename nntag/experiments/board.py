"""The state of an experiment: its planned runs in, how many are done, its tables and its plots out."""

from __future__ import annotations

import math
from collections.abc import Container, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.commands.epoch_plots import draw_epochs
from nntag.config.settings import Settings
from nntag.encoding.data_folder import DataFolder
from nntag.experiments.attention_plot import draw_attention
from nntag.experiments.curves import RunCurve, TrainedSystem, draw_learning_curves, draw_scores
from nntag.experiments.experiment import Experiment
from nntag.experiments.measures import MEASURES, read_test_score
from nntag.experiments.plan import System
from nntag.experiments.results import Outcome, is_share, make_report
from nntag.experiments.tables import write_tables
from nntag.experiments.worker import RESULT, WITH_ATTENTION, read_result
from nntag.figures import both_formats, plots_are_possible
from nntag.progress import Progress, ProgressCallback
from nntag.training.log import LOG


@dataclass(frozen=True)
class PlannedRun:
    """One system with one seed."""

    system: System
    seed: int
    folder: Path
    wanted: bool = True  # asked for now; otherwise its result, if there is one, is in the table all the same

    @property
    def name(self) -> str:
        """How the run is called in reports."""
        return f"{self.system.label}, seed {self.seed}"

    @property
    def epochs(self) -> int:
        """Most epochs of the run; a counted model takes one pass."""
        return 1 if self.system.settings.row.counted else self.system.settings.train.epochs

    def settings(self) -> Settings:
        """All settings of the run, its seed included."""
        return self.system.settings_for(self.seed)


class Board:
    """What is done, what failed, and the tables made of it."""

    def __init__(
        self,
        experiment: Experiment,
        data: Mapping[str, DataFolder],
        runs: list[PlannedRun],
        keys: list[str],
        out: Path,
        command: str,
        same_data: bool = False,
    ):
        self.experiment, self.data, self.out = experiment, data, out
        self.keys, self.command, self.same_data = keys, command, same_data
        self.all_runs, self.runs = runs, [run for run in runs if run.wanted]
        self.failed: dict[str, str] = {}
        self._ended: set[Path] = {run.folder for run in self.runs if self.is_done(run)}

    def is_done(self, run: PlannedRun) -> bool:
        """A run with its result file, and a test score where one is wanted."""
        path = run.folder / RESULT
        if not path.is_file():
            return False
        result, measure = read_result(run.folder), MEASURES[self.experiment.measure]
        if self.experiment.attention and run.system.settings.name in WITH_ATTENTION and "attention" not in result:
            return False
        return not self.experiment.test or read_test_score(result, measure) is not None

    def end(self, run: PlannedRun, reason: str | None, progress: ProgressCallback) -> None:
        """Takes up a run that has ended, reports it, and writes the tables anew."""
        self._ended.add(run.folder)
        values: dict[str, Any] = {"run": run.name}
        shares: set[str] = set()
        if reason is None:
            result = read_result(run.folder)
            score = f"dev {result['score_name']}"
            values |= {score: result["dev"], "best epoch": result["best_epoch"]}
            shares = {score} if is_share(result) else set()
            values["minutes"] = result["seconds"] / 60
        else:
            self.failed[run.name] = f"{reason} ({run.folder})"
            values["failed"] = reason
        values["done"] = f"{len(self._ended)}/{len(self.runs)}"
        progress(Progress(self.experiment.path.stem, *self._epochs(), "epochs", values, True, frozenset(shares)))
        self.write()

    def show(self, progress: ProgressCallback) -> None:
        """Reports how many epochs and runs are done."""
        done, total = self._epochs()
        progress(Progress(self.experiment.path.stem, done, total, "epochs", {"runs done": len(self._ended)}))

    def _epochs(self) -> tuple[int, int]:
        """Epochs done and to do; a run that stopped early counts as a whole one."""
        done = sum(run.epochs if run.folder in self._ended else _count_lines(run.folder / LOG) for run in self.runs)
        return done, sum(run.epochs for run in self.runs)

    def write(self) -> dict[str, Any]:
        """Writes the tables; returns the report. Before the first run is done there is none to write."""
        report = make_report(self.experiment, self._outcomes(), self.keys, self.data, self.command, self.same_data)
        write_tables(report, self.out)
        return report

    def _outcomes(self) -> list[Outcome]:
        """The systems asked for, and those that an earlier call has results of."""
        shown = {run.system.label for run in self.all_runs if run.wanted or self.is_done(run)}
        systems = {run.system.label: run.system for run in self.all_runs if run.system.label in shown}
        return [
            Outcome(
                system,
                {run.seed: read_result(run.folder) for run in self._runs_of(system) if self.is_done(run)},
                {run.seed: self.failed.get(run.name) for run in self._runs_of(system)},
            )
            for system in systems.values()
        ]

    def _runs_of(self, system: System) -> list[PlannedRun]:
        return [run for run in self.all_runs if run.system is system]

    def plot(self) -> list[str]:
        """Draws the learning curves and the scores; returns remarks."""
        if not plots_are_possible():
            return ["no plots: they need matplotlib (pip install 'nntag[plots]')"]
        outcomes = [outcome for outcome in self._outcomes() if outcome.results]
        if not outcomes:
            return []
        report = self.write()
        score = report["score"] + (f" ({report['unit']})" if report["unit"] else "")
        compares = {row["row"] for row in report["rows"] if row["published_data"]}
        systems = [_trained(outcome, 100.0 if report["unit"] else 1.0, compares) for outcome in outcomes]
        paths = draw_learning_curves(systems, report["title"], f"dev {score}", self.out / "learning-curves")
        paths += draw_scores(systems, report["title"], f"dev {score}", self.out / "scores")
        paths += self._draw_epochs(outcomes) + self._draw_attention(report["title"], outcomes)
        return [f"drew {', '.join(path.name for path in paths)}"]

    def _draw_epochs(self, outcomes: list[Outcome]) -> list[Path]:
        """A picture for each data folder, where the score on train was logged: means over the seeds."""
        paths = []
        for name in self.data:
            logs = {
                outcome.system.label: [result["log"] for result in outcome.results.values()]
                for outcome in outcomes
                if outcome.system.data == name and outcome.system.settings.train.score_train
            }
            if logs:
                stem = self.out / (f"epochs-{name}" if name else "epochs")
                paths += draw_epochs(logs, both_formats(stem), means=True)
        return paths

    def _draw_attention(self, title: str, outcomes: list[Outcome]) -> list[Path]:
        found = {
            (outcome.system.series, outcome.system.data): [
                result["attention"] for result in outcome.results.values() if "attention" in result
            ]
            for outcome in outcomes
        }
        found = {place: runs for place, runs in found.items() if runs}
        return draw_attention(found, title, self.out / "attention") if found else []


def _trained(outcome: Outcome, scale: float, compares: Container[str]) -> TrainedSystem:
    """What the plots need of a system; a published figure only where its corpus is ours."""
    system = outcome.system
    curves = []
    for result in outcome.results.values():
        key = f"dev_{result['score_name']}"
        log = result["log"]
        losses = tuple(entry["loss_nats"] for entry in log) if all("loss_nats" in entry for entry in log) else ()
        scores = tuple(math.nan if entry[key] is None else scale * entry[key] for entry in log)
        curves.append(RunCurve(tuple(entry["epoch"] for entry in log), scores, losses, scale * result["dev"]))
    published = system.published.get("dev") if system.label in compares else None
    return TrainedSystem(system.label, system.series, dict(system.axes), tuple(curves), published)


def _count_lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except OSError:
        return 0
