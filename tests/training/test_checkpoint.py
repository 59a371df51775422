"""Checkpoints: written whole or not at all, read back as they were, damage and pickles refused."""

from __future__ import annotations

import os
import pickle
import resource
import tracemalloc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import nn

from nntag.config.training import TrainConfig
from nntag.errors import RunError
from nntag.training.checkpoint import (
    checkpoint_path,
    flatten_optimiser,
    read_checkpoint,
    read_identity,
    restore_optimiser,
    write_checkpoint,
    write_identity,
)
from nntag.training.optimisers import build_optimiser
from nntag.training.tensor_files import read_header

WEIGHTS = {"a": torch.arange(6.0).view(2, 3), "b.c": torch.tensor([True, False])}
STATE = {"epoch": 3, "best_score": 0.1 + 0.2, "log": [{"loss": 1e-300}], "note": "é"}


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """No file may grow beyond `size` bytes, as on a full disk."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)


def same(found: dict, expected: dict) -> bool:
    return found.keys() == expected.keys() and all(torch.equal(found[name], expected[name]) for name in expected)


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    extra = {"training/a": torch.ones(1), "optimiser/0/step": torch.tensor(3.0)}
    turned = {**WEIGHTS, "a": WEIGHTS["a"].T}  # not contiguous
    write_checkpoint(tmp_path / "deep" / "last", turned, STATE, extra)
    found = read_checkpoint(tmp_path / "deep" / "last" / "model.safetensors")
    assert same(dict(found.weights), turned) and same(dict(found.extra), extra)
    assert found.state == STATE
    assert [file.name for file in (tmp_path / "deep" / "last").iterdir()] == ["model.safetensors"]


def test_the_same_state_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("x", "y"):
        write_checkpoint(tmp_path / name, WEIGHTS, STATE)
    assert (tmp_path / "x/model.safetensors").read_bytes() == (tmp_path / "y/model.safetensors").read_bytes()


def test_another_library_reads_every_kind_of_tensor(tmp_path: Path) -> None:
    kinds = (torch.bool, torch.uint8, torch.int64, torch.float32, torch.float64, torch.bfloat16, torch.float16)
    tensors = {str(kind): torch.arange(number + 1).to(kind) for number, kind in enumerate(kinds)}
    tensors |= {"scalar": torch.tensor(2.5), "none": torch.empty(0, 3), "turned": torch.arange(6.0).view(2, 3).T}
    write_checkpoint(tmp_path, tensors, STATE)
    found = load_file(tmp_path / "model.safetensors")
    assert same(found, tensors) and all(found[name].dtype == tensors[name].dtype for name in tensors)
    for name, entry in read_header(tmp_path / "model.safetensors").tensors.items():
        assert entry.begin % tensors[name].element_size() == 0, name


def test_writing_copies_nothing(tmp_path: Path) -> None:
    weights = {"table": torch.ones(1 << 20), "other": torch.ones(1 << 20)}
    tracemalloc.start()
    write_checkpoint(tmp_path, weights, STATE)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 1 << 20 < (tmp_path / "model.safetensors").stat().st_size / 8


def test_a_full_disk_leaves_the_older_checkpoint(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, WEIGHTS, STATE)
    with largest_file(200), pytest.raises(RunError, match="cannot write the checkpoint: File too large; an older one"):
        write_checkpoint(tmp_path, {"big": torch.ones(1000)}, {})
    assert same(dict(read_checkpoint(tmp_path / "model.safetensors").weights), WEIGHTS)
    assert [file.name for file in tmp_path.iterdir()] == ["model.safetensors"]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="cannot write the checkpoint"):
        write_checkpoint(tmp_path / "file" / "last", WEIGHTS, {})
    with pytest.raises(RunError, match="cannot write the run folder"):
        write_identity(tmp_path / "file" / "last", {"settings": {}}, {})


class Bomb:
    """Unpickling it leaves a trace."""

    def __init__(self, trace: Path):
        self.trace = trace

    def __reduce__(self) -> tuple:
        return os.mkdir, (str(self.trace),)


@pytest.mark.parametrize("kind", ["pickle", "torch", "empty", "text", "cut", "state is no JSON", "state is a list"])
def test_other_files_are_refused_and_never_unpickled(tmp_path: Path, kind: str) -> None:
    file, trace = tmp_path / "model.safetensors", tmp_path / "trace"
    write_checkpoint(tmp_path, WEIGHTS, STATE)
    whole = file.read_bytes()
    if kind == "pickle":
        file.write_bytes(pickle.dumps(Bomb(trace)))
    elif kind == "torch":
        torch.save({"a": torch.ones(1), "b": Bomb(trace)}, file)
    elif kind.startswith("state"):
        save_file(WEIGHTS, file, metadata={"state": "[1]" if kind == "state is a list" else "{"})
    else:
        file.write_bytes({"empty": b"", "text": b"weights\n", "cut": whole[:-1]}[kind])
    with pytest.raises(RunError, match=f"^{file}: not a weights file in safetensors format, or damaged"):
        read_checkpoint(file)
    assert not trace.exists()


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="model.safetensors: no such file"):
        read_checkpoint(tmp_path / "model.safetensors")
    with pytest.raises(RunError, match="config.json: No such file"):
        read_identity(tmp_path)


def test_identities_come_back_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    config, vocabularies = {"settings": {"name": "x"}, "data": os.fsdecode(b"caf\xe9")}, {"words": ["é", "\u2028"]}
    write_identity(tmp_path, config, vocabularies)
    assert read_identity(tmp_path) == (config, vocabularies)
    for file, content in (("config.json", "[]"), ("config.json", "{}"), ("vocab.json", "[]"), ("vocab.json", "{")):
        write_identity(tmp_path, config, vocabularies)
        (tmp_path / file).write_text(content)
        with pytest.raises(RunError, match=file):
            read_identity(tmp_path)


def test_what_a_path_may_mean(tmp_path: Path) -> None:
    for kind in ("best", "last"):
        write_checkpoint(tmp_path / "run" / kind, WEIGHTS, {})
    best, last = (tmp_path / "run" / kind / "model.safetensors" for kind in ("best", "last"))
    assert (
        checkpoint_path(tmp_path / "run") == checkpoint_path(tmp_path / "run" / "best") == checkpoint_path(best) == best
    )
    assert checkpoint_path(str(tmp_path / "run" / "last")) == checkpoint_path(last) == last
    best.unlink()
    assert checkpoint_path(tmp_path / "run") == last
    with pytest.raises(RunError, match="not a run folder"):
        checkpoint_path(tmp_path)
    with pytest.raises(RunError, match="no such run folder or weights file"):
        checkpoint_path(tmp_path / "gone")


@pytest.mark.parametrize("name", ["sgd", "adam", "adagrad"])
def test_an_optimiser_goes_on_where_it_stood(name: str, tmp_path: Path) -> None:
    config = TrainConfig(optimiser=name, lr=0.1)

    def step(model: nn.Module, optimiser: torch.optim.Optimizer, number: int) -> None:
        optimiser.zero_grad()
        (model(torch.full((1, 3), float(number))) ** 2).sum().backward()
        optimiser.step()

    torch.manual_seed(1)
    model = nn.Linear(3, 2)
    optimiser = build_optimiser(model.parameters(), config)
    for number in (1, 2):
        step(model, optimiser, number)
    other = nn.Linear(3, 2)
    other.load_state_dict(model.state_dict())
    resumed = build_optimiser(other.parameters(), config)
    write_checkpoint(tmp_path, {}, {}, flatten_optimiser(optimiser))
    restore_optimiser(resumed, read_checkpoint(tmp_path / "model.safetensors").extra)
    for number in (3, 4):
        step(model, optimiser, number)
        step(other, resumed, number)
    assert same(dict(model.state_dict()), dict(other.state_dict()))
    assert same(flatten_optimiser(optimiser), flatten_optimiser(resumed))
