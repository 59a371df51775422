"""Results of single runs in, the report on an experiment out: mean, deviation and best run of each system."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nntag import __version__
from nntag.encoding.data_folder import DataFolder
from nntag.experiments.file import Experiment
from nntag.experiments.plan import System


@dataclass(frozen=True)
class Outcome:
    """A system, the results of its finished runs by seed, and why others failed (None: not run yet, or fine)."""

    system: System
    results: Mapping[int, Mapping[str, Any]]
    failures: Mapping[int, str | None]


def make_report(
    experiment: Experiment, outcomes: Sequence[Outcome], keys: Sequence[str], data: DataFolder, command: str
) -> dict[str, Any]:
    """What `results.json` holds. Scores that are shares are given in percent, as the published ones are."""
    finished = [result for outcome in outcomes for result in outcome.results.values()]
    score = finished[0]["score_name"] if finished else "score"
    higher = finished[0]["higher_is_better"] if finished else True
    scale = 100.0 if score.endswith("accuracy") else 1.0
    differing = [key for key in keys if len({repr(outcome.system.value_of(key)) for outcome in outcomes}) > 1]
    first = outcomes[0].system
    budget = ("recipe", "epochs", "patience", "batch_size")
    shared = {key: first.value_of(key) for key in dict.fromkeys([*keys, *budget]) if key not in differing}
    for key in budget:  # a budget that is not the same in all rows belongs into their lines
        if len({repr(outcome.system.value_of(key)) for outcome in outcomes}) > 1:
            shared.pop(key, None)
            differing += [key] if key not in differing else []
    return {
        "title": experiment.title,
        "about": experiment.about,
        "file": str(experiment.path),
        "command": command,
        "nntag": sorted({result["nntag"] for result in finished} | ({__version__} if not finished else set())),
        "task": first.settings.row.task,
        "score": score,
        "unit": "%" if scale == 100 else "",
        "higher_is_better": higher,
        "seeds": list(experiment.seeds),
        "test": experiment.test,
        "data": _describe_data(data),
        "settings": shared,
        "differing": differing,
        "published_from": experiment.figures_from,
        "rows": [_summarise(outcome, differing, scale, higher, experiment) for outcome in outcomes],
    }


def _describe_data(data: DataFolder) -> dict[str, Any]:
    counts = {
        split: {name: count for name, count in row.items() if isinstance(count, int)}
        for split, row in data.meta["splits"].items()
    }
    generated = data.meta.get("generated_sample")
    return {"folder": str(data.path), "corpus": data.meta["corpus"], "generated_sample": generated, "splits": counts}


def _summarise(
    outcome: Outcome, differing: Sequence[str], scale: float, higher: bool, experiment: Experiment
) -> dict[str, Any]:
    system, results = outcome.system, outcome.results
    dev = {seed: scale * result["dev"] for seed, result in results.items()}
    best = (max if higher else min)(dev, key=lambda seed: dev[seed]) if dev else None
    row: dict[str, Any] = {
        "row": system.label,
        "series": system.series,
        "axes": dict(system.axes),
        "settings": {key: system.value_of(key) for key in differing},
        "runs": len(results),
        "of": len(outcome.failures),
        "best_seed": best,
        "dev": _spread(dev, best),
        "test": None,
        "published": dict(system.published),
        "epochs": _mean(result["epochs"] for result in results.values()),
        "best_epoch": _mean(result["best_epoch"] for result in results.values()),
        "minutes": _mean(result["seconds"] / 60 for result in results.values()),
        "parameters": next((result["parameters"] for result in results.values()), None),
        "failed": {seed: reason for seed, reason in outcome.failures.items() if reason},
    }
    if experiment.test:
        row["test"] = _spread({seed: scale * result["test"] for seed, result in results.items()}, best)
    row["difference"] = {
        split: row[split]["mean"] - figure for split, figure in system.published.items() if row.get(split)
    }
    return row


def _spread(scores: Mapping[int, float], best: int | None) -> dict[str, Any] | None:
    """Mean, standard deviation (of a sample: n - 1; None for one run), and the run that dev likes best."""
    if best is None:
        return None
    values = list(scores.values())
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return {"mean": statistics.fmean(values), "sd": deviation, "best": scores[best], "by_seed": dict(scores)}


def _mean(values: Any) -> float | None:
    values = list(values)
    return statistics.fmean(values) if values else None
