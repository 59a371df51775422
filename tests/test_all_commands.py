"""Every corpus, task and column that the help texts offer, through every command, on a small generated sample.

The cases come from the tables of formats, tasks and models, so that a new row is tested without a line here.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from nntag.config.registry import MODELS
from nntag.config.tasks import TASKS, task_of_choice
from nntag.corpora.formats import FORMATS
from nntag.sample import SAMPLE_FORMATS, write_sample
from tests.command_line import Finished, fails, run_nntag

SIZE = 12  # training sentences; dev and test have 50
CORPORA = [(row.name, choice) for row in FORMATS.values() for choice in row.tasks if row.name in SAMPLE_FORMATS]
CHOICES = [choice for row in TASKS for choice in row.choices]
COLUMNS = [(row.name, column) for row in FORMATS.values() for column in (c.name for c in row.columns)]
NUMBERED = [("columns", "2"), ("columns", "-1"), ("conllu", "XPOS"), ("conllu", "FEATS")]  # of readers that take any
BY_SHAPE = sorted(MODELS, key=lambda row: row.any_shape)
MODEL_OF = {row.task: row.name for row in BY_SHAPE if not row.counted}  # for each task one that takes any data
TEXT = {  # what a model of each task is given to use
    "tagging": b"the old dog saw it .\n",
    "lm": b"the old dog saw it .\n",
    "sentiment": b"(2 (3 good) (2 (1 not) (2 film)))\n",
}
UNSAMPLED = {"vectors": "the 0.1 0.2\ndog 0.3 0.4\n"}  # formats without a generated sample


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> dict[str, Path]:
    """A file in each format."""
    folder, found = tmp_path_factory.mktemp("files"), {}
    for format in SAMPLE_FORMATS:
        written = write_sample(format, folder / format, SIZE)
        found[format] = written.get("test") or written["questions"]
    found["labelled conllu"] = write_sample("conllu", folder / "labelled", SIZE, labelled=True)["test"]
    found["gutenberg"] = next((folder / "sherlock").rglob("*.TXT"))
    for format, text in UNSAMPLED.items():
        found[format] = folder / f"{format}.vec"
        found[format].write_text(text)
    assert set(found) == {*FORMATS, "labelled conllu"}
    return found


def test_the_help_names_every_format_task_and_column():
    preprocess, read = run_nntag("preprocess", "--help").out, run_nntag("read", "--help").out
    for row in FORMATS.values():
        assert row.name in read and (row.name in preprocess or not row.tasks)
        assert all(column.name in preprocess and column.name in read for column in row.columns)
    assert all(choice in preprocess for choice in CHOICES)


@pytest.mark.parametrize("format", FORMATS)
def test_read(format, files):
    done("read", format, files[format], "--json")


@pytest.mark.parametrize(("format", "column"), COLUMNS + NUMBERED)
def test_columns(format, column, files, tmp_path):
    file = files[format]
    if column == "tag":  # two fields where the sample has three
        file = tmp_path / "two.piped"
        file.write_text("a|DET dog|NOUN\nit|PRON\n" * 20)
    read = done("read", format, file, "--column", column, "--json")
    tags = {tag for line in read.out.splitlines() for tag in json.loads(line)["tags"]}
    command = ("preprocess", format, "--train", file, "--column", column, "--out", tmp_path / "data")
    if len(tags) == 1:  # a column that the sample leaves empty
        assert f"the column {column}" in fails(*command)
    else:
        done(*command)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Callable[[str, str], Path]:
    """A folder with `data` and `run` of a corpus and a task; made once for all tests that ask for it."""
    folders: dict[tuple[str, str], Path] = {}

    def make(format: str, choice: str) -> Path:
        if (format, choice) not in folders:
            folder = folders[format, choice] = tmp_path_factory.mktemp(f"{format}-{choice}")
            sample = ("--sample", "--sample-size", SIZE, "--out", folder / "data")
            done("preprocess", format, "--task", choice, *sample)
            model = MODEL_OF[task_of_choice(choice).name]
            where = ("--data", folder / "data", "--out", folder / "run")
            done("train", "--model", model, "--epochs", 1, "--hidden", 4, *where)
        return folders[format, choice]

    return make


@pytest.mark.parametrize(("format", "choice"), CORPORA)
def test_a_corpus_from_preprocess_to_use(format, choice, made):
    folder = made(format, choice)
    done("eval", "--model", folder / "run", "--data", folder / "data")
    task = task_of_choice(choice).name
    command, unable = ("score", "tag") if task == "lm" else ("tag", "score")
    assert done(command, "--model", folder / "run", stdin=TEXT[task]).out
    assert fails(unable, "--model", folder / "run", stdin=TEXT[task])


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("choice", CHOICES)
def test_eval_of_a_file(format, choice, files, made):
    row, task = FORMATS[format], task_of_choice(choice).name
    run = made(*like(format, choice)) / "run"
    arguments = ("eval", "--model", run, "--data", files[labelled(format, choice)], "--format", format)
    has_words = row.yields in ("sentences", "trees")
    if has_words and (choice in row.tasks or task == "lm"):  # for which words are enough
        done(*arguments)
    else:
        assert format in fails(*arguments)


@pytest.mark.parametrize("format", [row.name for row in FORMATS.values() if row.suffixes])
@pytest.mark.parametrize("choice", CHOICES)
def test_eval_of_a_file_whose_name_tells_its_format(format, choice, files, made, tmp_path):
    run = made(*like(format, choice)) / "run"
    file = shutil.copy(files[labelled(format, choice)], tmp_path / f"file{FORMATS[format].suffixes[0]}")
    finished = run_nntag("eval", "--model", run, "--data", file)
    assert finished.code in (0, 2), finished.err
    assert finished.code == 0 or choice not in FORMATS[format].tasks or FORMATS[format].yields == "questions"


def labelled(format: str, choice: str) -> str:
    """The file of a format that a task is given: for tree models CoNLL-U with labels."""
    return f"labelled {format}" if format == "conllu" and task_of_choice(choice).name == "sentiment" else format


def like(format: str, choice: str) -> tuple[str, str]:
    """The corpus of that format where it is for the task, whose tags a run on it knows; else the task's first one."""
    return (format, choice) if (format, choice) in CORPORA else next(row for row in CORPORA if row[1] == choice)


def done(*arguments: object, stdin: bytes = b"") -> Finished:
    """What a command that must succeed came to."""
    finished = run_nntag(*arguments, stdin=stdin)
    assert finished.code == 0, finished.err
    return finished
