"""`make bench`: ratios of CPU times of this tool to plain work of the same kind, compared with those recorded.

    python benchmarks/bench.py              measures, compares with benchmarks/recorded.json; exit code 1 if worse
    python benchmarks/bench.py --record     measures and replaces what is recorded
    python benchmarks/bench.py kernel ngram     only the ratios whose names begin so

Absolute times differ between machines and hours; so each figure is the time of a plain reference (a matrix product,
torch's LSTM, a loop over lines, a sort) divided by ours, both measured in turn in one run: higher is better. A ratio
that is more than `TOLERANCE` below the recorded one is measured again, and is worse if it still is.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import language_model
import numpy as np
import sweep
import torch
import trees
from harness import describe_machine, make_product, make_sample, prepare_model, time_in_turn
from torch import nn

from nntag.commands.preprocess import preprocess
from nntag.config.language_models import RMNConfig
from nntag.config.options.preprocess import PreprocessOptions
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.ngram.estimate import estimate_ngrams
from nntag.language_models.streams import make_batch
from nntag.sample import write_sample
from nntag.training.device import keep_freed_memory

RECORDED = Path(__file__).with_name("recorded.json")
TOLERANCE = 0.25  # of the recorded ratio: what a busy machine can make of the same code
CELLS = 512  # of the layer whose kernel is timed
Work = Callable[[], Any]


def measure_kernel(folder: Path) -> Iterator[tuple[str, float]]:
    """One bidirectional layer of 512 cells over 25 steps, forward and backward."""
    product, operations = make_product(512, CELLS, 4 * CELLS)
    for batch in (1, 8, 32):
        passes: dict[str, Work] = dict(sweep.make_passes("none", batch, 25, CELLS))
        passes.pop("loop")
        seconds = time_in_turn({**passes, "product": product}, 7)
        wanted = 2 * 25 * batch * 3 * 2 * (2 * CELLS) * (4 * CELLS)  # input and recurrent product, there and back
        yield f"kernel, {batch} sentences, of nn.LSTM's rate", seconds["nn.LSTM"] / seconds["sweep"]
        share = wanted / seconds["sweep"] / (operations / seconds["product"])
        yield f"kernel, {batch} sentences, of the matrix rate", share


def measure_tagger(folder: Path) -> Iterator[tuple[str, float]]:
    """The default tagger: tagging, and a training step, against torch's LSTM of the same size on the same words."""
    data = make_sample("tagging", folder, 600)
    trainee = prepare_model("skip-gated", data)
    config, size = trainee.settings.model, trainee.settings.train.batch_size
    lstm = nn.LSTM(config.hidden, config.hidden, config.layers, bidirectional=True)
    sentences = [line.split() for line in _read_tokens(data.file("dev.tsv"))] * 6
    lengths = np.array(sorted(map(len, sentences)))
    groups = [lengths[start : start + 64] for start in range(0, len(lengths), 64)]
    inputs = [torch.randn(int(group.max()), len(group), config.hidden) for group in groups]
    step_input = torch.randn(20, size, config.hidden)

    def run_plain() -> None:
        with torch.inference_mode():
            for x in inputs:
                lstm(x)

    def tag() -> None:
        trainee.model.eval()
        trainee.task.predictor.predict(trainee.model, sentences)
        trainee.model.train()

    counter = iter(range(10_000))
    seconds = time_in_turn({"ours": tag, "plain": run_plain}, 5)
    yield "tagger, tagging, of nn.LSTM's rate", seconds["plain"] / seconds["ours"]
    tasks: dict[str, Work] = {
        "ours": lambda: trainee.step(next(counter)),
        "plain": lambda: lstm(step_input)[0].sum().backward(),
    }
    seconds = time_in_turn(tasks, 9)
    yield "tagger, a training step, of nn.LSTM's rate", seconds["plain"] / seconds["ours"]


def _read_tokens(file: Path) -> Iterator[str]:
    for block in file.read_text().strip().split("\n\n"):
        yield " ".join(line.split("\t")[0] for line in block.split("\n"))


def measure_language_model(folder: Path) -> Iterator[tuple[str, float]]:
    """RM(+tM-g) with 128 cells and 10,000 words against the same model as a plain autograd graph."""
    torch.manual_seed(1)
    words = np.random.default_rng(1).integers(2, 10_000, (20, 24), dtype=np.int32)
    batch = make_batch([np.append(row, np.int32(0)) for row in words])
    ours, plain = (RecurrentMemory(RMNConfig(hidden=128), 10_000) for _ in range(2))
    ours.use_sparse_gradients()
    tasks = {
        "ours": language_model.make_step(ours, batch, lambda model, batch: model.loss(batch).nats),
        "plain": language_model.make_step(plain, batch, language_model.plain_loss),
    }
    seconds = time_in_turn(tasks, 7)
    yield "RM, 10,000 words, of plain autograd's rate", seconds["plain"] / seconds["ours"]


def measure_trees(folder: Path) -> Iterator[tuple[str, float]]:
    """Training steps of 25 trees against the same cells as plain autograd graphs."""
    data = make_sample("sentiment", folder, 500)
    for name in ("tree-lstm", "tree-gru"):
        model, forest = trees.load(data, name)
        tasks = {kind: trees.make_step(model, forest, 25, kind == "plain") for kind in ("ours", "plain")}
        seconds = time_in_turn(tasks, 15)
        yield f"{name}, 25 trees, of plain autograd's rate", seconds["plain"] / seconds["ours"]


def measure_ngram(folder: Path) -> Iterator[tuple[str, float]]:
    """A 5-gram model of 400,000 random words against sorting five numbers a word, which counting needs at least."""
    rng = np.random.default_rng(1)
    tokens = (rng.zipf(1.3, 400_000) % 20_000 + 3).astype(np.int32)
    tokens[::20] = 1
    tokens[-1] = 1
    numbers = rng.integers(0, 1 << 60, 5 * len(tokens))
    tasks: dict[str, Work] = {
        "ours": lambda: estimate_ngrams(tokens, 1, 0, 20_003, 5),
        "sort": lambda: np.sort(numbers),
    }
    seconds = time_in_turn(tasks, 3, 1)
    yield "5-grams, of the rate of a sort", seconds["sort"] / seconds["ours"]
    model = estimate_ngrams(tokens, 1, 0, 20_003, 5)
    part = tokens[:200_001]  # which ends with a sentence
    tasks = {"ours": lambda: model.token_nats(part), "sort": lambda: np.sort(numbers[: 5 * len(part)])}
    seconds = time_in_turn(tasks, 3, 1)
    yield "5-grams, scoring, of the rate of a sort", seconds["sort"] / seconds["ours"]


def measure_preprocess(folder: Path) -> Iterator[tuple[str, float]]:
    """Data folders against a loop that splits each line of the same file."""
    for format, pieces in (("text", " "), ("conllu", "\t"), ("ccgbank", " ")):
        files = write_sample(format, folder / format, 2000)
        given = {split: (files[split],) for split in ("train", "dev")}
        options = PreprocessOptions(format, **given, out=folder / f"{format}-data")

        def split_lines(file: Path = files["train"], pieces: str = pieces) -> None:
            for _ in range(10):
                with file.open(encoding="utf-8") as lines:
                    for line in lines:
                        line.rstrip("\n").split(pieces)

        seconds = time_in_turn({"ours": lambda options=options: preprocess(options), "plain": split_lines}, 3, 1)
        yield f"preprocess {format}, of the rate of splitting lines", seconds["plain"] / 10 / seconds["ours"]


SUBJECTS = {
    "kernel": measure_kernel,
    "tagger": measure_tagger,
    "RM": measure_language_model,
    "tree": measure_trees,
    "5-grams": measure_ngram,
    "preprocess": measure_preprocess,
}


def measure(subject: str) -> dict[str, float]:
    """The ratios of one subject."""
    with tempfile.TemporaryDirectory() as folder:
        return {name: round(ratio, 4) for name, ratio in SUBJECTS[subject](Path(folder))}


def find_worse(found: dict[str, float], recorded: dict[str, float]) -> list[str]:
    """The names of those ratios that are more than the tolerance below the recorded ones."""
    return [name for name, ratio in found.items() if ratio < (1 - TOLERANCE) * recorded.get(name, 0.0)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("subjects", nargs="*", help=f"of {', '.join(SUBJECTS)}; all without")
    parser.add_argument("--record", action="store_true", help="replace what is recorded")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory(few_shapes=False)
    logging.disable(logging.WARNING)
    recorded: dict[str, Any] = json.loads(RECORDED.read_text()) if RECORDED.exists() else {"ratios": {}}
    print(describe_machine())
    worse: list[str] = []
    for subject in arguments.subjects or SUBJECTS:
        found = measure(subject)
        if not arguments.record and find_worse(found, recorded["ratios"]):
            again = measure(subject)
            found = {name: max(ratio, again[name]) for name, ratio in found.items()}
        below = find_worse(found, recorded["ratios"])
        for name, ratio in found.items():
            before = f"recorded {recorded['ratios'][name]:6.3f}" if name in recorded["ratios"] else "not recorded"
            print(f"{name:52} {ratio:6.3f}  {before}{'  WORSE' if name in below else ''}", flush=True)
        worse += below
        if arguments.record:
            recorded = {"machine": describe_machine(), "ratios": {**recorded["ratios"], **found}}
            RECORDED.write_text(json.dumps(recorded, indent=1) + "\n")
    if worse and not arguments.record:
        print(f"{len(worse)} worse than recorded by more than {100 * TOLERANCE:.0f} %", file=sys.stderr)
    return 1 if worse and not arguments.record else 0


if __name__ == "__main__":
    sys.exit(main())
