"""The state of an experiment: its planned runs in, what is done of them, its tables and its plots out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.config.settings import Settings
from nntag.encoding.data_folder import DataFolder, read_json
from nntag.experiments.curves import RunCurve, TrainedSystem, draw_learning_curves, draw_scores, plots_are_possible
from nntag.experiments.file import Experiment
from nntag.experiments.plan import System
from nntag.experiments.results import Outcome, make_report
from nntag.experiments.tables import write_tables
from nntag.experiments.worker import RESULT
from nntag.progress import Progress, ProgressCallback
from nntag.training.trainer import LOG


@dataclass(frozen=True)
class PlannedRun:
    """One system with one seed."""

    system: System
    seed: int
    folder: Path

    @property
    def name(self) -> str:
        return f"{self.system.label}, seed {self.seed}"

    @property
    def epochs(self) -> int:
        return 1 if self.system.settings.row.counted else self.system.settings.train.epochs

    def settings(self) -> Settings:
        return self.system.settings_for(self.seed)


class Board:
    """What is done, what failed, and the tables made of it."""

    def __init__(
        self, experiment: Experiment, data: DataFolder, runs: list[PlannedRun], keys: list[str], out: Path, command: str
    ):
        self.experiment, self.data, self.runs, self.out = experiment, data, runs, out
        self.keys, self.command = keys, command
        self.failed: dict[str, str] = {}
        self._ended: set[Path] = {run.folder for run in runs if self.is_done(run)}

    def is_done(self, run: PlannedRun) -> bool:
        """A run with its result file, and a test score where one is wanted."""
        path = run.folder / RESULT
        return path.is_file() and (not self.experiment.test or read_json(path)["test"] is not None)

    def end(self, run: PlannedRun, reason: str | None, progress: ProgressCallback) -> None:
        """Takes up a run that has ended, tells of it, and writes the tables anew."""
        self._ended.add(run.folder)
        values: dict[str, Any] = {"run": run.name}
        if reason is None:
            result = read_json(run.folder / RESULT)
            values |= {f"dev {result['score_name']}": result["dev"], "best epoch": result["best_epoch"]}
            values["minutes"] = result["seconds"] / 60
        else:
            self.failed[run.name] = f"{reason} ({run.folder})"
            values["failed"] = reason
        values["done"] = f"{len(self._ended)}/{len(self.runs)}"
        progress(Progress(self.experiment.path.stem, *self._epochs(), "epochs", values, finished=True))
        self.write()

    def show(self, progress: ProgressCallback) -> None:
        done, total = self._epochs()
        progress(Progress(self.experiment.path.stem, done, total, "epochs", {"runs done": len(self._ended)}))

    def _epochs(self) -> tuple[int, int]:
        """Epochs done and to do; a run that stopped early counts as a whole one."""
        done = sum(run.epochs if run.folder in self._ended else _count_lines(run.folder / LOG) for run in self.runs)
        return done, sum(run.epochs for run in self.runs)

    def write(self) -> dict[str, Any]:
        """Writes the tables; returns the report. Before the first run is done there is none to write."""
        report = make_report(self.experiment, self._outcomes(), self.keys, self.data, self.command)
        write_tables(report, self.out)
        return report

    def _outcomes(self) -> list[Outcome]:
        systems = {run.system.label: run.system for run in self.runs}
        return [
            Outcome(
                system,
                {run.seed: read_json(run.folder / RESULT) for run in self.runs if self._has_result(run, system)},
                {run.seed: self.failed.get(run.name) for run in self.runs if run.system is system},
            )
            for system in systems.values()
        ]

    def _has_result(self, run: PlannedRun, system: System) -> bool:
        return run.system is system and self.is_done(run)

    def plot(self) -> list[str]:
        """Draws the learning curves and the scores; returns remarks."""
        if not plots_are_possible():
            return ["no plots: they need matplotlib (pip install 'nntag[plots]')"]
        outcomes = [outcome for outcome in self._outcomes() if outcome.results]
        if not outcomes:
            return []
        report = self.write()
        score = report["score"] + (f" ({report['unit']})" if report["unit"] else "")
        systems = [_trained(outcome, 100.0 if report["unit"] else 1.0) for outcome in outcomes]
        paths = draw_learning_curves(systems, report["title"], f"dev {score}", self.out / "learning-curves")
        paths += draw_scores(systems, report["title"], f"dev {score}", self.out / "scores")
        return [f"drew {', '.join(path.name for path in paths)}"]


def _trained(outcome: Outcome, scale: float) -> TrainedSystem:
    """What the plots need of a system."""
    system = outcome.system
    curves = []
    for result in outcome.results.values():
        key = f"dev_{result['score_name']}"
        log = result["log"]
        losses = tuple(entry["loss_nats"] for entry in log) if all("loss_nats" in entry for entry in log) else ()
        scores = tuple(scale * entry[key] for entry in log)
        curves.append(RunCurve(tuple(entry["epoch"] for entry in log), scores, losses, scale * result["dev"]))
    return TrainedSystem(system.label, system.series, dict(system.axes), tuple(curves), system.published.get("dev"))


def _count_lines(path: Path) -> int:
    try:
        return path.read_bytes().count(b"\n")
    except OSError:
        return 0
