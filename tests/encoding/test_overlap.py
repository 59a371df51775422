"""Sentences that training and held-out splits share, counted in every task's preprocessing and told of."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from nntag.encoding.overlap import SentenceHashes
from tests.command_line import run_nntag

WORDS = [f"w{number}" for number in range(60)]


def sentences(count: int, seed: int) -> list[list[str]]:
    rng = random.Random(seed)
    return [rng.choices(WORDS, k=rng.randint(4, 9)) for _ in range(count)]


def test_hashes_count_like_sets() -> None:
    train, dev = sentences(400, 1), sentences(40, 2) + sentences(400, 1)[:17]
    expected = sum(sentence in train for sentence in dev)
    assert SentenceHashes(dev).count_known(SentenceHashes(train)) == expected >= 17
    assert SentenceHashes().count_known(SentenceHashes(train)) == 0 == SentenceHashes(dev).count_known(SentenceHashes())
    assert SentenceHashes([["a b"]]).count_known(SentenceHashes([["a", "b"]])) == 0


def write(format: str, path: Path, chosen: list[list[str]]) -> Path:
    tag = {word: f"T{number % 3}" for number, word in enumerate(WORDS)}
    if format == "text":
        lines = [" ".join(tokens) for tokens in chosen]
    elif format == "columns":
        lines = [line for tokens in chosen for line in [*(f"{word}\t{tag[word]}" for word in tokens), ""]]
    else:
        lines = []
        for number, tokens in enumerate(chosen):
            tree = f"(2 {tokens[-1]})"
            for word in reversed(tokens[:-1]):
                tree = f"({number % 5} (2 {word}) {tree})"
            lines.append(tree)
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.mark.parametrize("format", ["text", "columns", "sst"])
@pytest.mark.parametrize(("held", "warned"), [(100, True), (2, False)])
def test_what_training_holds_of_dev_and_test_is_told(tmp_path: Path, format: str, held: int, warned: bool) -> None:
    train = sentences(300, 1)
    dev = [*train[:held], *sentences(100 - held, 7)]
    files = {"train": train, "dev": dev, "test": sentences(30, 9)}
    arguments = [
        part for split, chosen in files.items() for part in (f"--{split}", write(format, tmp_path / split, chosen))
    ]
    finished = run_nntag("preprocess", format, *arguments, "--out", tmp_path / "data", "--json")
    assert finished.code == 0, finished.err

    splits = json.loads(finished.out)["splits"]
    assert splits["dev"]["also_in_train"] == held and splits["test"]["also_in_train"] == 0
    assert "also_in_train" not in splits["train"]
    (line,) = [line for line in finished.err.splitlines() if "are in train too" in line]
    assert line.startswith(f"nntag: {'warning: ' if warned else ''}{held} of the 100 sentences of dev")
