"""Results of single runs in, the report on an experiment out: mean, deviation and best run of each system."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nntag import __version__
from nntag.encoding.data_folder import DataFolder
from nntag.experiments.experiment import Experiment, Values
from nntag.experiments.measures import MEASURES, read_test_score
from nntag.experiments.plan import System

BUDGET = ("recipe", "epochs", "patience", "batch_size")  # stated below every table


@dataclass(frozen=True)
class Outcome:
    """A system, the results of its finished runs by seed, and why others failed (None: not run yet, or fine)."""

    system: System
    results: Mapping[int, Mapping[str, Any]]
    failures: Mapping[int, str | None]


@dataclass(frozen=True)
class _Scale:
    """How the scores of a table are judged and printed."""

    score: str
    dev: float  # factor on the scores on dev and on test: 100 for shares
    test: float
    higher_is_better: bool


def make_report(
    experiment: Experiment,
    outcomes: Sequence[Outcome],
    keys: Sequence[str],
    data: Mapping[str, DataFolder],
    command: str,
    same_data: bool = False,
) -> dict[str, Any]:
    """What `results.json` holds. Scores that are shares are given in percent, as the published ones are.

    Differences to published figures are made where the data are the paper's: by `same_data`, or where the file says how
    they are recognised.
    """
    finished = [result for outcome in outcomes for result in outcome.results.values()]
    score = finished[0]["score_name"] if finished else "score"
    measure = MEASURES[experiment.measure]
    dev = 100.0 if finished and is_share(finished[0]) else 1.0
    scale = _Scale(score, dev, (100.0 if measure.percent else 1.0) if measure.path else dev, _is_higher(finished))
    papers = {name: same_data or is_published_data(experiment, name, folder) for name, folder in data.items()}
    settings = {outcome.system.label: outcome.system for outcome in outcomes}
    shared, differing = _split_settings(list(settings.values()), keys)
    return {
        "title": experiment.title,
        "about": experiment.about,
        "file": str(experiment.path),
        "command": command,
        "nntag": sorted({result["nntag"] for result in finished} | ({__version__} if not finished else set())),
        "processors": sorted({result["processor"] for result in finished if result.get("processor")}),
        "task": outcomes[0].system.settings.row.task,
        "score": score,
        "unit": "%" if scale.dev == 100 else "",
        "higher_is_better": scale.higher_is_better,
        "measure": experiment.measure,
        "test_score": measure.label or score,
        "test_unit": "%" if scale.test == 100 else "",
        "seeds": list(experiment.seeds),
        "test": experiment.test,
        "data": {name: _describe_data(folder, papers[name]) for name, folder in data.items()},
        "settings": shared,
        "differing": differing,
        "published_from": experiment.published.source,
        "rows": [_summarise(outcome, differing, scale, experiment, papers) for outcome in outcomes],
    }


def is_share(result: Mapping[str, Any]) -> bool:
    """Whether the score of a run is printed as percent; the results of version 0.1.0 do not say it themselves."""
    return bool(result.get("percent", result["score_name"] == "accuracy"))


def _is_higher(finished: Sequence[Mapping[str, Any]]) -> bool:
    return bool(finished[0]["higher_is_better"]) if finished else True


def _split_settings(systems: Sequence[System], keys: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """The named settings that all systems share, with their values, and those in which they differ."""
    named = list(dict.fromkeys([*keys, *BUDGET]))
    differing = [key for key in named if len({repr(system.value_of(key)) for system in systems}) > 1]
    return {key: systems[0].value_of(key) for key in named if key not in differing}, differing


def is_published_data(experiment: Experiment, name: str, data: DataFolder) -> bool:
    """Whether a data folder is the paper's corpus, by all the counts that the file names (a list by its length)."""
    expected = experiment.published.corpora.get(name)
    if not expected or data.meta.get("generated_sample"):
        return False
    return all(_count(data.meta, key) == value for key, value in expected.items())


def _count(meta: Any, key: str) -> Any:
    for part in key.split("."):
        meta = meta.get(part) if isinstance(meta, Mapping) else None
    return len(meta) if isinstance(meta, list) else meta


def _describe_data(data: DataFolder, is_papers: bool) -> dict[str, Any]:
    counts = {
        split: {name: count for name, count in row.items() if isinstance(count, int)}
        for split, row in data.meta["splits"].items()
    }
    train = counts["train"]
    items = train.get("sentences", train.get("trees"))
    return {
        "folder": str(data.path),
        "corpus": data.meta["corpus"],
        "mean_length": train["tokens"] / items if items else None,  # |s| of Table 1, Tran 2016
        "vocabulary": data.meta.get("vocabulary"),  # |V|
        "generated_sample": data.meta.get("generated_sample"),
        "published": is_papers,
        "splits": counts,
    }


def _summarise(
    outcome: Outcome, differing: Sequence[str], scale: _Scale, experiment: Experiment, papers: Mapping[str, bool]
) -> dict[str, Any]:
    system, results = outcome.system, outcome.results
    dev = {seed: scale.dev * result["dev"] for seed, result in results.items()}
    best = (max if scale.higher_is_better else min)(dev, key=lambda seed: dev[seed]) if dev else None
    row: dict[str, Any] = {
        "row": system.label,
        "series": system.series,
        "axes": dict(system.axes),
        "data": system.data,
        "note": system.note,
        "differs": {key: system.value_of(key) for key in differing},
        "settings": describe_settings(system),
        "runs": len(results),
        "of": len(outcome.failures),
        "best_seed": best,
        "dev": _spread(dev, best),
        "test": None,
        "published": dict(system.published),
        "published_data": papers.get(system.data, False),
        "epochs": _mean(result["epochs"] for result in results.values()),
        "best_epoch": _mean(result["best_epoch"] for result in results.values()),
        "minutes": _mean(result["seconds"] / 60 for result in results.values()),
        "parameters": next((result["parameters"] for result in results.values()), None),
        "failed": {seed: reason for seed, reason in outcome.failures.items() if reason},
    }
    if experiment.test:
        measure = MEASURES[experiment.measure]
        test = {seed: read_test_score(result, measure) for seed, result in results.items()}
        row["test"] = _spread({seed: scale.test * score for seed, score in test.items() if score is not None}, best)
    row["difference"] = {
        split: row[split]["mean"] - figure
        for split, figure in system.published.items()
        if row["published_data"] and row.get(split)
    }
    return row


def describe_settings(system: System) -> Values:
    """All settings of a system but the seed, `model` and `recipe` by name: what a row can be run again from."""
    saved = system.settings.to_json()
    saved["train"] = {key: value for key, value in saved["train"].items() if key != "seed"}
    return {"model": saved.pop("name"), "recipe": saved.pop("recipe")} | {
        f"{section}.{key}": value for section, values in saved.items() for key, value in values.items()
    }


def _spread(scores: Mapping[int, float], best: int | None) -> dict[str, Any] | None:
    """Mean, standard deviation (of a sample: n - 1; None for one run), and the run that dev likes best."""
    if best is None or not scores:
        return None
    values = list(scores.values())
    deviation = statistics.stdev(values) if len(values) > 1 else None
    return {"mean": statistics.fmean(values), "sd": deviation, "best": scores.get(best), "by_seed": dict(scores)}


def _mean(values: Any) -> float | None:
    values = list(values)
    return statistics.fmean(values) if values else None
