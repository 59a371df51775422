"""Experiment files: what is planned from them, what is refused, and the shipped ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from nntag.errors import DataError, NntagError, UsageError
from nntag.experiments.data import read_options
from nntag.experiments.file import read_experiment, shipped_files
from nntag.experiments.plan import named_keys, plan_systems

SHIPPED = shipped_files()


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path


GRID = """
title = "T"
seeds = [3]
[settings]
hidden = 10
layers = 4
[recipe]
train.lr = 0.5
[[rows]]
model = "skip-none"
hidden = 20
[[rows]]
name = "highway"
model = "rhn"
published = { dev = 90 }
[grid]
epochs = [1, 2]
[published]
figures = [{ epochs = 2, dev = 80.5 }, { row = "highway", epochs = 2, test = 70.5 }]
[small]
seeds = [7, 8]
rows = ["highway"]
settings = { hidden = 5 }
grid = { epochs = [1] }
"""


def test_systems_are_rows_times_grid_over_the_settings(tmp_path):
    systems = plan_systems(read_experiment(write(tmp_path, GRID)))
    assert [system.label for system in systems] == [
        "skip-none, epochs 1",
        "skip-none, epochs 2",
        "highway, epochs 1",
        "highway, epochs 2",
    ]
    plain, _, _, highway = systems
    assert (plain.settings.model.hidden, plain.settings.model.layers, plain.settings.train.lr) == (20, 4, 0.5)
    assert (highway.settings.model.hidden, highway.settings.train.epochs) == (10, 2)  # rhn has no `layers`: left out
    assert [dict(system.published) for system in systems] == [
        {},
        {"dev": 80.5},
        {"dev": 90.0},
        {"dev": 80.5, "test": 70.5},
    ]
    assert plain.settings_for(9).train.seed == 9 and plain.settings_for(9).model == plain.settings.model


def test_set_wins_over_rows_and_small_changes_what_it_names(tmp_path):
    experiment = read_experiment(write(tmp_path, GRID))
    systems = plan_systems(experiment, {"hidden": "6", "layers": "2"})
    assert {system.settings.model.hidden for system in systems} == {6}
    small = experiment.make_small()
    (only,) = plan_systems(small)
    assert (only.label, only.settings.model.hidden, only.settings.train.lr) == ("highway, epochs 1", 5, 0.5)
    assert small.seeds == (7, 8)
    assert named_keys(small, ["bias"]) == ["model", "hidden", "epochs", "recipe", "layers", "train.lr", "bias"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = 1\n[grid]\nlayers = [1]", ["title", "text"]),
        ("titel = 'x'", ["titel", "did you mean 'title'"]),
        ("[grid]\nlayers = [1]", ["title", "missing"]),
        ("title = 'x'", ["rows", "missing"]),
        ("title = 'x'\nrows = []", ["rows", "one row"]),
        ("title = 'x'\n[[rows]]\nhidden = 3", ["rows 1", "neither a name nor a model"]),
        ("title = 'x'\n[[rows]]\nmodel = 'rm'\n[[rows]]\nmodel = 'rm'", ["rows 2.name", "'rm' already"]),
        ("title = 'x'\n[[rows]]\nmodel = 3", ["rows 1", "text"]),
        ("title = 'x'\nseeds = [1, 1]\n[grid]\nlayers = [1]", ["seeds", "different"]),
        ("title = 'x'\nseeds = [true]\n[grid]\nlayers = [1]", ["seeds", "whole number"]),
        ("title = 'x'\ntest = 'yes'\n[grid]\nlayers = [1]", ["test", "true or false"]),
        ("title = 'x'\n[grid]\nlayers = 1", ["grid.layers", "a list"]),
        ("title = 'x'\n[grid]\nlayers = [1, 1]", ["grid.layers", "different"]),
        ("title = 'x'\n[grid]\nlayers = [1]\n[small]\nseed = 1", ["small.seed", "did you mean 'seeds'"]),
        ("title = 'x'\n[grid]\nlayers = [1]\n[data]\nsample = 3", ["data.corpus", "missing"]),
        ("title = 'x'\n[[rows]]\nmodel = 'rm'\npublished = 3", ["rows 1.published", "a table"]),
        ("title = 'x'\n[[rows]]\nmodel = 'rm'\npublished = { dve = 3 }", ["rows 1.published.dve", "'dev'"]),
        ("title = 'x'\n[grid]\nlayers = [1]\n[published]\nfigures = [{ layers = 1 }]", ["figures 1", "neither"]),
        ("title = 'x'\ntitle = 'y'", ["table.toml:2: not valid TOML: "]),
        ("title = 'x'\nseeds = [1, 2\nabout = 3", ["table.toml:3:1: not valid TOML: Unclosed array"]),
    ],
)
def test_a_fault_in_the_file_is_named_with_file_and_key(tmp_path, text, words):
    path = write(tmp_path, text)
    with pytest.raises(DataError) as caught:
        read_experiment(path)
    assert all(word in str(caught.value) for word in [str(path), *words]), str(caught.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[[rows]]\nmodel = 'skip-nnoe'", ["skip-nnoe", "did you mean 'skip-none'"]),
        ("[[rows]]\nmodel = 'rhn'\nlayers = 3", ["rhn", "layers"]),
        ("[[rows]]\nmodel = 'rhn'\nhidden = 'many'", ["rhn", "hidden", "whole number"]),
        ("[[rows]]\nname = 'a'\n", ["a: no model"]),
        ("[grid]\nmodel = ['rm', 'skip-none']", ["skip-none", "lm", "tagging"]),
        ("[[rows]]\nname = 'a'\nmodel = 'rhn'\n[[rows]]\nname = 'b'\nmodel = 'rhn'\ndepth = 3", ["a and b", "same"]),
        ("[[rows]]\nmodel = 'rhn'\n[settings]\nlayers = 3", ["settings.layers", "none of the models"]),
    ],
)
def test_a_row_that_cannot_be_is_named(tmp_path, text, words):
    path = write(tmp_path, f"title = 'x'\n{text}")
    with pytest.raises(UsageError) as caught:
        plan_systems(read_experiment(path))
    assert all(word in str(caught.value) for word in [str(path), *words]), str(caught.value)


def test_unknown_rows_settings_and_small_variants_are_usage_errors(tmp_path):
    experiment = read_experiment(write(tmp_path, "title = 'x'\n[[rows]]\nmodel = 'rhn'"))
    with pytest.raises(UsageError, match="did you mean 'rhn'"):
        experiment.choose_rows(["rhm"])
    with pytest.raises(UsageError, match="no \\[small\\] table"):
        experiment.make_small()
    with pytest.raises(UsageError, match="--set layers"):
        plan_systems(experiment, {"layers": "3"})
    with pytest.raises(NntagError, match="No such file"):
        read_experiment(tmp_path / "none.toml")


def test_data_table_gives_the_flags_of_preprocess(tmp_path):
    table = {"corpus": "conllu", "train": ["a", "b"], "dev": "c", "column": "XPOS", "tag_cutoff": 10, "sample": 5}
    options = read_options(table, tmp_path)
    assert options.files == {"train": (Path("a"), Path("b")), "dev": (Path("c"),)}
    assert (options.column, options.tag_cutoff, options.sample_size, options.out) == ("XPOS", 10, 5, tmp_path)
    assert read_options({"corpus": "ptb", "folder": "x/y"}, tmp_path).source == Path("x/y")
    faults = {"colunm": "did you mean 'column'", "tag_cutoff": "tag_cutoff", "train": "train"}
    for key, word in faults.items():
        with pytest.raises(UsageError, match=word):
            read_options({"corpus": "conllu", key: 3 if key == "train" else "x"}, tmp_path)


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_files_are_whole_tables(name):
    experiment = read_experiment(SHIPPED[name])
    systems, small = plan_systems(experiment), experiment.make_small()
    assert len(systems) >= 2 and len(experiment.seeds) >= (1 if name.startswith("tran2016") else 3) and experiment.test
    assert small.data and all(table["sample"] <= 1000 for table in small.data.values())
    assert len(plan_systems(small)) >= 2
    figures = experiment.published.figures
    if figures:
        assert experiment.published.source
        assert all(any(figure.scores.items() <= s.published.items() for s in systems) for figure in figures)


def test_shipped_files_are_those_that_the_papers_need():
    names = set(SHIPPED)
    assert names >= {"wu2016-table1", "wu2016-table2", "wu2016-table3", "wu2016-table4", "wu2016-initialisation"}
    assert names >= {"wu2017-gates", "wu2017-topologies", "wu2017-depth", "tran2016-table2", "tran2016-table4"}
    assert names >= {"tran2016-figure3", "tsakalos2017-table5.1"}
