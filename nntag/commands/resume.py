"""A run folder that a training goes on with: its settings, data and state in, checked against what is asked for now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.config.options.train import TrainOptions
from nntag.config.settings import Settings, settings_from_json
from nntag.encoding.contextual.source import ENCODER
from nntag.encoding.data_folder import DataFolder
from nntag.errors import RunError, UsageError
from nntag.training.checkpoint import WEIGHTS, read_identity
from nntag.training.metric import find_metric
from nntag.training.provenance import find_data_changes, find_setting_changes, join_changes
from nntag.training.runs import check_model
from nntag.training.task import Task, data_path


@dataclass(frozen=True)
class ResumedRun:
    """A run that was stopped, as it was begun."""

    run: Path
    config: Mapping[str, Any]
    vocabularies: Mapping[str, Any]
    saved: Settings

    @classmethod
    def open(cls, out: str | Path | None) -> ResumedRun:
        """The run at `out`; raises `UsageError`, and `RunError` where there is nothing to go on with."""
        if out is None:
            raise UsageError("--resume needs the run that it should continue: name it with --out")
        run = Path(out)
        if (run / "last" / WEIGHTS).exists():
            return cls._read(run, "last")
        if (run / "best" / WEIGHTS).exists():
            counted = cls._read(run, "best")
            if counted.saved.row.counted:  # it has no last; what may be missing is its score
                return counted
        raise RunError(f"{out}: nothing to resume (no last/{WEIGHTS} in it)")

    @classmethod
    def _read(cls, run: Path, part: str) -> ResumedRun:
        config, vocabularies = read_identity(run / part)
        return cls(run, config, vocabularies, settings_from_json(config["settings"]))

    @property
    def data(self) -> Path:
        """The data folder that it was trained on."""
        return data_path(self.config)

    def merge_settings(self, options: TrainOptions) -> Settings:
        """Its settings with those of the options over them; raises `UsageError` for what cannot change half way."""
        settings = settings_from_json(self.config["settings"], *options.overrides())
        run, saved = self.run, self.saved
        for flag, given, own in (("--model", options.model, saved.name), ("--recipe", options.recipe, saved.recipe)):
            if given not in (None, own):
                raise UsageError(f"{run} was trained with {flag} {own}, not {given}; resume with the same")
        old, new = saved.train, settings.train
        if old.optimiser != new.optimiser or bool(old.average) != bool(new.average):
            raise UsageError(
                f"{run} was trained with optimiser={old.optimiser} and average={old.average:g}; its state does not fit "
                "another optimiser, and a running mean cannot be started or dropped half way"
            )
        return settings

    def check_data(self, task: Task, data: DataFolder) -> None:
        """Raises `RunError` for data that has changed: weights belong to vocabularies, scores to a dev set."""
        current = task.to_json()
        different = [name for name in current if self.vocabularies.get(name) != current[name]]
        if different == [ENCODER]:
            raise RunError(f"{self.run} was trained with another encoder than lies there now; resume with the same")
        changes = find_data_changes(self.config, data)
        if different:
            changes.append(f"the vocabularies differ ({', '.join(different)})")
        if changes:
            raise RunError(
                f"{self.run} was trained on other data than {data.path}: {join_changes(changes)}; resume with the data "
                "folder it was trained on"
            )

    def check_settings(self, task: Task, settings: Settings) -> None:
        """Raises `RunError`, before a model is built, for settings that its weights do not fit, and `UsageError` for
        another metric."""
        judged_by, wanted = (find_metric(task.metrics, own.train.metric).name for own in (self.saved, settings))
        if judged_by != wanted:
            raise UsageError(
                f"{self.run} was trained with metric={judged_by}, which its best epoch was chosen by, not {wanted}; "
                "resume with the same"
            )
        changes = find_setting_changes(self.saved, settings)
        if settings.row.counted:
            if changes:
                raise RunError(
                    f"{self.run} was made with other settings: {join_changes(changes)}; resume with the same"
                )
            return
        try:
            check_model(self.run / "last" / WEIGHTS, task, settings)
        except RunError:
            if not changes:
                raise
            raise RunError(
                f"{self.run}/last: made with other settings of model or optimiser; resume with the same "
                f"({join_changes(changes)})"
            ) from None
