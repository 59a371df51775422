"""`nntag verify`: a damaged byte in any file of a folder of any kind is named, also where opening does not read it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from nntag.commands.train import train
from nntag.commands.verify import verify
from nntag.config.options.train import TrainOptions
from nntag.errors import RunError
from nntag.training.runs import load_run
from tests.command_line import fails, run_nntag
from tests.tagging.tiny_run import make_tiny_run
from tests.tiny_data import make_tiny_data

V010 = Path(__file__).parents[1] / "data" / "v0.1.0"
WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`data` and `run` of a tagger, `lm` and `ngram` of an n-gram model."""
    root = tmp_path_factory.mktemp("verify")
    make_tiny_run(root, epochs=1)
    data = make_tiny_data("lm", root)
    train(TrainOptions("ngram", data.path, root / "ngram"))
    return root


def flip_a_bit(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


@pytest.mark.parametrize("name", ["data", "lm", "run", "ngram"])
def test_every_byte_is_compared(folders: Path, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("manifest", "training.checkpoint", "language_models.ngram.storage"):
        monkeypatch.setattr(f"nntag.{module}.ALWAYS_READ", 0)  # as if every file were a large one
    whole = Path(shutil.copytree(folders / name, tmp_path / name))
    free = ("manifest.json", "log.jsonl", "README.md")
    files = [path for path in whole.rglob("*") if path.is_file() and path.name not in free]
    assert len(files) >= 4 and verify(whole).has_sums
    for file in files:
        saved = file.read_bytes()
        flip_a_bit(file)
        with pytest.raises(RunError) as found:
            verify(whole)
        assert str(found.value).startswith(f"{file}: ")
        file.write_bytes(saved)
    if name == "run":  # which large weights are opened without
        flip_a_bit(whole / "best" / WEIGHTS)
        load_run(whole)


def test_one_line_a_folder(folders: Path, tmp_path: Path) -> None:
    bad = Path(shutil.copytree(folders / "run", tmp_path / "bad"))
    (bad / "best" / WEIGHTS).write_bytes(b"")
    old = V010 / "runs/tagger"
    finished = run_nntag("verify", folders / "data", bad, old, V010 / "data/lm", folders / "run" / "last")
    lines = finished.out.splitlines()
    assert [line.split(": ")[0] for line in lines] == [
        str(path) for path in (folders / "data", bad, old, V010 / "data/lm", folders / "run/last")
    ]
    assert lines[0].endswith(": data folder, every file is as it was written") and ": bad: " in lines[1]
    assert "no SHA-256 sums" in lines[2] and "no SHA-256 sums" in lines[3] and ": checkpoint, every" in lines[4]
    assert finished.code == 2 and len(finished.errors) == 1
    assert finished.errors[0].startswith(f"nntag: error: 1 of 5 folders are bad; the first: {bad}/best/{WEIGHTS}: ")
    assert fails("verify", bad).startswith(f"{bad}/best/{WEIGHTS}: ")
    assert fails("verify", tmp_path) == (
        f"{tmp_path}: neither a data folder (no meta.json in it) nor a run folder (no best/config.json in it)"
    )


def test_files_that_were_not_written_with_it_are_told(folders: Path, tmp_path: Path) -> None:
    data = Path(shutil.copytree(folders / "data", tmp_path / "data"))
    (data / "notes.txt").write_text("mine")
    assert run_nntag("verify", data).out.endswith("as it was written; not written with it: notes.txt\n")


@pytest.mark.parametrize("part", ["best", "last"])
def test_missing_weights_are_told(folders: Path, tmp_path: Path, part: str) -> None:
    run = Path(shutil.copytree(folders / "run", tmp_path / "run"))
    (run / part / WEIGHTS).unlink()
    with pytest.raises(RunError, match=rf"{part}/{WEIGHTS}: missing; ") as found:
        verify(run)
    if part == "best":  # as after a kill between the two of one epoch
        assert str(found.value).endswith(f"`nntag train --resume --out {run}` writes it anew")
        train(TrainOptions(out=run, resume=True))
        assert verify(run).has_sums
