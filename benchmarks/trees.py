"""Training speed of the tree models: trees per second of CPU time, forward, backward and update together, one thread.

    OMP_NUM_THREADS=1 python benchmarks/trees.py [DATA_FOLDER] [--models tree-lstm,tree-gru] [--batches 1,25,100]

Beside each model stands the same cell written plainly: height by height with autograd, gathers and concatenation,
torch's dropout and optimiser. Without a data folder (`nntag preprocess sst`), sentiment trees are generated; they are
smaller than those of the treebank. Each figure is the median of rounds that take turns.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from harness import make_sample
from torch import Tensor, nn
from torch.nn import functional as F

from nntag.config.settings import resolve_settings
from nntag.encoding.data_folder import DataFolder, open_data_folder
from nntag.training.optimisers import build_optimiser
from nntag.trees.batches import Forest, TreeBatch, make_tree_batch
from nntag.trees.cells.lstm import TreeLSTM
from nntag.trees.classifier import TreeClassifier
from nntag.trees.task import TreeTask


class PlainStates(nn.Module):
    """The states of a product cell by plain autograd over the heights: what the sweeps are compared with."""

    def __init__(self, cell: nn.Module):
        super().__init__()
        self.cell = cell

    def forward(self, vectors: Tensor, batch: TreeBatch) -> Tensor:
        cell = self.cell
        by_word = cell.leaf_states(vectors) if isinstance(cell, TreeLSTM) else (cell.leaf_states(vectors),)
        places = torch.empty(batch.nodes, dtype=torch.int64)
        places[batch.leaves], places[batch.inner] = (
            torch.arange(len(batch.leaves)),
            len(batch.leaves) + torch.arange(len(batch.inner)),
        )
        state = tuple(part[batch.leaf_words] for part in by_word)
        for start, end in zip(batch.levels, batch.levels[1:], strict=False):
            children = places[2 * start : 2 * end].view(-1, 2)
            found = self._compose(*(part[children] for part in state))
            state = tuple(torch.cat(parts) for parts in zip(state, found, strict=True))
        return state[0][places]

    def _compose(self, h: Tensor, c: Tensor | None = None) -> tuple[Tensor, ...]:
        cell, n = self.cell, h.shape[2]
        if c is not None:
            i, f_1, f_2, o, u = torch.addmm(cell.bias, h.flatten(1), cell.weight).chunk(5, 1)
            c = i.sigmoid() * u.tanh() + f_1.sigmoid() * c[:, 0] + f_2.sigmoid() * c[:, 1]
            return o.sigmoid() * c.tanh(), c
        gates = torch.addmm(cell.gate_bias, h.flatten(1), cell.gate_weight).sigmoid()
        g = torch.addmm(cell.bias, h.flatten(1) * gates[:, : 2 * n], cell.weight).tanh()
        z = gates[:, 2 * n :]
        return ((1 - z) * g + z * h.mean(1),)


def make_step(model: TreeClassifier, forest: Forest, size: int, plain: bool) -> Callable[[], int]:
    """A function that trains on one random batch and returns how many trees it had."""
    settings = resolve_settings("tree-gru", "tsakalos2017")
    if plain:
        optimiser = torch.optim.Adagrad(model.parameters(), lr=0.05, weight_decay=1e-4)
    else:
        optimiser = build_optimiser(model.parameters(), settings.train)
    cell = PlainStates(model.cell)
    order = np.random.default_rng(1)

    def step() -> int:
        batch = make_tree_batch(forest, order.choice(len(forest), size, replace=False))
        if plain:
            scores = model.classifier(F.dropout(cell(model.words(batch.words), batch), 0.5))
            nats = F.cross_entropy(scores, batch.labels, ignore_index=-1, reduction="sum")
        else:
            nats = model.loss(batch).nats
        optimiser.zero_grad()
        (nats / size).backward()
        optimiser.step()
        model.step_tables()
        return size

    return step


def measure(step: Callable[[], int], seconds: float) -> float:
    """Trees per second of CPU time."""
    trees, started = 0, time.process_time()
    while time.process_time() - started < seconds:
        trees += step()
    return trees / (time.process_time() - started)


def load(data: DataFolder, name: str) -> tuple[TreeClassifier, Forest]:
    settings = resolve_settings(name, "tsakalos2017", {"word_size": 300, "word_vectors": None, "vector_lr": 0.0})
    task = TreeTask.from_data(data, settings)
    torch.manual_seed(1)
    return task.build_model(settings).train(), task.encode_split(data, "train")[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", nargs="?")
    parser.add_argument("--models", default="tree-lstm,tree-gru")
    parser.add_argument("--batches", default="1,5,25,100,400")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1.0, help="CPU time of one measurement")
    options = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        data = open_data_folder(options.data) if options.data else make_sample("sentiment", Path(folder), 1000)
        print("model      batch  trees/s  plain  ratio  ms/batch")
        for name in options.models.split(","):
            model, forest = load(data, name)
            for size in map(int, options.batches.split(",")):
                steps = [make_step(model, forest, size, plain) for plain in (False, True)]
                rounds = [[measure(step, options.seconds) for step in steps] for _ in range(options.rounds)]
                ours, plain = (statistics.median(column) for column in zip(*rounds, strict=True))
                ratio = statistics.median(a / b for a, b in rounds)
                print(
                    f"{name:10} {size:5}  {ours:7.0f}  {plain:5.0f}  {ratio:5.2f}  {1000 * size / ours:8.2f}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
