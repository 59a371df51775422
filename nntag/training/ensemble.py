"""Several runs as one: the model of an ensemble, whose probabilities are the weighted mean of its members'."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from nntag.errors import UsageError
from nntag.training.runs import load_run
from nntag.training.task import Run

SHOWN = 3  # names in a message; of more, their number


@dataclass(frozen=True)
class Ensemble:
    """Stands as the model of a run; how each task averages is said in its room."""

    members: tuple[Run, ...]
    weights: tuple[float, ...]  # one for each member, summing to one

    @property
    def paths(self) -> list[Path]:
        """The members' weights files."""
        return [run.path for run in self.members]


def load_runs(
    models: Sequence[str | os.PathLike[str]],
    weights: Sequence[float] = (),
    device: torch.device | None = None,
    task: str | None = None,
) -> Run:
    """The run that `models` names; several as an ensemble, with equal weights where none are given.

    The ensemble's task, folder and settings are those of the first. Raises `RunError`, and `UsageError` for weights
    that do not fit and for runs whose answers are not the same.
    """
    check_weights(weights, len(models))
    first = load_run(models[0], device, task)
    if len(models) == 1:
        return first
    members = (first, *(load_run(model, device, first.task.name) for model in models[1:]))
    total = sum(weights)
    shares = tuple(weight / total for weight in weights) if weights else (1 / len(members),) * len(members)
    for run in members[1:]:
        first.task.check_member(first, run)
    return replace(first, model=Ensemble(members, shares))


def members_of(run: Run) -> tuple[Run, ...]:
    """The runs of an ensemble, or the one run."""
    return run.model.members if isinstance(run.model, Ensemble) else (run,)


def check_weights(weights: Sequence[float], runs: int) -> None:
    """Raises `UsageError` for `--weight` that is not given once for each run, or cannot weigh."""
    if not weights:
        return
    if len(weights) != runs:
        raise UsageError(f"--weight must be given once for each --model: {len(weights)} weights for {runs} runs")
    if not all(math.isfinite(weight) and weight >= 0 for weight in weights) or not any(weights):
        found = ", ".join(f"{weight:g}" for weight in weights)
        raise UsageError(f"every --weight must be finite and at least 0, and one above 0, found {found}")


def check_same_names(what: str, first: tuple[Run, Collection[str]], other: tuple[Run, Collection[str]]) -> None:
    """Raises `UsageError`, which names the difference, where two runs do not have the same tags, classes or words."""
    (run, names), (other_run, other_names) = first, other
    if set(names) == set(other_names):
        return
    own = _list_names(sorted(set(names) - set(other_names)))
    others = _list_names(sorted(set(other_names) - set(names)))
    parts = [f"only {found.folder} has {shown}" for found, shown in ((run, own), (other_run, others)) if shown]
    raise UsageError(
        f"{run.folder} and {other_run.folder} do not have the same {what}, so that their probabilities have no mean: "
        f"{'; '.join(parts)}"
    )


def _list_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - SHOWN:,} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def mean_log_probabilities(each: Iterable[np.ndarray], weights: Sequence[float]) -> np.ndarray:
    """The log of the weighted mean of the probabilities, from log-probabilities float[...] of each member; float32.

    Equal members give back what they give, to the bit.
    """
    logs = np.stack(list(each)).astype(np.float64)
    top = logs.max(axis=0)
    top = np.where(np.isfinite(top), top, 0.0)  # minus infinity in all: stays so
    with np.errstate(divide="ignore"):
        mean = top + np.log(np.tensordot(np.asarray(weights), np.exp(logs - top), axes=1))
    return mean.astype(np.float32)
