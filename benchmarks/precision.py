"""Times products in bf16 against float32: training steps of taggers and RMs, and tagging; models in, ratios out.

    python benchmarks/precision.py              training steps on generated samples
    python benchmarks/precision.py --run RUN --text FILE     also tagging: a trained run, one tokenised sentence a line

Both precisions take turns in one run, CPU time on one thread, so that other work on the machine slows both alike. What
bf16 costs in accuracy, `nntag eval --precision bf16` tells.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from harness import describe_machine, make_sample, prepare_model, time_in_turn

import nntag
from nntag.config.language_models import RMNConfig
from nntag.config.training import TrainConfig
from nntag.encoding.data_folder import DataFolder
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.streams import make_batch
from nntag.training.device import keep_freed_memory
from nntag.training.optimisers import build_optimiser, clip_gradients
from nntag.training.precision import products_in

BOTH = ("float32", "bf16")
CPU = torch.device("cpu")


def make_tagger_step(data: DataFolder, cells: int, layers: int, precision: str) -> Callable[[], Any]:
    trainee = prepare_model("skip-gated", data, {"hidden": cells, "layers": layers})

    def step() -> None:
        with products_in(precision, CPU):  # the backward pass takes the types of the forward pass
            trainee.step()

    return step


def make_rm_step(words: int, size: int, batch: int, length: int, precision: str) -> Callable[[], Any]:
    torch.manual_seed(1)
    generator = np.random.default_rng(1)
    drawn = generator.integers(2, words, (batch, length - 1), dtype=np.int32)
    sentences = make_batch([np.append(row, np.int32(0)) for row in drawn])
    model = RecurrentMemory(RMNConfig(hidden=size), words)
    model.use_sparse_gradients()
    optimiser = build_optimiser(model.parameters(), TrainConfig(optimiser="sgd", lr=0.1))

    def step() -> None:
        optimiser.zero_grad()
        with products_in(precision, CPU):
            nats = model.loss(sentences).nats
        (nats / batch).backward()
        clip_gradients(model.parameters(), 5.0)
        optimiser.step()

    return step


def report(name: str, make: Callable[[str], Callable[[], Any]], rounds: int) -> None:
    seconds = time_in_turn({precision: make(precision) for precision in BOTH}, rounds)
    times = "".join(f"{1000 * seconds[precision]:12.1f}" for precision in BOTH)
    print(f"{name:44}{times}{seconds['float32'] / seconds['bf16']:8.2f}", flush=True)


def report_tagging(run: Path, text: Path, rounds: int) -> None:
    sentences = [line.split() for line in text.read_text(encoding="utf-8").splitlines() if line.strip()]
    tags: dict[str, list[list[str]]] = {}

    def make(precision: str) -> Callable[[], Any]:
        tagger = nntag.load(run)
        tagger.run.task.predictor.precision = precision
        return lambda: tags.update({precision: tagger.tag_all(sentences)})

    report(f"tagging {sum(map(len, sentences)):,} tokens with {run.name}", make, rounds)
    pairs = [pair for row in zip(tags["float32"], tags["bf16"], strict=True) for pair in zip(*row, strict=True)]
    print(f"tags that differ: {sum(left != right for left, right in pairs)} of {len(pairs)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", type=Path, help="run folder of a tagger")
    parser.add_argument("--text", type=Path, help="tokenised text for it")
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory(few_shapes=False)
    print(describe_machine())
    print(f"{'':44}{'float32 ms':>12}{'bf16 ms':>12}{'ratio':>8}")
    if arguments.run:
        report_tagging(arguments.run, arguments.text, arguments.rounds)
    with tempfile.TemporaryDirectory() as folder:
        data = make_sample("tagging", Path(folder), 200)
        for cells, layers in ((200, 2), (512, 2)):
            name = f"tagger, {cells} cells, {layers} layers"
            report(name, lambda p, c=cells, n=layers: make_tagger_step(data, c, n, p), arguments.rounds)
    for size, batch in ((128, 20), (256, 20), (256, 64)):
        name = f"RM, d = {size}, 10,000 words, {batch} sentences"
        report(name, lambda p, s=size, b=batch: make_rm_step(10_000, s, b, 25, p), arguments.rounds)


if __name__ == "__main__":
    main()
