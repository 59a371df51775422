"""What is told, refused and forced where data or a run has been made before: preprocess, train, eval, --resume."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from safetensors.torch import load_file

from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.encoding.data_folder import open_data_folder
from tests.command_line import fails, run_nntag
from tests.tagging.tagging_files import learnable, write_corpus

SMALL = ("--model", "skip-none", "--epochs", 1, "--hidden", 4)
DATA = "data/processed/conllu"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a corpus, and a data folder made of it."""
    monkeypatch.chdir(tmp_path)
    for split, count, seed in (("train", 20, 1), ("dev", 6, 2)):
        write_corpus(tmp_path / f"{split}.conllu", learnable(count, seed), "conllu")
    done(*prepare())
    return tmp_path


def prepare(*more: object, train: str = "train.conllu") -> tuple[object, ...]:
    return ("preprocess", "conllu", "--train", train, "--dev", "dev.conllu", *more)


def done(*arguments: object) -> str:
    """What a command that ends well says on stderr."""
    finished = run_nntag(*arguments)
    assert finished.code == 0, finished.err
    return finished.err


def weights(run: Path) -> dict[str, list[float]]:
    return {name: value.tolist() for name, value in load_file(run / "best/model.safetensors").items()}


def test_another_column_task_or_file_is_refused_without_force(here: Path) -> None:
    before = (here / DATA / "manifest.json").read_bytes()
    error = fails(*prepare("--column", "XPOS"))
    assert error == (
        f"{DATA} holds other data (column was UPOS, is XPOS); give another --out, or replace it with --force"
    )
    assert "task was tagging, is lm" in fails(*prepare("--task", "lm", "--out", DATA))
    write_corpus(here / "other.conllu", learnable(20, 3), "conllu")
    assert "train was train.conllu, is other.conllu" in fails(*prepare(train="other.conllu"))
    assert (here / DATA / "manifest.json").read_bytes() == before
    done(*prepare("--column", "XPOS", "--force"))
    assert open_data_folder(here / DATA).meta["column"] == "XPOS"


def test_a_file_that_has_changed_is_read_anew_unless_runs_use_it(here: Path) -> None:
    assert "has changed" not in done(*prepare())
    write_corpus(here / "train.conllu", learnable(21, 1), "conllu")
    assert "nntag: train.conllu has changed since the data folder was made\n" in done(*prepare())
    done(*prepare("--tag-cutoff", 3))  # other options
    done("train", "--data", DATA, *SMALL)
    assert "holds other data (its files would be others)" in fails(*prepare())
    assert "runs trained on the data folder" in done(*prepare("--tag-cutoff", 3))  # the same bytes
    write_corpus(here / "train.conllu", learnable(22, 1), "conllu")
    error = fails(*prepare("--tag-cutoff", 3))
    assert "(train.conllu has changed); give another --out, or replace it with --force" in error
    assert error.endswith("; runs trained on it: runs/skip-none-conllu")
    assert "runs trained on the data folder that was replaced: runs/skip-none-conllu" in done(*prepare("--force"))


def test_eval_says_what_of_the_data_has_changed(here: Path) -> None:
    done("train", "--data", DATA, *SMALL)
    write_corpus(here / "train.conllu", learnable(21, 1), "conllu")
    done(*prepare("--force"))
    error = fails("eval")
    assert error.startswith(f"{DATA}: not as it was when runs/skip-none-conllu was trained: ")
    assert "train.tsv has changed" in error and "name it with --data to use it all the same" in error
    assert "train.tsv has changed" in fails("train", "--resume", "--out", "runs/skip-none-conllu", "--epochs", 2)
    done("eval", "--data", DATA)
    done(*prepare("--column", "XPOS", "--force"))
    assert "column was UPOS, is XPOS" in fails("eval")
    assert "its tags are those of the column XPOS" in fails("eval", "--data", DATA)


def test_a_run_is_replaced_with_force_alone(here: Path) -> None:
    run, train_it = here / "run", ("train", "--data", DATA, *SMALL, "--out", "run")
    done(*train_it)
    first = weights(run)
    (run / "notes.txt").write_text("mine")
    error = fails(*train_it, "--seed", 2)
    assert error == (
        "run already holds a trained run; continue it with --resume, or give another --out, or replace it with --force"
    )
    assert weights(run) == first
    done(*train_it, "--seed", 2, "--force")
    assert weights(run) != first and len((run / "log.jsonl").read_text().splitlines()) == 1
    done(*train_it, "--force")
    assert weights(run) == first and (run / "notes.txt").read_text() == "mine"


def test_a_counted_run_without_its_score_is_resumed(here: Path) -> None:
    done(*prepare("--task", "lm"))
    count = ("train", "--model", "ngram", "--data", f"{DATA}-lm", "--out", "run")
    done(*count)
    log, run = (here / "run/log.jsonl").read_text(), here / "run"
    (run / "log.jsonl").unlink()  # as a kill between the renaming of its weights and its log leaves it
    (run / "best/.model.safetensors.partial").write_bytes(b"x")
    written = (run / "best/model.safetensors").stat().st_mtime_ns
    assert "already holds a trained run; continue it with --resume" in fails(*count)
    done("train", "--resume", "--out", "run")
    assert (run / "best/model.safetensors").stat().st_mtime_ns == written  # scored, not counted anew
    (entry,), (old,) = (
        [json.loads(line) for line in text.splitlines()] for text in ((run / "log.jsonl").read_text(), log)
    )
    assert {key: value for key, value in entry.items() if key != "seconds"} == {
        key: value for key, value in old.items() if key != "seconds"
    }


def test_the_command_in_a_run_trains_it_again(here: Path) -> None:
    settings = {"layers": 3, "hidden": 5, "word_size": 6, "filters": 3, "dropout": 0.25, "epochs": 2, "seed": 7}
    run = train(TrainOptions("skip-gated", DATA, here / "first", "wu2016", settings=settings)).run
    command = json.loads((run / "best/config.json").read_text())["command"]
    program, *words = shlex.split(command)
    assert program == "nntag"
    done(*words, "--out", "second")
    assert weights(here / "second") == weights(run)
    first, second = (json.loads((folder / "last/config.json").read_text()) for folder in (run, here / "second"))
    assert first == second
