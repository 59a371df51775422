"""Files are replaced whole or not at all, whatever ends the writing; locks end with the process that holds them."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock

from nntag.errors import UsageError
from nntag.files import hold_lock, replace_file, replace_files, replace_output

ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_replaced(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    for text in ("old", "new and longer", ""):
        with replace_file(file) as partial:
            partial.write_text(text)
            assert partial.parent == tmp_path and partial != file
        assert file.read_text() == text and names(tmp_path) == ["x.json"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError])
@pytest.mark.parametrize("shared", [False, True])
def test_a_block_that_fails_leaves_the_old_file_alone(tmp_path: Path, error: type[BaseException], shared: bool) -> None:
    file = tmp_path / "x"
    file.write_text("old")
    with pytest.raises(error), replace_file(file, shared) as partial:
        partial.write_text("half")
        raise error
    assert file.read_text() == "old" and names(tmp_path) == ["x"]


def test_a_pipe_that_the_user_names_is_written_into(tmp_path: Path) -> None:
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    with replace_output(pipe) as path:
        path.write_text("text")
    reader.join()
    assert read == ["text"] and names(tmp_path) == ["pipe"] and pipe.is_fifo()
    with pytest.raises(IsADirectoryError), replace_output(Path(".")):
        pass
    with replace_output(Path("/dev/null")) as path:
        assert path == Path("/dev/null")
    with replace_output(tmp_path / "file") as path:
        path.write_text("text")
        assert names(tmp_path) == [path.name, "pipe"]
    assert names(tmp_path) == ["file", "pipe"]


def test_errors_name_the_file_and_not_what_lies_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "gone" / "x"
    with pytest.raises(FileNotFoundError) as found, replace_file(file) as partial:
        partial.write_text("text")
    assert found.value.filename == str(file)
    (tmp_path / "folder").mkdir()
    with pytest.raises(OSError) as found, replace_file(tmp_path / "folder") as partial:
        partial.write_text("text")
    assert (found.value.filename, found.value.filename2) == (str(tmp_path / "folder"), None)
    with pytest.raises(OSError) as found, replace_file(tmp_path / "x") as partial:
        (tmp_path / "other" / "y").write_text("text")
    assert found.value.filename == str(tmp_path / "other" / "y")


WRITE_HALF = """
import os, signal, sys
from pathlib import Path
from nntag.files import replace_file
with replace_file(Path(sys.argv[1])) as partial, open(partial, "w") as file:
    file.write("half" * 10_000)
    file.flush()
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_kill_leaves_the_old_file_and_the_next_write_cleans_up(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("old")
    assert subprocess.run([sys.executable, "-c", WRITE_HALF, str(file)], env=ENVIRONMENT).returncode < 0
    assert file.read_text() == "old" and len(names(tmp_path)) == 2
    with replace_file(file) as partial:
        partial.write_text("new")
    assert file.read_text() == "new" and names(tmp_path) == ["x"]


def test_a_reader_never_sees_half_a_file(tmp_path: Path) -> None:
    file, seen, done = tmp_path / "x", set(), threading.Event()
    texts = ["a" * 100_000, "b" * 200_000]
    file.write_text(texts[0])

    def read() -> None:
        while not done.is_set():
            seen.add(file.read_text())

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(40):
        with replace_file(file) as partial, open(partial, "w") as stream:
            for _ in range(10):
                stream.write(texts[number % 2][: len(texts[number % 2]) // 10])
                stream.flush()
    done.set()
    reader.join()
    assert seen <= set(texts)


def test_several_files_take_their_places_together(tmp_path: Path) -> None:
    for name in ("a", "b", "kept"):
        (tmp_path / name).write_text("old")
    with pytest.raises(RuntimeError), replace_files(tmp_path) as partial:
        (partial / "a").write_text("half")
        raise RuntimeError
    assert (tmp_path / "a").read_text() == "old" and names(tmp_path) == ["a", "b", "kept"]
    with replace_files(tmp_path) as partial:
        for name in ("a", "b"):
            (partial / name).write_text("new")
            assert (tmp_path / name).read_text() == "old"
    assert [(tmp_path / name).read_text() for name in names(tmp_path)] == ["new", "new", "old"]


HOLDER = """
import sys
from pathlib import Path
from nntag.files import hold_lock
with hold_lock(Path(sys.argv[1])):
    print(flush=True)
    sys.stdin.readline()
"""
TAKEN = UsageError("taken")


@pytest.mark.parametrize("end", ["finish", "kill"])
def test_a_lock_ends_with_its_holder(tmp_path: Path, end: str) -> None:
    file = tmp_path / ".lock"
    command = [sys.executable, "-c", HOLDER, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT) as holder:
        assert holder.stdin and holder.stdout
        holder.stdout.readline()
        with pytest.raises(UsageError, match="taken"), hold_lock(file, TAKEN):
            pass
        if end == "kill":
            holder.kill()
    assert file.exists() == (end == "kill")
    with hold_lock(file, TAKEN) as held:
        assert held and file.exists()
    assert names(tmp_path) == []


def test_a_lock_is_waited_for(tmp_path: Path) -> None:
    file, order = tmp_path / ".lock", []

    def wait() -> None:
        with hold_lock(file):
            order.append("second")

    with hold_lock(file):
        thread = threading.Thread(target=wait)
        thread.start()
        thread.join(0.3)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"] and names(tmp_path) == []


def test_two_holders_never_meet(tmp_path: Path) -> None:
    """The file of the lock comes and goes with each holder, which must let no two in."""
    file, inside, most = tmp_path / ".lock", [], []

    def enter() -> None:
        for _ in range(15):
            with hold_lock(file):
                inside.append(0)
                most.append(len(inside))
                inside.pop()

    threads = [threading.Thread(target=enter) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1] * 60 and names(tmp_path) == []


@pytest.mark.parametrize("number", [errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EACCES])
def test_a_file_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuse(*arguments: object, **options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(FileLock, "acquire", refuse)
    if number == errno.EACCES:
        with pytest.raises(OSError, match=os.strerror(number)), hold_lock(tmp_path / ".lock", TAKEN):
            pass
    else:
        with hold_lock(tmp_path / ".lock", TAKEN) as held:
            assert not held
