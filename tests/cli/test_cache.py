"""`nntag train --contextual` and `nntag cache` on the command line."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.command_line import fails, run_nntag
from tests.encoding.contextual.tiny_encoder import make_bert
from tests.tiny_data import make_tiny_data

TINY = ("--layers", 1, "--hidden", 6, "--epochs", 1, "--set", "word_size=5", "--set", "contextual_size=6")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with a data folder and an encoder."""
    monkeypatch.chdir(tmp_path)
    make_tiny_data("tagging", Path("data/processed"))
    make_bert(Path("bert"))
    return tmp_path


def test_from_training_to_an_empty_cache(home: Path) -> None:
    done = run_nntag("train", *TINY, "--contextual", "bert", "--embed-encoder", "--out", "runs/x")
    assert done.code == 0, done.err
    assert "model.safetensors" in os.listdir("runs/x/encoder")
    tagged = run_nntag("tag", "--model", "runs/x", stdin=b"the cat sat .\n\n")
    assert tagged.code == 0 and tagged.out.count("|") == 4 and tagged.out.endswith("\n\n")
    assert run_nntag("eval", "--model", "runs/x", "--split", "dev").code == 0

    listed = run_nntag("cache")
    assert listed.out.splitlines()[0].split() == ["encoder", "and", "key", "MB", "last", "used"]
    assert [line.split("-")[0] for line in listed.out.splitlines()[1:]] == ["bert", "bert"]  # train and dev
    sets = json.loads(run_nntag("cache", "data/processed/tagging", "--json").out)["sets"]
    assert all(Path(item["file"]).stat().st_size == item["bytes"] for item in sets) and len(sets) == 2
    cleared = run_nntag("cache", "--clear")
    assert cleared.out == "" and cleared.err.startswith("nntag: removed 0.") and not Path(sets[0]["file"]).exists()
    assert "no contextual vectors are kept there" in run_nntag("cache").err


def test_errors_are_one_line(home: Path) -> None:
    assert "--contextual absent/: no such folder" in fails("train", *TINY, "--contextual", "absent/")
    assert "contextual_layers=9, but" in fails("train", *TINY, "--contextual", "bert", "--set", "contextual_layers=9")
    assert "contextual_embed needs an encoder: name one with --contextual" in fails("train", *TINY, "--embed-encoder")
    assert "--contextual is for taggers and tree models, and rm is neither" in fails(
        "train", "--model", "rm", "--contextual", "bert"
    )
