"""`nntag experiment` end to end on generated corpora: tables, failures, interruption, and starting again."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from nntag.commands.preprocess import preprocess
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.options.use import EvaluateOptions
from nntag.encoding.data_folder import open_data_folder
from nntag.errors import UsageError
from nntag.experiments import board as experiment_board
from nntag.experiments import choose as experiment_choose
from nntag.experiments import run as experiment_module
from nntag.experiments.choose import ExperimentOptions
from nntag.experiments.data import make_data
from nntag.experiments.experiment import Experiment
from nntag.experiments.file import read_experiment, shipped_files
from nntag.experiments.plan import plan_systems
from nntag.experiments.results import Outcome, make_report
from nntag.experiments.run import run_experiment
from nntag.experiments.tables import format_csv, format_markdown, table_rows
from nntag.experiments.worker import run_request
from nntag.progress import ignore_progress
from nntag.sample import write_sample

ROOT = Path(__file__).parents[2]
SHIPPED = shipped_files()

TABLE = """
title = "Plain and gated"
seeds = [1]
test = true
[recipe]
epochs = 2
[settings]
layers = 3
hidden = 6
word_size = 6
filters = 4
[[rows]]
name = "plain"
model = "skip-none"
published = { dev = 50.0 }
[[rows]]
name = "gated"
model = "skip-gated"
"""
FAILING = '[[rows]]\nname = "broken"\nmodel = "skip-none"\noptimiser = "sgd"\nlr = 1e30\nclip_norm = 0.0\n'


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    out = tmp_path_factory.mktemp("experiment") / "data"
    preprocess(PreprocessOptions("ccgbank", out=out, sample=True, sample_size=60))
    return out


def write(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path


def run_here(runs, jobs, on_end, on_wait):
    """Stands in for the pool: every run in this process."""
    for run in runs:
        run_request(run)
        on_end(run, None)
        on_wait()


@pytest.fixture(scope="module")
def finished(data, tmp_path_factory):
    """An experiment of three runs, two at a time, one of which must fail."""
    folder = tmp_path_factory.mktemp("finished")
    file = write(folder, TABLE + FAILING)
    return file, run_experiment(file, ExperimentOptions(data=data, out=folder / "out", jobs=2, same_data=True))


def test_a_failed_run_costs_no_other_and_is_told(finished):
    _, result = finished
    plain, gated, broken = result.report["rows"]
    assert [plain["runs"], gated["runs"], broken["runs"]] == [1, 1, 0]
    assert list(result.failed) == ["broken, seed 1"] and "not finite" in result.failed["broken, seed 1"]
    assert "not finite" in broken["failed"][1]
    assert plain["published"] == {"dev": 50.0}
    assert plain["difference"]["dev"] == pytest.approx(plain["dev"]["mean"] - 50.0)
    assert "Failed: broken, seed 1" in (result.out / "results.md").read_text(encoding="utf-8")


def test_scores_are_those_of_training_and_of_eval(finished):
    from nntag.commands.evaluate import evaluate

    _, result = finished
    (run,) = (result.out / "runs").glob("gated-*")
    row = result.report["rows"][1]
    log = [json.loads(line) for line in (run / "log.jsonl").read_text(encoding="utf-8").splitlines()]
    assert row["dev"]["mean"] == pytest.approx(100 * max(entry["dev_accuracy"] for entry in log))
    assert row["test"]["mean"] == pytest.approx(100 * evaluate(EvaluateOptions(run, split="test")).report["accuracy"])
    assert row["epochs"] == len(log) == 2


def test_tables_and_plots_are_written(finished):
    _, result = finished
    with open(result.out / "results.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["row"] for row in rows] == ["plain", "gated", "broken"]
    assert float(rows[1]["test_mean"]) == result.report["rows"][1]["test"]["mean"]
    assert json.loads((result.out / "results.json").read_text(encoding="utf-8"))["rows"][1]["runs"] == 1
    assert (result.out / "learning-curves.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (result.out / "scores.svg").read_text(encoding="utf-8")


def test_the_same_again_runs_only_what_failed_and_changed_settings_run_anew(finished, data, monkeypatch):
    file, result = finished
    started = []
    monkeypatch.setattr(experiment_module, "run_workers", lambda runs, *rest: started.extend(run.name for run in runs))
    monkeypatch.setattr(experiment_board, "plots_are_possible", lambda: False)
    again = run_experiment(file, ExperimentOptions(data=data, out=result.out, same_data=True))
    assert [name.split("-s1-")[0] for name in started] == ["broken"]
    assert again.report["rows"][1] == result.report["rows"][1]
    assert any("matplotlib" in note for note in again.notes)
    started.clear()
    run_experiment(file, ExperimentOptions(data=data, out=result.out, rows=["gated"], assignments={"hidden": "7"}))
    assert [name.split("-s1-")[0] for name in started] == ["gated"]


def test_a_folder_of_something_else_is_left_alone(tmp_path, data):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="not made by"):
        run_experiment(write(tmp_path, TABLE), ExperimentOptions(data=data, out=tmp_path / "out"))
    with pytest.raises(UsageError, match="no \\[data\\] table"):
        run_experiment(write(tmp_path, TABLE), ExperimentOptions(out=tmp_path / "other"))


def test_data_is_made_anew_where_the_corpus_has_changed(tmp_path):
    corpus = write_sample("conllu", tmp_path / "raw", 30, 1)["train"]
    table = TABLE + f'[data]\ncorpus = "conllu"\ntrain = "{corpus}"\n'
    experiment, folder = read_experiment(write(tmp_path, table)), tmp_path / "out" / "data"

    def count_sentences() -> int:
        return open_data_folder(make_data(experiment, folder, ignore_progress)[0]).meta["splits"]["train"]["sentences"]

    before, text = count_sentences(), corpus.read_text(encoding="utf-8")
    made = (folder / "meta.json").stat().st_mtime_ns
    assert count_sentences() == before and (folder / "meta.json").stat().st_mtime_ns == made
    corpus.write_text(text + text, encoding="utf-8")
    assert count_sentences() == 2 * before
    corpus.unlink()
    assert count_sentences() == 2 * before


def test_a_missing_device_is_told_before_anything_is_made(tmp_path):
    with pytest.raises(UsageError, match="--device cuda:999"):
        run_experiment(write(tmp_path, TABLE), ExperimentOptions(out=tmp_path / "out", device="cuda:999"))
    assert not (tmp_path / "out").exists()


def nntag(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "nntag", *map(str, arguments)]


def test_interrupted_and_started_again_it_ends_as_if_never_stopped(finished, data, tmp_path):
    _, straight = finished
    file, out = write(tmp_path, TABLE), tmp_path / "out"
    command = nntag("experiment", file, "--data", data, "--out", out, "--row", "gated")
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    logs = lambda: [path for path in out.glob("runs/*/log.jsonl") if path.stat().st_size]  # noqa: E731
    deadline = time.monotonic() + 300
    while not logs() and time.monotonic() < deadline:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    printed, told = process.communicate(timeout=300)
    if process.returncode == 0:
        pytest.skip("the run was over before the interrupt arrived")
    assert (process.returncode, printed) == (130, b"")
    assert b"Traceback" not in told
    assert not list(out.glob("runs/*/result.json"))
    done = subprocess.run([*command, "--json"], env=environment, capture_output=True, timeout=300, check=True)
    row, expected = json.loads(done.stdout)["rows"][0], straight.report["rows"][1]
    assert (row["dev"], row["test"], row["epochs"]) == (
        json.loads(json.dumps(expected["dev"])),
        json.loads(json.dumps(expected["test"])),
        expected["epochs"],
    )


def test_mean_deviation_and_best_run_by_hand(tmp_path, data):
    experiment = read_experiment(write(tmp_path, TABLE.replace("seeds = [1]", "seeds = [1, 2, 3]")))
    systems = plan_systems(experiment)

    def result(dev: float, test: float, name: str = "accuracy") -> dict:
        return {
            "nntag": "0", "score_name": name, "higher_is_better": name == "accuracy", "dev": dev, "test": test,
            "best_epoch": 1, "epochs": 2, "parameters": 10, "seconds": 30.0, "log": [],
        }  # fmt: skip

    outcomes = [
        Outcome(systems[0], {1: result(0.5, 0.1), 2: result(0.8, 0.2), 3: result(0.5, 0.9)}, dict.fromkeys((1, 2, 3))),
        Outcome(systems[1], {1: result(0.25, 0.5)}, {1: None, 2: "it | broke", 3: None}),
    ]
    report = make_report(experiment, outcomes, ["model"], {"": open_data_folder(data)}, "nntag experiment x", True)
    first, second = report["rows"]
    assert first["dev"]["mean"] == pytest.approx(60.0)
    assert first["dev"]["sd"] == pytest.approx(300**0.5)  # (100 + 400 + 100) / 2
    assert (first["dev"]["best"], first["best_seed"], first["test"]["best"]) == (80.0, 2, 20.0)  # the best on dev
    assert first["difference"] == {"dev": pytest.approx(10.0)}
    assert (second["dev"]["sd"], second["runs"], second["of"], second["minutes"]) == (None, 1, 3, 0.5)
    header, rows = table_rows(report)
    cells = dict(zip(header, rows[0], strict=True))
    assert (cells["system"], cells["dev mean"], cells["dev sd"], cells["runs"]) == ("plain", "60.00", "17.32", "3 of 3")
    assert "3 seeds (1, 2, 3)" in format_markdown(report) and "generated sample" in format_markdown(report)
    assert format_csv(report).splitlines()[1].startswith("plain,skip-none,60.0,17.32")

    apart = [replace(system, settings=replace(system.settings, train=replace(system.settings.train, epochs=number)))
             for number, system in enumerate(systems, 5)]  # fmt: skip
    outcomes = [Outcome(system, {1: result(0.5, 0.1)}, {1: None}) for system in apart]
    report = make_report(experiment, outcomes, ["model"], {"": open_data_folder(data)}, "")
    (line, _) = csv.DictReader(format_csv(report).splitlines())
    assert (line["epochs"], line["epochs_run"]) == ("5", "2.0")  # the limit, and what was run
    header, rows = table_rows(report)
    assert len(set(header)) == len(header)

    perplexities = {1: result(110.0, 1, "perplexity"), 2: result(100.0, 2, "perplexity")}
    lower = [Outcome(systems[0], perplexities, {1: None, 2: None})]
    (row,) = make_report(experiment, lower, ["model"], {"": open_data_folder(data)}, "")["rows"]
    assert (row["dev"]["mean"], row["dev"]["best"], row["test"]["best"]) == (105.0, 100.0, 2.0)


PICTURES = {  # drawn in the tests of these tables alone, since drawing takes as long as all else
    "wu2016-table3": ["learning-curves.svg", "scores.svg"],
    "tran2016-figure3": ["attention.png", "attention.svg"],
    "tsakalos2017-table5.1": ["epochs-binary.png", "epochs-binary.svg"],
}


@pytest.mark.parametrize("name", SHIPPED)
def test_small_variants_of_the_shipped_files_run(name, tmp_path, monkeypatch):
    """Every row, at the first point of the grid, on an even smaller sample for one epoch."""
    monkeypatch.setattr(experiment_module, "run_workers", run_here)
    if name not in PICTURES:
        monkeypatch.setattr(experiment_board, "plots_are_possible", lambda: False)
    monkeypatch.setattr(experiment_choose, "read_experiment", lambda file: shrink(read_experiment(file)))
    options = ExperimentOptions(out=tmp_path / "out", small=True, seeds=[1], assignments={"epochs": "1"})
    result = run_experiment(name, options)
    assert not result.failed
    assert all(row["runs"] == 1 and row["test"]["mean"] >= 0 for row in result.report["rows"])
    assert {data["generated_sample"] for data in result.report["data"].values()} == {50}
    assert all(row["difference"] == {} for row in result.report["rows"])  # a sample is no paper's corpus
    assert all((tmp_path / "out" / file).is_file() for file in PICTURES.get(name, []))


def shrink(experiment: Experiment) -> Experiment:
    assert experiment.small is not None and experiment.small.data
    grid = {axis: values[:1] for axis, values in (experiment.grid | experiment.small.grid).items()}
    settings = experiment.small.settings | ({"layers": 3} if "layers" in experiment.settings else {}) | {"hidden": 4}
    data = {name: {**table, "sample": 50} for name, table in experiment.small.data.items()}
    return replace(experiment, small=replace(experiment.small, data=data, grid=grid, settings=settings))


COUNTED = """
title = "Counted and trained"
seeds = [2]
test = true
[recipe]
epochs = 1
[settings]
hidden = 4
[[rows]]
name = "counted"
model = "ngram"
[[rows]]
name = "trained"
model = "lstm-lm"
"""


def test_a_counted_row_stays_when_another_is_run_with_other_seeds(tmp_path: Path) -> None:
    preprocess(PreprocessOptions("text", sample=True, sample_size=40, out=tmp_path / "data"))
    file = tmp_path / "table.toml"
    file.write_text(COUNTED)
    options = ExperimentOptions(data=str(tmp_path / "data"), out=tmp_path / "out")
    run_experiment(file, options)
    report = run_experiment(file, replace(options, rows=("trained",), seeds=(1,))).report
    assert {row["row"]: sorted(row["dev"]["by_seed"]) for row in report["rows"]} == {
        "counted": [2],
        "trained": [1, 2],
    }
