"""`nntag tag --engine ray` with two workers, one of which is killed; skipped where Ray is not installed."""

from __future__ import annotations

import os
import random
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from nntag.cli import main
from nntag.config.options.use import TagOptions
from tests.integrations.test_job import TEXT, output, tagged
from tests.tagging.tiny_run import make_tiny_run

ray = pytest.importorskip("ray", reason="ray is not installed")

from nntag.integrations.cluster import start_ray  # noqa: E402
from nntag.integrations.ray import AddColumn  # noqa: E402


def find_workers() -> list[int]:
    """The processes that Ray works in, below this one."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            if folder.name.isdigit() and b"MapWorker" in (folder / "cmdline").read_bytes():
                found.append(int(folder.name))
        except OSError:
            continue
    return found


def kill_one_at_work(folder: Path, killed: list[int]) -> None:
    deadline = time.monotonic() + 300
    while not list(folder.rglob("part-*")) and time.monotonic() < deadline:
        time.sleep(0.02)
    if workers := find_workers():
        killed.append(random.choice(workers))
        os.kill(killed[0], signal.SIGKILL)


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="finds the workers below /proc")
def test_tag_on_ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """One session of Ray for all: a job whose worker is killed, the same again, and the callable class."""
    run = make_tiny_run(tmp_path, epochs=1)
    (tmp_path / "x.txt").write_text(TEXT * 20)
    arguments = ["tag", "--model", str(run), "--engine", "ray", "--workers", "2", "--part-mb", "0.002"]
    arguments += ["--output", str(tmp_path / "out"), str(tmp_path / "x.txt")]
    monkeypatch.setenv("RAY_worker_niceness", "0")
    with start_ray(2):
        killed: list[int] = []
        killer = threading.Thread(target=kill_one_at_work, args=(tmp_path / "out", killed), daemon=True)
        killer.start()
        assert run_command(monkeypatch, arguments) == 0
        assert output(tmp_path, "x.txt") == tagged(run, tmp_path / "x.txt")
        assert killed and "sentences in" in capfd.readouterr().err
        assert run_command(monkeypatch, arguments) == 0
        assert "0 of them now" in capfd.readouterr().err
        texts = ["the dog", "a cat", ""] * 5
        rows = ray.data.from_items([{"id": number, "text": text} for number, text in enumerate(texts)])
        mapped = rows.map_batches(AddColumn, fn_constructor_args=(TagOptions(model=run),), concurrency=1)
        found = {row["id"]: row["tagged"] for row in mapped.take_all()}
        (tmp_path / "y.txt").write_text("\n".join(texts) + "\n")
        assert [found[number] for number in range(15)] == tagged(run, tmp_path / "y.txt").decode().split("\n")[:-1]


def run_command(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> int:
    monkeypatch.setattr(sys, "argv", ["nntag", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)
