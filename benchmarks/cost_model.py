"""The cost model of docs/scale.md: operations and numbers a token of each model kind, checked and then applied.

    python benchmarks/cost_model.py                      calibrates, compares with measurements, prints the tables
    python benchmarks/cost_model.py --core-price 0.05 --gpu-price 3 --gpu-rate 150

A training step costs, for each token, `3 * (operations / rate + numbers / flow) + fixed` seconds: the operations of its
matrix products in the forward pass, and the numbers that go through memory besides: states, gates, rows of tables, the
logits; `fixed` is whatever does not depend on the size: the characters of words, the calls themselves. The three
constants are fitted to three sizes and tried on three others.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from harness import Trainee, describe_machine, make_product, make_sample, prepare_model, time_in_turn

from nntag.training.device import keep_freed_memory

CALIBRATED, TRIED = (48, 128, 256), (64, 96, 192)  # cells
STEPS_BACK = 3  # a product and the two of its backward pass
BILLION = 1e9
TOKENS = 25  # of a sentence of running text
CONVOLUTION = 2.0 * 12 * 3 * 32 * 100  # 12 characters, a width of 3, 32 numbers a character, 100 filters
PARALLEL = 0.8  # assumed share of N cores, or N GPUs, that N of them give
GPU_SHARE = 0.3  # assumed share of a GPU's rate that these recurrent models reach in large batches


@dataclass(frozen=True)
class Cost:
    """Of one token (tree models: one word), forward: operations of matrix products, and numbers moved besides."""

    operations: float
    numbers: float


def cost_of_tagger(layers: int, hidden: int, tags: int, input_size: int, joined: bool = True) -> Cost:
    """Bidirectional layers of 4 gates, 5 from the third layer on with a gated skip; a softmax over the tags.

    `joined`: both directions read both of the layer below, as by default. The convolution over the characters of the
    default input is `CONVOLUTION` operations.
    """
    operations, numbers = 4.0 * hidden * tags + (CONVOLUTION if joined else 0), 3.0 * input_size + 3.0 * tags
    for layer in range(layers):
        gates = 5 if layer >= 2 else 4
        width = input_size if layer == 0 else 2 * hidden if joined else hidden
        operations += 2 * 2 * (width + hidden) * gates * hidden
        numbers += 2 * (2 * gates + 3) * hidden
    return Cost(operations, numbers)


def cost_of_language_model(layers: int, hidden: int, vocabulary: int, memory: int = 15) -> Cost:
    """RM(+tM-g): LSTM layers, attention over `memory` words, six products of the gates, a softmax over all words."""
    products = 8 * layers * hidden + 6 * hidden + vocabulary
    operations = 2.0 * hidden * products + 4.0 * memory * hidden
    numbers = (11.0 * layers + 12 + 2 * memory) * hidden + 3.0 * vocabulary
    return Cost(operations, numbers)


def cost_of_tree(hidden: int, word_size: int, classes: int = 5) -> Cost:
    """Binary tree-LSTM: a word and its leaf, and one inner node; each of the two nodes has a class."""
    operations = 2.0 * word_size * 3 * hidden + 2.0 * 2 * hidden * 5 * hidden + 2 * 2.0 * hidden * classes
    return Cost(operations, 3.0 * word_size + 2 * 17.0 * hidden)


@dataclass(frozen=True)
class Kind:
    """A model whose cost is measured: its settings at a size, its cost then, and the tokens of a batch."""

    model: str
    task: str
    settings: Callable[[int], Mapping[str, Any]]
    cost: Callable[[Trainee, int], Cost]
    tokens: Callable[[Any], int]


KINDS = {
    "tagger": Kind(
        "skip-gated",
        "tagging",
        lambda size: {"hidden": size, "layers": 3, "model.dropout": 0.0},
        lambda trainee, size: cost_of_tagger(3, size, sum(trainee.model.widths), trainee.model.input.output_size),
        lambda batch: int(batch.lengths.sum()),
    ),
    "RM": Kind(
        "rm",
        "lm",
        lambda size: {"hidden": size},
        lambda trainee, size: cost_of_language_model(1, size, len(trainee.task.vocabulary)),
        lambda batch: int((batch.targets >= 0).sum()),
    ),
    "tree-LSTM": Kind(
        "tree-lstm",
        "sentiment",
        lambda size: {"hidden": size, "word_size": 300},
        lambda trainee, size: cost_of_tree(size, 300),
        lambda batch: len(batch.leaves),
    ),
}


@dataclass(frozen=True)
class Constants:
    """What is measured of a kind on a machine."""

    rate: float  # operations a second
    flow: float  # numbers a second
    fixed: float  # seconds a token

    def seconds(self, cost: Cost) -> float:
        """Of one token, forward and backward with the update."""
        return STEPS_BACK * (cost.operations / self.rate + cost.numbers / self.flow) + self.fixed


def measure(kind: Kind, folder: Path, rounds: int) -> dict[int, tuple[Cost, float]]:
    """The cost of each size, and the CPU seconds of a token in a training step; all sizes take turns."""
    data = make_sample(kind.task, folder, 200)
    trainees = {size: prepare_model(kind.model, data, kind.settings(size)) for size in (*CALIBRATED, *TRIED)}
    tokens = kind.tokens(trainees[CALIBRATED[0]].batches[0])
    seconds = time_in_turn({str(size): trainee.step for size, trainee in trainees.items()}, rounds, 1)
    return {size: (kind.cost(trainee, size), seconds[str(size)] / tokens) for size, trainee in trainees.items()}


def fit(measured: Mapping[int, tuple[Cost, float]]) -> Constants:
    """The constants from the sizes of `CALIBRATED`: the relative errors are least, and none is negative."""
    costs = [measured[size][0] for size in CALIBRATED]
    seconds = np.array([measured[size][1] for size in CALIBRATED])
    terms = np.array([[STEPS_BACK * cost.operations, STEPS_BACK * cost.numbers, 1.0] for cost in costs])
    best, least = np.zeros(3), np.inf
    for kept in ([0, 1, 2], [0, 1], [0, 2], [0]):
        found = np.zeros(3)
        found[kept] = np.linalg.lstsq(terms[:, kept] / seconds[:, None], np.ones(len(seconds)), rcond=None)[0]
        error = np.abs(terms @ found / seconds - 1).max()
        if (found >= 0).all() and error < least:
            best, least = found, error
    inverse = 1 / np.maximum(best[:2], 1e-30)
    return Constants(float(inverse[0]), float(inverse[1]), float(best[2]))


def check(rounds: int) -> dict[str, Constants]:
    """Prints the constants of each kind, and what the model says of sizes that it was not fitted to."""
    print(f"\n{'kind':10} {'GFLOP/s':>8} {'numbers/s':>10} {'fixed ns':>9}   size: ns a token, predicted, error")
    found = {}
    for name, kind in KINDS.items():
        with tempfile.TemporaryDirectory() as folder:
            measured = measure(kind, Path(folder), rounds)
        constants = found[name] = fit(measured)
        parts = []
        for size in TRIED:
            cost, seconds = measured[size]
            said = constants.seconds(cost)
            parts.append(f"{size}: {1e9 * seconds:,.0f}, {1e9 * said:,.0f}, {100 * (said / seconds - 1):+.0f} %")
        fitted = f"{constants.rate / 1e9:8.1f} {constants.flow:10.2g} {1e9 * constants.fixed:9,.0f}"
        print(f"{name:10} {fitted}   {'; '.join(parts)}", flush=True)
    return found


@dataclass(frozen=True)
class Workload:
    """Something to compute: tokens in all passes together, and the cost of one."""

    name: str
    kind: str
    tokens: float
    cost: Cost
    backward: bool = True


def list_workloads() -> list[Workload]:
    """The papers' full data sets with the papers' sizes, and a billion sentences to tag and score."""
    default, scorer = cost_of_tagger(2, 200, 17, 1824), cost_of_language_model(1, 512, 64_000)
    paper = cost_of_tagger(9, 512, 1286, 850, joined=False)
    return [
        Workload("CCGbank, 9 layers of 512, 30 epochs", "tagger", 929_552 * 30, paper),
        Workload("EWT, the default tagger, 30 epochs", "tagger", 204_600 * 30, default),
        Workload("Penn Treebank, RM of 128, 15 epochs", "RM", 930_000 * 15, cost_of_language_model(1, 128, 10_000)),
        Workload("English news, RM of 128, 15 epochs", "RM", 26e6 * 15, cost_of_language_model(1, 128, 77_000)),
        Workload("522 novels, RM of 512, 15 epochs", "RM", 47e6 * 15, cost_of_language_model(3, 512, 64_000)),
        Workload("SST, tree-LSTM of 150, 12 epochs", "tree-LSTM", 163_563 * 12, cost_of_tree(150, 300)),
        Workload("a billion sentences tagged", "tagger", BILLION * TOKENS, default, False),
        Workload(
            "a billion sentences scored, RM of 512",
            "RM",
            BILLION * TOKENS,
            scorer,
            False,
        ),
    ]


def describe_time(seconds: float) -> str:
    """In the unit that fits."""
    for unit, size in (("years", 365 * 86_400), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:,.1f} seconds"


def print_table(found: Mapping[str, Constants], core_price: float, gpu_price: float, gpu_rate: float) -> None:
    """Time and money of every workload on each kind of machine."""
    print("\n| work | two cores here | 64 cores | one GPU | 64 GPUs |\n|---|---|---|---|---|")
    for work in list_workloads():
        constants = found[work.kind]
        passes = 1.0 if work.backward else 1 / STEPS_BACK
        core = work.tokens * passes * constants.seconds(work.cost)
        operations = work.tokens * passes * STEPS_BACK * work.cost.operations
        gpu = operations / (gpu_rate * 1e12 * GPU_SHARE)
        cells = []
        for units, seconds, price in (
            (2, core, core_price),
            (64, core, core_price),
            (1, gpu, gpu_price),
            (64, gpu, gpu_price),
        ):
            wall = seconds / (units * (PARALLEL if units > 1 else 1.0))
            cells.append(f"{describe_time(wall)}, {wall / 3600 * units * price:,.2f}")
        print(f"| {work.name} | {' | '.join(cells)} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--core-price", type=float, default=0.04, help="money for a core and hour")
    parser.add_argument("--gpu-price", type=float, default=2.5, help="money for a GPU and hour")
    parser.add_argument("--gpu-rate", type=float, default=100.0, help="TFLOP/s of a GPU's matrix products in bf16")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory(few_shapes=False)
    product, operations = make_product(512, 512, 2048)
    seconds = time_in_turn({"product": product}, 5)["product"]
    print(f"{describe_machine()}; float32 products at {operations / seconds / 1e9:.0f} GFLOP/s")
    found = check(arguments.rounds)
    print_table(found, arguments.core_price, arguments.gpu_price, arguments.gpu_rate)


if __name__ == "__main__":
    main()
