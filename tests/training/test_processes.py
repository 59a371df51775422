"""Two processes train what one does: the same losses, scores and weights, whatever their shares of a batch."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from nntag.commands.launch import PARENT, free_port
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.errors import UsageError
from nntag.training.checkpoint import read_checkpoint
from tests.tiny_data import make_tiny_data

ROOT = Path(__file__).parents[2]
SIZE = 21  # of which batches of four leave one over: a share of nothing for the second process
STILL = {"dropout": 0.0, "batch_size": 4, "epochs": 2, "patience": 0}  # nothing that is drawn
QUIET_TAGGER = {"input.dropout": 0, "word_dropout": 0, "form_dropout": 0, "hidden": 4, "word_size": 6}
KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "tagging": ("skip-gated", QUIET_TAGGER),
    "lm": ("rm", {"hidden": 4, "input_dropout": 0, "output_dropout": 0, "softmax": "adaptive"}),  # sparse gradients
    "sentiment": ("tree-lstm", {"hidden": 4, "word_size": 5, "input.dropout": 0, "tune_vectors": True}),  # its own step
}


def environment(rank: int, count: int, port: int) -> dict[str, str]:
    own = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": count, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port}
    return {**os.environ, **{name: str(value) for name, value in own.items()}, "PYTHONPATH": str(ROOT)}


def train_jointly(requests: list[dict[str, Any]], folder: Path, count: int = 2) -> None:
    """In `count` processes, as torchrun would start them."""
    (folder / "requests.json").write_text(json.dumps(requests))
    command, port = [sys.executable, "-m", "tests.training.joined", str(folder / "requests.json")], free_port()
    started = [
        subprocess.Popen(command, env=environment(rank, count, port), stderr=subprocess.PIPE, cwd=ROOT)
        for rank in range(count)
    ]
    for process in started:
        _, err = process.communicate(timeout=900)
        assert process.returncode == 0, err.decode()


def assert_alike(run: Path, other: Path) -> None:
    """The same log and weights, but for rounding and the clock."""
    logs = [[json.loads(line) for line in (each / "log.jsonl").read_text().splitlines()] for each in (run, other)]
    for entry, expected in zip(*logs, strict=True):
        assert entry.keys() == expected.keys()
        for name in entry:
            if name != "seconds" and not name.endswith("per_second"):
                assert entry[name] == pytest.approx(expected[name], rel=1e-4), name
    found, wanted = (read_checkpoint(each / "last" / "model.safetensors").weights for each in (run, other))
    for name, value in wanted.items():
        torch.testing.assert_close(found[name], value, rtol=1e-3, atol=1e-5)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For each task: TASK-one and TASK-two; TASK-grown, begun by one process; TASK-shrunk, begun by two."""
    folder = tmp_path_factory.mktemp("processes")
    requests = []
    for task, (model, values) in KINDS.items():
        data = str(make_tiny_data(task, folder, SIZE).path)
        common = {"model": model, "data": data, "settings": {**STILL, **values}}
        first = {**common, "settings": common["settings"] | {"epochs": 1}}
        train(TrainOptions(**common, out=folder / f"{task}-one"))
        train(TrainOptions(**first, out=folder / f"{task}-grown"))
        requests += [
            {**common, "out": str(folder / f"{task}-two")},
            {**first, "out": str(folder / f"{task}-shrunk")},
            {"out": str(folder / f"{task}-grown"), "resume": True, "epochs": 2},
        ]
    train_jointly(requests, folder)
    for task in KINDS:
        train(TrainOptions(out=folder / f"{task}-shrunk", resume=True, epochs=2))
    return folder


@pytest.mark.parametrize("task", KINDS)
@pytest.mark.parametrize("way", ["two", "grown", "shrunk"])
def test_two_processes_train_what_one_does(runs: Path, task: str, way: str) -> None:
    assert_alike(runs / f"{task}-{way}", runs / f"{task}-one")
    assert not list(runs.rglob("*.partial"))


def launch(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "nntag", "train", "--processes", "2", *arguments]
    return subprocess.Popen(
        command, cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, text=True
    )


def children_of(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in found]


def wait_for_epoch(run: Path, process: subprocess.Popen[str]) -> None:
    while not (run / "log.jsonl").exists() or not (run / "log.jsonl").read_text():
        assert process.poll() is None, process.stderr and process.stderr.read()
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="looks at /proc")
@pytest.mark.parametrize("way", ["ctrl-c", "a process dies"])
def test_nothing_is_left_over(runs: Path, way: str) -> None:
    run = runs / way.replace(" ", "-")
    values = ("--model", "lstm-lm", "--hidden", "4", "--epochs", "99999", "--set", "patience=0", "--out", str(run))
    process = launch(runs, "--data", str(runs / "lm"), *values)
    wait_for_epoch(run, process)
    children = children_of(process.pid)
    assert len(children) == 2
    if way == "ctrl-c":
        process.send_signal(signal.SIGINT)
    else:
        os.kill(children[1], signal.SIGKILL)
    _, err = process.communicate(timeout=600)
    assert "Traceback" not in err
    if way == "ctrl-c":
        assert process.returncode == 130 and err.endswith("nntag: interrupted\n")
        assert f"continue with: nntag train --resume --out {run} --processes 2\n" in err
    else:
        assert process.returncode == 2 and "nntag: process 2 ended by signal 9" in err
        assert "another process of this training has ended; continue from the last checkpoint with --resume" in err
    deadline = time.monotonic() + 20
    while any(map(is_alive, children)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, children))
    train(TrainOptions(out=run, resume=True, epochs=1))


def test_what_cannot_be_done_by_several(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--processes is a flag of the command line; from Python, start your script"):
        train(TrainOptions(processes=2))
    assert PARENT not in os.environ
