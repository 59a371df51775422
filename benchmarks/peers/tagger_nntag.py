"""nntag's default tagger, by the commands' own functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from tagging import Sentence, run

import nntag
from nntag.commands.preprocess import preprocess
from nntag.commands.train import train as train_run
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.options.train import TrainOptions


def train(sentences: list[Sentence], dev: list[Sentence], folder: Path, epochs: int) -> Iterator[float]:
    folder.mkdir(parents=True, exist_ok=True)
    files = {"train": sentences, "dev": dev}
    for split, chosen in files.items():
        rows = ("".join(f"{w}\t{t}\n" for w, t in zip(*sentence, strict=True)) for sentence in chosen)
        (folder / f"{split}.tsv").write_text("\n".join(rows), encoding="utf-8")
    given = {split: (folder / f"{split}.tsv",) for split in files}
    data = preprocess(PreprocessOptions("columns", **given, out=folder / "data")).data.path
    for epoch in range(1, epochs + 1):
        train_run(TrainOptions(data=data, out=folder / "run", epochs=epoch, resume=epoch > 1))
        log = [json.loads(line) for line in (folder / "run" / "log.jsonl").read_text().splitlines()]
        yield log[-1]["dev_accuracy"] * 100


def load(folder: Path, precision: str) -> Callable[[list[list[str]]], list[list[str]]]:
    tagger = nntag.load(folder / "run")
    tagger.use_precision(precision)
    return tagger.tag_all


if __name__ == "__main__":
    run(train, load)
