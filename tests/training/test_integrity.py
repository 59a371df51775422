"""What a run folder is compared with when it is opened: seals, the run that files belong to, sizes, finite weights."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from nntag.errors import RunError
from nntag.training.checkpoint import read_checkpoint, write_checkpoint
from nntag.training.runs import load_run
from tests.tagging.tiny_run import make_tiny_run

WEIGHTS = "model.safetensors"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_tiny_run(tmp_path_factory.mktemp("integrity"), epochs=2)


@pytest.fixture
def run(trained: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained, tmp_path / "run"))


def fault(path: Path) -> str:
    started = time.process_time()
    with pytest.raises(RunError) as found:
        load_run(path)
    assert time.process_time() - started < 2 and len(str(found.value)) <= 500
    return str(found.value)


def unseal(run: Path, **settings: object) -> dict[str, torch.Tensor]:
    """Makes the best checkpoint one without seals, as version 0.1.0 wrote it, its model settings changed."""
    config = json.loads((run / "best/config.json").read_text())
    del config["sha256"], config["files"]
    config["settings"]["model"].update(settings)
    (run / "best/config.json").write_text(json.dumps(config))
    tensors = load_file(run / "best" / WEIGHTS)
    save_file(tensors, run / "best" / WEIGHTS)
    return tensors


@pytest.mark.parametrize("file", [WEIGHTS, "config.json", "vocab.json"])
@pytest.mark.parametrize("place", [0.02, 0.4, 0.7, 0.999])
def test_a_flipped_bit_is_named(run: Path, file: str, place: float) -> None:
    path = run / "best" / file
    data = bytearray(path.read_bytes())
    data[int(place * len(data))] ^= 1
    path.write_bytes(data)
    assert fault(run).startswith(f"{path}: ")


@pytest.mark.parametrize("file", [WEIGHTS, "config.json", "vocab.json"])
def test_a_truncated_file_is_named(run: Path, file: str) -> None:
    path = run / "best" / file
    path.write_bytes(path.read_bytes()[:-7])
    assert fault(run).startswith(f"{path}: ")


def test_an_edited_setting_is_named(run: Path) -> None:
    path = run / "best/config.json"
    path.write_text(path.read_text().replace('"layers": 1', '"layers": 2'))
    assert fault(run) == f"{path}: damaged, or changed since it was written (its SHA-256 is another one)"


def test_files_of_another_run_or_part_are_named(run: Path, tmp_path: Path) -> None:
    shutil.copy(run / "last" / WEIGHTS, run / "best" / WEIGHTS)
    assert "belongs into last, not into best" in fault(run)
    other = make_tiny_run(tmp_path / "other", epochs=1, seed=5)
    shutil.copy(other / "best" / WEIGHTS, run / "best" / WEIGHTS)
    assert "belongs to another run than the config.json beside it" in fault(run)


def test_a_folder_without_seals_opens(run: Path) -> None:
    unseal(run)
    assert load_run(run).model is not None


@pytest.mark.parametrize("settings", [{"layers": 10**9}, {"hidden": 10**9}, {"layers": 900, "hidden": 50_000}])
def test_settings_that_ask_for_more_than_the_file_holds(run: Path, settings: dict[str, int]) -> None:
    unseal(run, **settings)
    assert "must be at most" in fault(run) or "do not fit the settings beside them, which ask for more" in fault(run)


def test_one_tensor_of_another_size_is_named(run: Path) -> None:
    unseal(run, hidden=11)
    assert "must be F32[" in fault(run) and ", found F32[" in fault(run)


@pytest.mark.parametrize("damage", ["nan", "inf", "type", "missing", "extra"])
def test_weights_that_no_training_leaves(run: Path, damage: str) -> None:
    tensors = unseal(run)
    name = next(name for name, value in tensors.items() if value.dim() > 1)
    if damage in ("nan", "inf"):
        tensors[name][0, 0] = float(damage)
    elif damage == "type":
        tensors[name] = tensors[name].half()
    elif damage == "extra":
        tensors["more"] = torch.ones(1)
    else:
        del tensors[name]
    save_file(tensors, run / "best" / WEIGHTS)
    assert ("more" if damage == "extra" else name) in fault(run)


def test_large_files_are_compared_when_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nntag.training.checkpoint.ALWAYS_READ", 100)
    write_checkpoint(tmp_path, {"a": torch.zeros(1000)}, {"epoch": 1})
    path = tmp_path / WEIGHTS
    data = bytearray(path.read_bytes())
    data[-1] ^= 1
    path.write_bytes(data)
    assert read_checkpoint(path).state == {"epoch": 1}
    with pytest.raises(RunError, match="damaged, or changed since it was written"):
        read_checkpoint(path, thorough=True)
