"""Data folders: complete or absent, whatever happens while they are written."""

from __future__ import annotations

import contextlib
import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from nntag.encoding import data_folder
from nntag.encoding.data_folder import create_data_folder, newest_data_folder, open_data_folder, write_meta
from nntag.errors import RunError, UsageError
from nntag.json_files import read_json, write_json
from nntag.manifest import sha256_of

DEAD_PID = 2**22 + 1  # above the highest process number of Linux


def make(path: Path, task: str = "tagging", **details: Any) -> Path:
    with create_data_folder(path) as folder:
        (folder / "train.tsv").write_text("text")
        write_meta(folder, task=task, corpus="columns", splits={"train": {}}, **details)
    return path


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "down" / "data"
    with create_data_folder(target) as folder:
        assert not target.exists()
        (folder / "train.tsv").write_text("text")
        write_meta(folder, task="tagging", corpus="columns", splits={"train": {"tokens": 3}}, tag_types=2)
    assert [entry.name for entry in target.parent.iterdir()] == ["data"]
    data = open_data_folder(target, "tagging")
    assert data.task == "tagging" and data.meta["tag_types"] == 2
    assert data.has_split("train") and not data.has_split("test")
    assert data.file("train.tsv").read_text() == "text"
    with pytest.raises(RunError, match=r"dev\.tsv: missing"):
        data.file("dev.tsv")


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, RunError])
def test_a_broken_run_leaves_nothing_and_keeps_the_old_folder(tmp_path: Path, error: type[BaseException]) -> None:
    for exists in (False, True):
        target = tmp_path / str(exists) / "data"
        if exists:
            make(target, note="old")
        with pytest.raises(error), create_data_folder(target) as folder:
            (folder / "train.tsv").write_text("half")
            raise error
        assert [entry.name for entry in target.parent.iterdir()] == (["data"] if exists else [])
    assert open_data_folder(target).meta["note"] == "old"


def test_an_older_folder_is_replaced_whole(tmp_path: Path) -> None:
    target = make(tmp_path / "data")
    make(target, note="new")
    assert open_data_folder(target).meta["note"] == "new"
    assert [entry.name for entry in tmp_path.iterdir()] == ["data"]


def test_files_that_others_have_put_there_are_not_lost(tmp_path: Path) -> None:
    target = make(tmp_path / "data")
    (target / "notes").write_text("mine")
    with pytest.raises(UsageError, match=r"data holds files that `nntag preprocess` did not write \(notes\)"):
        make(target, note="new")
    thesis = tmp_path / "thesis"
    (thesis / "raw").mkdir(parents=True)
    (thesis / "meta.json").write_text('{"title": "x"}')
    (thesis / "raw" / "train.txt").write_text("a b")
    with pytest.raises(UsageError, match=r"did not write \(raw/train.txt\)"):
        make(thesis)
    assert (target / "notes").read_text() == "mine" and (thesis / "raw" / "train.txt").read_text() == "a b"


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    make(tmp_path / "data")
    assert open_data_folder(tmp_path / "data").task == "tagging"


def test_what_is_no_data_folder_is_left_alone(tmp_path: Path) -> None:
    foreign = tmp_path / "home"
    foreign.mkdir()
    (foreign / "thesis.tex").write_text("words")
    (tmp_path / "file").write_text("words")
    for target in (foreign, tmp_path / "file", tmp_path):
        with pytest.raises(UsageError, match="exists and is not a data folder of nntag; give another --out"):
            make(target)
    assert (foreign / "thesis.tex").read_text() == (tmp_path / "file").read_text() == "words"


@pytest.mark.parametrize("name", ["file/data", "n" * 256])
def test_a_place_that_cannot_be_written_is_an_error_of_ours(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot write the data folder"):
        make(tmp_path / name)


@pytest.mark.parametrize("name", ["data", "da[t]a*?", "ü 日本"])
def test_leftovers_of_killed_runs_are_removed(tmp_path: Path, name: str) -> None:
    dead, other = tmp_path / f".{name}.partial-{DEAD_PID}", tmp_path / f".{name}.more.partial-{DEAD_PID}"
    for folder in (dead, other):  # the other belongs to the folder NAME.more
        folder.mkdir()
    make(tmp_path / name)
    assert not dead.exists() and other.exists()


WRITER = """
import sys
from pathlib import Path
from nntag.encoding.data_folder import create_data_folder, write_meta
with create_data_folder(sys.argv[1]) as folder:
    print(folder, flush=True)
    sys.stdin.readline()
    write_meta(folder, task="tagging", corpus="columns", splits={"train": {}}, note="theirs")
"""


@pytest.mark.parametrize("end", ["finish", "kill"])
def test_what_another_process_is_writing_is_left_alone_until_it_ends(tmp_path: Path, end: str) -> None:
    target = tmp_path / "data"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", WRITER, str(target)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as other:
        assert other.stdin and other.stdout
        alive = Path(other.stdout.readline().strip())
        ours = threading.Thread(target=make, args=(target,), kwargs={"note": "ours"})
        ours.start()
        ours.join(0.5)
        assert ours.is_alive() and alive.exists() and not target.exists()
        if end == "kill":
            other.kill()
            other.wait()
        else:
            other.stdin.write("\n")
            other.stdin.flush()
        ours.join(30)
    assert open_data_folder(target).meta["note"] == "ours"
    assert [entry.name for entry in tmp_path.iterdir()] == ["data"]


def test_without_locks_nothing_is_taken_for_a_leftover(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    leftover = tmp_path / f".data.partial-{DEAD_PID}"
    leftover.mkdir()
    monkeypatch.setattr(data_folder, "hold_lock", lambda path: contextlib.nullcontext(False))
    make(tmp_path / "data")
    assert leftover.exists()


def test_an_old_folder_whose_replacement_was_killed_is_put_back(tmp_path: Path) -> None:
    make(tmp_path / "data", note="old").rename(tmp_path / f".data.old-{DEAD_PID}")
    with pytest.raises(RunError), create_data_folder(tmp_path / "data"):
        raise RunError("stopped again")
    assert open_data_folder(tmp_path / "data").meta["note"] == "old"
    make(tmp_path / "other.data", note="other").rename(tmp_path / f".other.data.old-{DEAD_PID}")
    make(tmp_path / "other")
    assert open_data_folder(tmp_path / "other").meta.get("note") is None


@pytest.mark.parametrize(
    ("meta", "reason"),
    [
        (None, "not a data folder (no meta.json in it)"),
        ("", "damaged JSON"),
        ("[]", "written by another version"),
        ('{"format_version": 0, "task": "tagging", "splits": {}}', "written by another version"),
        ('{"format_version": 1, "task": "tagging"}', "written by another version"),
        (
            '{"format_version": 1, "task": "lm", "splits": {}}',
            "holds data for lm, but the model needs data for tagging",
        ),
    ],
)
def test_other_folders_are_refused(tmp_path: Path, meta: str | None, reason: str) -> None:
    if meta is not None:
        (tmp_path / "meta.json").write_text(meta)
    with pytest.raises(RunError) as error:
        open_data_folder(tmp_path, "tagging")
    assert str(error.value).startswith(str(tmp_path)) and reason in str(error.value)


def test_the_newest_folder_of_a_task(tmp_path: Path) -> None:
    for age, (name, task) in enumerate([("b", "lm"), ("a", "tagging"), ("c", "tagging")]):
        os.utime(make(tmp_path / name, task) / "meta.json", ns=(0, 10**9 * (10 - age)))
    make(tmp_path / ".a.partial-1")  # of a run that is still at it
    assert newest_data_folder("tagging", tmp_path).path == tmp_path / "a"
    assert newest_data_folder("lm", tmp_path).path == newest_data_folder(None, tmp_path).path == tmp_path / "b"
    with pytest.raises(RunError, match="no data folder for sentiment; make one with `nntag preprocess`"):
        newest_data_folder("sentiment", tmp_path)
    with pytest.raises(RunError, match="no data folder; "):
        newest_data_folder(None, tmp_path / "nowhere")


def test_json_is_readable_and_holds_every_file_name(tmp_path: Path) -> None:
    value = {"b": "é\u2028", "a": [1, None, 0.5], "file": os.fsdecode(b"caf\xe9.tsv")}
    file = tmp_path / "x.json"
    write_json(file, value)
    assert read_json(file) == value
    assert file.read_bytes().startswith('{\n "b": "é'.encode()) and file.read_bytes().endswith(b"\n}\n")
    with pytest.raises(RunError, match="gone.json: No such file"):
        read_json(tmp_path / "gone.json")


def test_checksums(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"abc" * 10**6)
    assert sha256_of(file) == hashlib.sha256(b"abc" * 10**6).hexdigest()
    os.mkfifo(tmp_path / "pipe")
    assert sha256_of(tmp_path / "pipe") is None and sha256_of("-") is None  # neither can be read a second time
