"""A tagger that has learned the sentences of `learnable`, in about a second."""

from __future__ import annotations

from pathlib import Path

from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.tagging.preprocess import preprocess_tagging
from tests.opening import open_corpus
from tests.tagging.tagging_files import learnable, write_corpus

SMALL = {"layers": 1, "hidden": 10, "word_size": 8, "filters": 4, "affix_size": 4, "capital_size": 2}
QUICK = {"batch_size": 4, "epochs": 6, "lr": 0.02, "patience": 0, "average": 0}


def make_tiny_run(folder: Path, name: str = "run", column: str | None = None, **values: object) -> Path:
    """`folder/data` and the run `folder/NAME` trained on it; the corpus is CoNLL-U with tags in UPOS and XPOS."""
    sources = {
        split: [write_corpus(folder / f"{split}.conllu", learnable(count, seed), "conllu")]
        for split, count, seed in (("train", 40, 1), ("dev", 12, 101), ("test", 12, 102))
    }
    data = preprocess_tagging(open_corpus("conllu", sources, column=column), folder / "data").data
    return train(TrainOptions("skip-none", data.path, folder / name, settings={**SMALL, **QUICK, **values})).run
