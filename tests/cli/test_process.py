"""The command line as a process among others: pipes, signals, locales, closed and full outputs."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from tests.command_line import fails, run_nntag
from tests.tagging.tiny_run import make_tiny_run
from tests.training.test_trainer import contents

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("process")
    make_tiny_run(folder)
    return folder


def start(*arguments: object, cwd: Path, **options: Any) -> subprocess.Popen[bytes]:
    """A running `python -m nntag`; all three streams are pipes where nothing else is said."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **options.pop("env", {})}
    streams = {name: options.pop(name, subprocess.PIPE) for name in ("stdin", "stdout", "stderr")}
    command = [sys.executable, "-m", "nntag", *map(str, arguments)]
    return subprocess.Popen(command, cwd=cwd, env=environment, **streams, **options)


def finish(*arguments: object, cwd: Path, data: bytes = b"", **options: Any) -> tuple[int, bytes, bytes]:
    process = start(*arguments, cwd=cwd, **options)
    out, err = process.communicate(data, timeout=120)
    assert b"Traceback" not in (err or b""), err
    return process.returncode, out, err


def lines_of(stream: IO[bytes], count: int) -> list[bytes]:
    return [stream.readline() for _ in range(count)]


@pytest.fixture
def tagging(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A tagger that has answered its first line and waits for more."""
    process = start("tag", "--model", "run", cwd=home)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(b"the dog ends\n")
    process.stdin.flush()
    assert lines_of(process.stdout, 1) == [b"the|DT dog|NN ends|VB\n"]
    yield process
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        assert stream is not None
        with contextlib.suppress(BrokenPipeError):
            stream.close()


def test_lines_are_answered_as_they_come_and_ctrl_c_ends_with_130(tagging: subprocess.Popen[bytes]) -> None:
    assert tagging.stdin is not None and tagging.stdout is not None and tagging.stderr is not None
    for line, answer in ((b"\n", b"\n"), (b"Bob run now\n", b"Bob|NP run|VB now|RB\n")):
        tagging.stdin.write(line)
        tagging.stdin.flush()
        assert lines_of(tagging.stdout, 1) == [answer]
    tagging.send_signal(signal.SIGINT)
    assert tagging.wait(30) == 130
    assert tagging.stdout.read() == b"" and tagging.stderr.read() == b"nntag: interrupted\n"


def test_a_named_pipe_is_answered_as_lines_come(home: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    process = start("tag", pipe, "--model", "run", cwd=home)
    assert process.stdout is not None
    with pipe.open("wb", buffering=0) as writer:
        for line, tagged in ((b"the dog ends\n", b"the|DT dog|NN ends|VB\n"), (b"\n", b"\n")):
            writer.write(line)
            assert process.stdout.readline() == tagged
    assert process.communicate(timeout=120) == (b"", b"")


def test_a_reader_that_leaves_ends_the_tagger_quietly(tagging: subprocess.Popen[bytes]) -> None:
    assert tagging.stdin is not None and tagging.stdout is not None and tagging.stderr is not None
    tagging.stdout.close()
    with contextlib.suppress(BrokenPipeError):
        for _ in range(200):
            tagging.stdin.write(b"the dog ends\n" * 100)
            tagging.stdin.flush()
        tagging.stdin.close()
    assert tagging.wait(60) == 0
    assert tagging.stderr.read() == b""


def test_utf_8_whatever_the_locale_says(home: Path) -> None:
    env = {"LC_ALL": "C", "LANG": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "NO_COLOR": "1"}
    code, out, err = finish("tag", "--model", "run", cwd=home, data="the é\u2028\n".encode(), env=env)
    assert code == 0 and err == b""
    assert [pair.rpartition("|")[0] for pair in out.decode("utf-8").removesuffix("\n").split(" ")] == ["the", "é\u2028"]


@pytest.mark.parametrize("closed", [(0, 2), (1,)], ids=["stdin and stderr", "stdout"])
def test_closed_standard_streams(home: Path, closed: tuple[int, ...]) -> None:
    (home / "in.txt").write_bytes(b"the dog ends\n")

    def close() -> None:
        for descriptor in closed:
            os.close(descriptor)

    code, out, err = finish("tag", "--model", "run", "in.txt", cwd=home, preexec_fn=close)
    assert code == 0 and err == b""
    assert out == (b"" if 1 in closed else b"the|DT dog|NN ends|VB\n")


@pytest.mark.parametrize("command", [("tag", "--model", "run", "in.txt"), ("--help",)], ids=" ".join)
def test_a_full_disk_under_stdout_is_an_error(home: Path, command: tuple[str, ...]) -> None:
    (home / "in.txt").write_bytes(b"the dog ends\n")
    with open("/dev/full", "wb") as full:
        code, _, err = finish(*command, cwd=home, stdout=full)
    assert code == 2 and err.startswith(b"nntag: error: ") and b"No space left on device" in err
    assert err.count(b"\n") == 1


def test_training_interrupted_and_killed_goes_on_to_the_same_end(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C, then kill -9, then to the end: the run is the one that was never stopped."""
    monkeypatch.chdir(home)
    arguments = ["train", "--data", "data", "--layers", 1, "--hidden", 4, "--batch-size", 1, "--epochs", 12]
    arguments += ["--set", "patience=0", "--out"]
    assert run_nntag(*arguments, "straight").code == 0

    def wait_for_epoch(process: subprocess.Popen[bytes], number: int) -> None:
        log = home / "stopped" / "log.jsonl"
        while not log.exists() or log.read_bytes().count(b"\n") < number:
            assert process.poll() is None, process.stderr and process.stderr.read()
            time.sleep(0.002)

    process = start(*arguments, "stopped", cwd=home)
    wait_for_epoch(process, 2)
    assert "stopped" in fails(*arguments, "stopped")  # a second process has no business there
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1].endswith(b"nntag: interrupted\n") and process.returncode == 130
    epochs = len((home / "stopped" / "log.jsonl").read_text().splitlines())
    process = start("train", "--resume", "--out", "stopped", cwd=home)
    wait_for_epoch(process, epochs + 2)
    process.kill()
    process.communicate()
    assert run_nntag("train", "--resume", "--out", "stopped").code == 0
    assert contents(home / "stopped") == contents(home / "straight")
    assert not list((home / "stopped").rglob("*.partial"))
