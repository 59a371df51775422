"""Sums in shared memory: those of gloo, for any number of processes, also where memory cannot be shared."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import torch

from nntag.commands.launch import free_port
from nntag.training.shared_rows import MARK, SharedRows, _open, _reserve
from tests.training.test_processes import ROOT, environment


@pytest.mark.parametrize(("count", "size"), [(2, 7), (3, 7), (4, 3), (5, 1)])
def test_every_row_becomes_the_sum(count: int, size: int) -> None:
    rows, barrier = torch.full((count, size), 99.0), threading.Barrier(count)
    found: dict[tuple[int, int], list[float]] = {}

    def work(own: int) -> None:
        shared = SharedRows(rows, own)
        for update in range(20):
            numbers = torch.arange(float(size)) + 100 * own + update
            row = shared.sum([numbers[:1], numbers[1:]], lambda: barrier.wait(60) and None)
            found[own, update] = row.tolist()
            row.zero_()

    threads = [threading.Thread(target=work, args=(own,)) for own in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for (_, update), row in found.items():
        assert row == [sum(place + 100 * own + update for own in range(count)) for place in range(size)]
    assert len(found) == 20 * count


@pytest.mark.parametrize("way", ["shared", "alone"])
@pytest.mark.parametrize("count", [2, 3])
def test_processes_sum_their_gradients(way: str, count: int) -> None:
    port, command = (
        free_port(),
        [sys.executable, "-m", "tests.training.summing", *(["alone"] if way == "alone" else [])],
    )
    started = [
        subprocess.Popen(
            command, env=environment(rank, count, port), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
        )
        for rank in range(count)
    ]
    for process in started:
        out, err = process.communicate(timeout=300)
        assert process.returncode == 0, err.decode()
        result = json.loads(out)
        weight = int("1" * count)
        for update, sums in enumerate(result["found"]):
            assert sums["a"] == [[weight * n for n in range(3)], [weight * n for n in range(3, 6)]]
            assert sums["b"] == [update] * 5  # of one process alone
            assert sums["none"] is None
        assert result["shared"] == [way == "shared" and sys.platform == "linux"]


@pytest.mark.skipif(sys.platform != "linux", reason="memory without a name is Linux's")
def test_other_memory_is_left_alone(tmp_path: Path) -> None:
    handle = _reserve(100)
    assert handle is not None
    path = f"/proc/self/fd/{handle}"
    assert _open(path, 100, bytes(MARK)) is not None
    assert _open(path, 100, b"x" * MARK) is None  # another host's, whose path means something else here
    assert _open(path, 99, bytes(MARK)) is None
    assert _open(str(tmp_path / "missing"), 100, bytes(MARK)) is None and not list(tmp_path.iterdir())
