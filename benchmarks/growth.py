"""How the seconds of a training step grow: docs/pictures/growth.png, one picture, and the figures as text.

    python benchmarks/growth.py [--out docs/pictures/growth.png]

Four small pictures, each the CPU time of a token in a training step on one thread: by sentences in a batch, by words in
a sentence, by layers (a tagger of 128 cells), and by words in the vocabulary (an RM of 128 cells). Needs matplotlib.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import torch
from harness import time_in_turn
from torch import nn

from nntag.config.language_models import RMNConfig
from nntag.config.tagging import SkipLSTMConfig
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.streams import make_batch
from nntag.tagging.encoders.skip_lstm import SkipLSTM
from nntag.training.device import keep_freed_memory

CELLS = 128
BATCHES, LENGTHS, DEPTHS = (1, 4, 16, 64), (5, 20, 80), (1, 2, 4, 8)
VOCABULARIES = (1_000, 4_000, 16_000)


def time_encoders(shapes: dict[int, tuple[int, int, int]], rounds: int) -> dict[int, float]:
    """Nanoseconds a token, by the key of each (batch, length, layers)."""
    tasks = {}
    for key, (batch, length, layers) in shapes.items():
        encoder: nn.Module = SkipLSTM(SkipLSTMConfig(layers=layers, hidden=CELLS, dropout=0.0), CELLS)
        x, lengths = torch.randn(length, batch, CELLS), torch.full((batch,), length)
        tasks[str(key)] = lambda encoder=encoder, x=x, lengths=lengths: encoder(x, lengths).sum().backward()
    seconds = time_in_turn(tasks, rounds)
    return {key: 1e9 * seconds[str(key)] / (batch * length) for key, (batch, length, _) in shapes.items()}


def time_vocabularies(rounds: int) -> dict[int, float]:
    """Nanoseconds a token of an RM, loss and gradients, by its vocabulary."""
    tasks = {}
    for words in VOCABULARIES:
        ids = np.random.default_rng(1).integers(2, words, (20, 19), dtype=np.int32)
        batch = make_batch([np.append(row, np.int32(0)) for row in ids])
        model = RecurrentMemory(RMNConfig(hidden=CELLS), words)
        model.use_sparse_gradients()
        tasks[str(words)] = lambda model=model, batch=batch: model.loss(batch).nats.backward()
    seconds = time_in_turn(tasks, rounds)
    return {words: 1e9 * seconds[str(words)] / 400 for words in VOCABULARIES}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("docs/pictures/growth.png"))
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory(few_shapes=False)
    curves = {
        "sentences in a batch": time_encoders({batch: (batch, 20, 2) for batch in BATCHES}, arguments.rounds),
        "words in a sentence": time_encoders({length: (16, length, 2) for length in LENGTHS}, arguments.rounds),
        "layers": time_encoders({layers: (16, 20, layers) for layers in DEPTHS}, arguments.rounds),
        "words in the vocabulary": time_vocabularies(arguments.rounds),
    }
    for name, curve in curves.items():
        print(f"{name}:", ", ".join(f"{key:,}: {value:,.0f} ns" for key, value in curve.items()), flush=True)
    import matplotlib

    matplotlib.use("agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, 4, figsize=(11, 2.6), layout="constrained")
    for axis, (name, curve) in zip(axes, curves.items(), strict=True):
        axis.plot(list(curve), [value / 1000 for value in curve.values()], "o-")
        axis.set(xlabel=name, xscale="log" if name != "layers" else "linear", ylim=(0, None))
        axis.set_xticks(list(curve), [f"{value:,}" for value in curve])
        axis.minorticks_off()
    axes[0].set_ylabel("microseconds a token")
    figure.savefig(arguments.out, dpi=80)


if __name__ == "__main__":
    main()
