"""Loading an encoder: what it is, what is refused, and that each refusal is one clear line."""

from __future__ import annotations

import builtins
import json
import os
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from nntag.config.contextual import ContextualInput
from nntag.encoding.contextual.encoder import load_encoder, use_bfloat16
from nntag.encoding.contextual.files import copy_files, encoder_files, find_encoder, hash_files
from nntag.errors import NntagError, RunError, UsageError
from tests.encoding.contextual.tiny_encoder import make_bert

CPU = torch.device("cpu")


@pytest.fixture
def bert(tmp_path: Path) -> Path:
    return make_bert(tmp_path / "bert")


def load(folder: Path) -> Any:
    return load_encoder(folder, ContextualInput(contextual=str(folder)), CPU)


def test_the_hash_is_of_configuration_tokenizer_and_weights(bert: Path, tmp_path: Path) -> None:
    first = hash_files(encoder_files(bert))
    (bert / "README.md").write_text("no part of the encoder")
    (bert / "pytorch_model.bin").write_bytes(b"never read")
    assert hash_files(encoder_files(bert)) == first
    copy_files(encoder_files(bert), tmp_path / "copy")
    assert hash_files(encoder_files(tmp_path / "copy")) == first
    assert sorted(os.listdir(tmp_path / "copy")) == [path.name for path in encoder_files(bert)]
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        before = (bert / name).read_bytes()
        (bert / name).write_bytes(before + b" ")
        assert hash_files(encoder_files(bert)) != first, name
        (bert / name).write_bytes(before)


def test_a_loaded_encoder_is_frozen_and_in_evaluation_mode(bert: Path) -> None:
    encoder = load(bert)
    assert not encoder.training
    assert not any(parameter.requires_grad for parameter in encoder.parameters())


def test_gradients_reach_every_layer_of_an_encoder_that_is_tuned(bert: Path) -> None:
    encoder = load(bert).requires_grad_(True)
    encoder(encoder.windows([["the", "cats"], ["on"] * 30]), 32).pow(2).sum().backward()
    without = {name for name, parameter in encoder.named_parameters() if parameter.grad is None}
    assert without == {"model.pooler.dense.weight", "model.pooler.dense.bias"}


@pytest.mark.parametrize(
    ("remove", "reason"),
    [
        ("config.json", "no encoder (no config.json in it)"),
        ("model.safetensors", "no weights in safetensors format"),
        ("tokenizer*", "cannot load the tokenizer|no tokenizer"),
    ],
)
def test_what_is_missing_is_named(bert: Path, remove: str, reason: str) -> None:
    (bert / "vocab.txt").unlink()
    for path in bert.glob(remove):
        path.unlink()
    with pytest.raises(RunError) as caught:
        load(bert)
    assert any(part in str(caught.value) for part in reason.split("|")) and "\n" not in str(caught.value)


def test_damaged_files_are_one_line(bert: Path) -> None:
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        whole = (bert / name).read_bytes()
        (bert / name).write_bytes(whole[: len(whole) // 2])
        with pytest.raises(RunError) as caught:
            load(bert)
        assert str(caught.value).startswith(f"{bert}: ") and "\n" not in str(caught.value)
        (bert / name).write_bytes(whole)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
@pytest.mark.parametrize("name", ["model.safetensors", "model.safetensors.index.json"])
def test_a_pipe_in_place_of_weights_is_not_waited_for(bert: Path, name: str) -> None:
    (bert / name).unlink(missing_ok=True)
    (bert / "other.safetensors").touch()
    os.mkfifo(bert / name)
    with pytest.raises(RunError, match=f"{name}: not an ordinary file"):
        encoder_files(bert)


def test_missing_weights_are_not_drawn_at_random(bert: Path) -> None:
    weights = load_file(bert / "model.safetensors")
    del weights["encoder.layer.1.output.dense.weight"]
    save_file(weights, bert / "model.safetensors", {"format": "pt"})
    with pytest.raises(RunError, match="encoder.layer.1.output.dense.weight is missing"):
        load(bert)


def test_a_pooler_is_not_needed(bert: Path) -> None:
    weights = {name: value for name, value in load_file(bert / "model.safetensors").items() if "pooler" not in name}
    save_file(weights, bert / "model.safetensors", {"format": "pt"})
    assert load(bert).size == 8


def test_code_in_the_folder_is_never_run(bert: Path, tmp_path: Path) -> None:
    config = json.loads((bert / "config.json").read_text())
    config["auto_map"] = {"AutoConfig": "own.Config", "AutoModel": "own.Model"}
    config["model_type"] = "own"
    (bert / "config.json").write_text(json.dumps(config))
    ran = tmp_path / "ran"
    (bert / "own.py").write_text(f"open({str(ran)!r}, 'w')\n")
    with pytest.raises(RunError):
        load(bert)
    assert not ran.exists()


def test_an_encoder_in_a_folder_needs_no_network(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbid(*arguments: object, **named: object) -> None:
        raise AssertionError("a socket was opened")

    for owner, name in ((socket.socket, "__init__"), (socket, "create_connection"), (socket, "getaddrinfo")):
        monkeypatch.setattr(owner, name, forbid)
    encoder = load(find_encoder(str(bert)))
    assert len(encoder.windows([["the", "cats"]])) == 1


def test_an_absent_folder_is_a_usage_error(tmp_path: Path) -> None:
    for name in (str(tmp_path / "absent"), "./absent", "a/b/c"):
        with pytest.raises(UsageError, match="no such folder"):
            find_encoder(name)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="no such folder"):
        find_encoder(str(tmp_path / "file"))


def test_a_name_that_the_hub_does_not_give_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    hub = pytest.importorskip("huggingface_hub")

    def refuse(name: str, allow_patterns: list[str]) -> str:
        assert not any(pattern.endswith((".py", ".bin")) for pattern in allow_patterns)
        raise ValueError("offline\nsecond line")

    monkeypatch.setattr(hub, "snapshot_download", refuse)
    with pytest.raises(UsageError) as caught:
        find_encoder("some/encoder")
    assert str(caught.value).endswith("the Hugging Face hub does not give it: offline")


def test_a_missing_package_says_how_to_get_it(bert: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **more: Any) -> Any:
        if name == "transformers":
            raise ImportError("No module named 'transformers'")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(UsageError, match=r"pip install 'nntag\[transformers\]'"):
        load(bert)


def test_the_precision_asked_for_is_used() -> None:
    assert use_bfloat16(ContextualInput(contextual_precision="bfloat16"), CPU)
    assert not use_bfloat16(ContextualInput(contextual_precision="float32"), CPU)
    assert isinstance(use_bfloat16(ContextualInput(), CPU), bool)


def test_windows_without_room_for_words_are_refused(bert: Path) -> None:
    with pytest.raises(NntagError, match="windows of 3 word pieces leave no room"):
        load_encoder(bert, ContextualInput(contextual=str(bert), contextual_longest=3), CPU)


@pytest.mark.gpu
def test_a_gpu_gives_the_same_vectors(bert: Path) -> None:
    settings = ContextualInput(contextual=str(bert), contextual_precision="float32")
    found = []
    for device in ("cpu", "cuda"):
        encoder = load_encoder(bert, settings, torch.device(device))
        with torch.no_grad():
            found.append(encoder(encoder.windows([["the", "cats"], ["on"] * 30]), 32).cpu().numpy())
    np.testing.assert_allclose(found[0], found[1], atol=1e-4)
