"""Every row of every shipped file against what the papers say, written by hand in `papers.py`."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from nntag.commands.preprocess import preprocess
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.registry import find_model
from nntag.config.tasks import find_task
from nntag.config.training import TrainConfig
from nntag.experiments.choose import ExperimentOptions
from nntag.experiments.file import read_experiment, shipped_files
from nntag.experiments.listing import list_rows
from nntag.experiments.results import is_published_data
from tests.experiments.papers import CORPORA, TABLES


def as_json(value: Any) -> Any:
    return [as_json(item) for item in value] if isinstance(value, tuple) else value


def default_settings(model: str) -> dict[str, Any]:
    """What the dataclasses say without any recipe."""
    row = find_model(model)
    classes = {"model": row.config, "input": find_task(row.task).input, "train": TrainConfig}
    return {
        f"{section}.{field.name}": field.default
        for section, config in classes.items()
        for field in dataclasses.fields(config)
    }


def test_every_shipped_file_is_written_down() -> None:
    assert set(TABLES) == set(shipped_files())


@pytest.mark.parametrize("name", TABLES)
def test_rows_and_settings_are_the_papers(name: str) -> None:
    base, expected = TABLES[name]
    rows = {row["row"]: row for row in list_rows(name, ExperimentOptions())["rows"]}
    assert set(rows) == set(expected)
    faults = []
    for label, (changes, figures) in expected.items():
        assert rows[label]["published"] == figures, label
        told = {key: value for key, (value, _) in base.items()} | changes
        defaults = default_settings(rows[label]["settings"]["model"])
        for key, value in rows[label]["settings"].items():  # each one of them
            if key not in told and value != defaults[key]:
                faults.append(f"{label}: {key} = {value!r} is not written down")
            elif key in told and as_json(value) != told[key]:
                faults.append(f"{label}: {key} = {value!r}, not {told[key]!r} ({base.get(key, (0, 'the row'))[1]})")
        faults += [f"{label}: has no {key}" for key in changes if key not in rows[label]["settings"]]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", CORPORA)
def test_corpora_are_recognised_by_the_papers_counts(name: str) -> None:
    (corpus,) = read_experiment(shipped_files()[name]).published.corpora.values()
    assert CORPORA[name].items() <= corpus.items()


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("name", "data", "folder", "options"),
    [
        ("tran2016-ptb", "", "ptb_lm", {"corpus": "text"}),
        ("tsakalos2017-table5.1", "fine", "sst", {"corpus": "sst"}),
        ("tsakalos2017-table5.1", "binary", "sst", {"corpus": "sst", "task": "binary"}),
    ],
)
def test_real_corpora_are_recognised(shared_data, tmp_path, name, data, folder, options) -> None:
    made = preprocess(PreprocessOptions(**options, source=shared_data / folder, out=tmp_path / "data"))
    experiment = read_experiment(shipped_files()[name])
    assert is_published_data(experiment, data, made.data)
    others = set(experiment.published.corpora) - {data}
    assert not any(is_published_data(experiment, other, made.data) for other in others)
