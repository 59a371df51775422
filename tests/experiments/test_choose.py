"""What a call asks for, another recipe, a part of a table, data by name, and what the table then holds; no training."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nntag.commands.preprocess import preprocess
from nntag.config.options.preprocess import PreprocessOptions
from nntag.errors import DataError, RunError, UsageError
from nntag.experiments import board as experiment_board
from nntag.experiments import run as experiment_module
from nntag.experiments.choose import ExperimentOptions
from nntag.experiments.file import read_experiment
from nntag.experiments.listing import format_rows, list_rows, list_tables
from nntag.experiments.run import run_experiment
from nntag.experiments.tables import describe, table_rows
from nntag.json_files import read_json, write_json
from tests.command_line import fails, run_nntag

TABLE = """
title = "Depth"
seeds = [1, 2]
test = true
[recipe]
name = "wu2016"
lr = 0.5
[settings]
word_size = 6
[[rows]]
name = "plain"
model = "skip-none"
published = { dev = 50.0 }
[[rows]]
name = "no dropout"
model = "skip-gated"
dropout = 0.0
note = "as section 6 has it"
[grid]
layers = [1, 3]
[published]
source = "A paper"
corpus = { "splits.train.sentences" = 40 }
[data]
corpus = "ccgbank"
train = "x"
"""
LANGUAGES = """
title = "Two languages"
test = true
measure = "10-80"
[[rows]]
model = "lstm-lm"
[grid]
data = ["de", "en"]
[published]
source = "A paper"
figures = [{ data = "de", test = 9.5 }, { data = "en", test = 8.5 }]
corpus.de = { "splits.train.sentences" = 30 }
[data.de]
corpus = "text"
sample = 30
[data.en]
corpus = "text"
sample = 40
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "depth.toml"
    path.write_text(TABLE, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    out = tmp_path_factory.mktemp("choose") / "data"
    preprocess(PreprocessOptions("ccgbank", out=out, sample=True, sample_size=40))
    meta = read_json(out / "meta.json")
    del meta["generated_sample"]  # as if these were real sentences
    write_json(out / "meta.json", meta)
    (out / "manifest.json").unlink()  # else the edited file would be noticed
    return out


@pytest.fixture(autouse=True)
def started(monkeypatch):
    """The names of the runs that would be trained; each gets a result at once: its seed in percent, on dev and test."""
    names: list[str] = []

    def run_here(runs, jobs, on_end, on_wait):
        for run in runs:
            names.append(run.name)
            seed = read_json(run / "request.json")["settings"]["train"]["seed"]
            lm = read_json(run / "request.json")["settings"]["name"] == "lstm-lm"
            result = {
                "nntag": "0", "score_name": "perplexity" if lm else "accuracy", "higher_is_better": not lm,
                "dev": seed / 100, "test": seed / 100, "best_epoch": 1, "epochs": 2, "parameters": 10,
                "test_report": {"by_length": {"10-80": {"perplexity": 7.0}}},
                "seconds": 30.0, "processor": "a chip", "log": [],
            }  # fmt: skip
            write_json(run / "result.json", result)
            on_end(run, None)

    monkeypatch.setattr(experiment_module, "run_workers", run_here)
    monkeypatch.setattr(experiment_board, "plots_are_possible", lambda: False)
    return names


def settings_of(listed, row):
    return next(entry["settings"] for entry in listed["rows"] if entry["row"] == row)


@pytest.mark.parametrize("options", [{"recipe": "default"}, {"assignments": {"recipe": "default"}}])
def test_a_recipe_from_the_command_line_replaces_the_files_and_what_it_changes(file, options):
    own = settings_of(list_rows(file, ExperimentOptions()), "no dropout, layers 3")
    assert (own["recipe"], own["train.lr"], own["train.optimiser"], own["model.dropout"]) == ("wu2016", 0.5, "sgd", 0.0)
    other = settings_of(list_rows(file, ExperimentOptions(**options)), "no dropout, layers 3")
    assert (other["recipe"], other["train.lr"], other["train.optimiser"]) == ("default", 0.002, "adam")
    assert (other["model.dropout"], other["model.layers"], other["input.word_size"]) == (0.0, 3, 6)  # the table's own
    set_too = ExperimentOptions(recipe="default", assignments={"lr": "0.25", "dropout": "0.1"})
    last = settings_of(list_rows(file, set_too), "no dropout, layers 3")
    assert (last["train.lr"], last["model.dropout"]) == (0.25, 0.1)


def test_two_recipes_and_recipes_of_rows_are_errors(file, tmp_path):
    with pytest.raises(UsageError, match="contradict"):
        list_rows(file, ExperimentOptions(recipe="default", assignments={"recipe": "wu2017"}))
    own = tmp_path / "own.toml"
    own.write_text("title = 'x'\n[[rows]]\nmodel = 'rhn'\nrecipe = 'wu2016'\n", encoding="utf-8")
    with pytest.raises(UsageError, match="row 'rhn' names its own recipe"):
        list_rows(own, ExperimentOptions(recipe="default"))


@pytest.mark.parametrize("key", ["lr", "train.epochs", "recipe"])
@pytest.mark.parametrize("table", ["settings", "small.settings"])
def test_training_values_outside_of_the_recipe_are_refused(tmp_path, table, key):
    path = tmp_path / "pinned.toml"
    path.write_text(f"title = 'x'\n[[rows]]\nmodel = 'rhn'\n[{table}]\n{key} = 'x'\n", encoding="utf-8")
    with pytest.raises(DataError, match=rf"{table}\.{key}: belongs in the table \[.*recipe\]"):
        read_experiment(path)


def test_a_part_is_added_to_the_table(file, data, tmp_path, started):
    def call(**options):
        started.clear()
        return run_experiment(file, ExperimentOptions(data=data, out=tmp_path / "out", **options))

    first = call(rows=["plain"], grid={"layers": [1]}, seeds=[2])
    assert [row["row"] for row in first.report["rows"]] == ["plain, layers 1"]
    second = call(rows=["no dropout"], seeds=[1])
    assert len(started) == 2 and all(name.startswith("no-dropout") for name in started)
    rows = {row["row"]: row for row in second.report["rows"]}
    assert list(rows) == ["plain, layers 1", "no dropout, layers 1", "no dropout, layers 3"]
    assert (rows["plain, layers 1"]["dev"]["by_seed"], rows["plain, layers 1"]["of"]) == ({2: 2.0}, 2)
    assert second.report["seeds"] == [1, 2]
    third = call(rows=["plain"], grid={"layers": [1, 5]}, seeds=[1])
    row = third.report["rows"][0]
    assert (row["row"], row["runs"], row["dev"]["mean"]) == ("plain, layers 1", 2, 1.5)
    assert "plain, layers 5" in [row["row"] for row in third.report["rows"]]
    whole = call()
    assert "plain, layers 5" in [row["row"] for row in whole.report["rows"]]  # its value is not in the file
    assert len(whole.report["rows"]) == 5 and not whole.notes[:-1]
    other = call(assignments={"hidden": "7"}, rows=["plain"])
    assert any("had other settings (model.hidden)" in note for note in other.notes)
    assert [row["row"] for row in other.report["rows"]] == ["plain, layers 1", "plain, layers 3"]


def test_a_row_can_be_run_again_from_the_tables_json(file, data, tmp_path, started):
    options = ExperimentOptions(data=data, out=tmp_path / "out", assignments={"hidden": "7"}, seeds=[1])
    before = run_experiment(file, options).report
    started.clear()
    again = run_experiment(
        tmp_path / "out" / "results.json", ExperimentOptions(out=tmp_path / "again", rows=["no dropout, layers 3"])
    )
    assert [name.split("-s1-")[0] for name in started] == ["no-dropout-layers-3"]
    (row,) = again.report["rows"]
    (old,) = [row for row in before["rows"] if row["row"] == "no dropout, layers 3"]
    assert row["settings"] == old["settings"] and (tmp_path / "again" / "runs" / started[0]).is_dir()
    assert (tmp_path / "out" / "runs" / started[0]).is_dir()  # the same settings and data: the same hash
    (tmp_path / "other.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RunError, match="not the results"):
        list_rows(tmp_path / "other.json", ExperimentOptions())


def test_differences_stand_only_where_the_corpus_is_the_papers(file, data, tmp_path):
    ours = run_experiment(file, ExperimentOptions(data=data, out=tmp_path / "a")).report  # 40 training sentences
    header, cells = table_rows(ours)
    assert ours["rows"][0]["difference"] == {"dev": 1.5 - 50.0} and "difference" in header
    text = TABLE.replace("= 40 }", "= 41 }")
    file.write_text(text, encoding="utf-8")
    foreign = run_experiment(file, ExperimentOptions(data=data, out=tmp_path / "b")).report
    header, cells = table_rows(foreign)
    assert foreign["rows"][0]["difference"] == {} and "difference" not in header and "published dev" not in header
    assert header[-1] == "on the paper's corpus: dev" and cells[0][-1] == "50.00"
    assert any("compare the order of the rows, not the scores themselves" in line for line in describe(foreign))
    told = run_experiment(file, ExperimentOptions(data=data, out=tmp_path / "c", same_data=True)).report
    assert told["rows"][0]["difference"] == {"dev": 1.5 - 50.0}


def test_rows_may_have_data_of_their_own(tmp_path, started):
    path = tmp_path / "languages.toml"
    path.write_text(LANGUAGES, encoding="utf-8")
    out = tmp_path / "out"
    german = run_experiment(path, ExperimentOptions(out=out, grid={"data": ["de"]}, seeds=[1]))
    assert (out / "data-de").is_dir() and not (out / "data-en").exists() and list(german.report["data"]) == ["de"]
    both = run_experiment(path, ExperimentOptions(out=out, grid={"data": ["en"]}, seeds=[1])).report
    assert [(row["row"], row["data"], row["test"]["mean"]) for row in both["rows"]] == [
        ("lstm-lm, de", "de", 7.0),
        ("lstm-lm, en", "en", 7.0),
    ]
    assert both["test_score"].startswith("perplexity of the sentences of 10 to 80")
    assert both["rows"][0]["difference"] == {}  # a sample, although the count is right
    given = ExperimentOptions(out=tmp_path / "given", data={"en": out / "data-de"}, grid={"data": ["en"]}, seeds=[1])
    assert run_experiment(path, given).report["data"]["en"]["folder"] == str(out / "data-de")
    for wrong, words in (("x", "no such data; give --data de=FOLDER"), ({"fr": "x"}, "--data fr")):
        with pytest.raises(UsageError, match=words):
            run_experiment(path, ExperimentOptions(out=tmp_path / "wrong", data=wrong))
    broken = tmp_path / "broken.toml"
    broken.write_text(LANGUAGES.replace('["de", "en"]', '["de", "eng"]'), encoding="utf-8")
    with pytest.raises(UsageError, match="did you mean 'en'"):
        list_rows(broken, ExperimentOptions())


def test_vectors_that_are_not_there_are_told_before_anything_is_run(file, data, tmp_path, started):
    with pytest.raises(UsageError, match="no word vectors at none.vec; name a file with --set word_vectors=FILE"):
        options = ExperimentOptions(data=data, out=tmp_path / "out", assignments={"word_vectors": "none.vec"})
        run_experiment(file, options)
    assert not started


def test_lists_name_every_setting_and_run_nothing(file, started):
    listed = json.loads(run_nntag("experiment", file, "--list", "--row", "plain", "--json").out)
    assert [row["row"] for row in listed["rows"]] == ["plain, layers 1", "plain, layers 3"]
    assert listed["recipe"] == {"name": "wu2016", "changes": {"lr": 0.5}}
    settings = listed["rows"][0]["settings"]
    assert {"model.hidden", "input.window_over", "train.lr_half_life"} <= set(settings) and "train.seed" not in settings
    text = format_rows(listed)
    assert (
        "recipe wu2016; changed: lr 0.5" in text and "plain, layers 3  [published dev: 50]\n  model.layers = 3" in text
    )
    names = [table["name"] for table in json.loads(run_nntag("experiment", "--list", "--json").out)["tables"]]
    assert names == [table["name"] for table in list_tables()] and "wu2016-table2" in names
    assert not started


def test_values_of_a_grid_mean_what_they_mean_in_the_file(tmp_path):
    path = tmp_path / "values.toml"
    text = 'title = "x"\n[[rows]]\nmodel = "skip-none"\n[grid]\nforget_bias = [0.0, 1.0]\njoined = [true, false]\n'
    path.write_text(text, encoding="utf-8")
    command = ("experiment", path, "--list", "--json", "--grid", "forget_bias=1.0,0.5", "--grid", "joined=true")
    rows = json.loads(run_nntag(*command).out)["rows"]
    assert [row["axes"] for row in rows] == [
        {"forget_bias": 1.0, "joined": True},
        {"forget_bias": 0.5, "joined": True},
    ]


def test_another_data_folder_is_told(file, data, tmp_path):
    run_experiment(file, ExperimentOptions(data=data, out=tmp_path / "out", rows=["plain"]))
    other = tmp_path / "other"
    preprocess(PreprocessOptions("ccgbank", out=other, sample=True, sample_size=30))
    again = run_experiment(file, ExperimentOptions(data=other, out=tmp_path / "out", rows=["no dropout"]))
    assert any(f"was made with {data}" in note for note in again.notes)
    assert {row["series"] for row in again.report["rows"]} == {"no dropout"}


def test_unknown_tables_and_axes_name_the_choices(file):
    assert "did you mean 'wu2016-table2'" in fails("experiment", "wu2016-tabel2")
    assert "name a table or a file" in fails("experiment")
    assert "unknown axis 'layer'; did you mean 'layers'" in fails("experiment", file, "--grid", "layer=1")
    assert "NAME=FOLDER" in fails("experiment", file, "--data", "a", "--data", "b")


def test_notes_of_rows_stand_in_the_foot(file, data, tmp_path):
    report = run_experiment(file, ExperimentOptions(data=data, out=tmp_path / "out")).report
    lines = describe(report)
    assert "no dropout, layers 1: as section 6 has it" in lines and "Processor: a chip" in lines
    assert any(line.startswith("Recipe wu2016; same in all rows:") and "lr 0.5" in line for line in lines)
    assert json.loads((tmp_path / "out" / "results.json").read_text(encoding="utf-8"))["rows"][0]["settings"]
