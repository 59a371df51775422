"""`nntag plot`: run folders in, one picture of their epochs out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.commands.epoch_plots import draw_epochs
from nntag.config.settings import SECTIONS
from nntag.errors import RunError, UsageError
from nntag.figures import check_picture
from nntag.json_files import decode_json, read_small_file
from nntag.schema import Maybe, Real, Record, Rows, Whole
from nntag.training.checkpoint import read_identity
from nntag.training.log import LOG

_ENTRY = Record({"epoch": Whole()}, {"loss_nats": Maybe(Real()), "seconds": Maybe(Real())})
MOST_SETTINGS = 4  # by which a label distinguishes the runs of one model


def plot_runs(runs: Sequence[str | Path], out: str | Path, means: bool = False) -> list[str]:
    """Draws time, training loss and scores of each epoch; runs that differ only in their seed share a colour.

    With `means`, they are one line, their mean, in a band from the lowest to the highest. Returns the labels: the model
    and what distinguishes its runs. Raises `UsageError` without matplotlib and for a file name of another kind,
    `RunError` for what is not a run.
    """
    picture = check_picture(out, "--out")
    if not runs:
        raise UsageError("name at least one run folder")
    configs, found = [], []
    for run in map(Path, runs):
        if not (run / LOG).is_file():
            raise RunError(f"{run}: not a run folder (no {LOG} in it)")
        configs.append(read_identity(run / "last" if (run / "last").is_dir() else run / "best")[0])
        found.append(_read_log(run))
    logs: dict[str, list[list[dict[str, Any]]]] = {}
    for label, log in zip(label_runs(configs), found, strict=True):
        logs.setdefault(label, []).append(log)
    try:
        draw_epochs(logs, [picture], means)
    except OSError as error:
        raise UsageError(f"{out}: cannot write the plot: {error.strerror}") from None
    return list(logs)


def label_runs(configs: Sequence[Mapping[str, Any]]) -> list[str]:
    """For each run's `config.json` its model, and the settings and data in which the runs of that model differ."""
    flat = [_flatten(config) for config in configs]
    labels = []
    for own in flat:
        others = [other for other in flat if other["model"] == own["model"]]
        differing = [key for key in own if any(other.get(key) != own[key] for other in others)]
        parts = [f"{key.rpartition('.')[2]} {_show(own[key])}" for key in differing[:MOST_SETTINGS]]
        labels.append(", ".join([own["model"], *parts, *(["..."] if len(differing) > MOST_SETTINGS else [])]))
    return labels


def _flatten(config: Mapping[str, Any]) -> dict[str, Any]:
    """What a label may name: all settings but the seed, and the data folder's name."""
    settings = config["settings"]
    values = {f"{section}.{key}": value for section in SECTIONS for key, value in settings[section].items()}
    values.pop("train.seed", None)
    return {
        "model": settings["name"],
        "recipe": settings["recipe"],
        "data": Path(str(config.get("data") or "")).name,
        **values,
    }


def _show(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _read_log(run: Path) -> list[dict[str, Any]]:
    path = run / LOG
    try:
        entries = [decode_json(line) for line in read_small_file(path).decode("utf-8").splitlines()]
        Rows(_ENTRY).check(entries, "line")
    except ValueError as error:
        raise RunError(f"{path}: not the log of a run: {error}") from None
    if not entries:
        raise RunError(f"{path}: no epoch has finished yet")
    return entries
