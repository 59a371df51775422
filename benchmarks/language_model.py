"""Times training steps of RM(+tM-g) against the same model written as a plain autograd graph: sizes in, tokens/s out.

    python benchmarks/language_model.py [--vocabulary 10000] [--size 128] [--batch 20] [--length 25] [--steps 20]

A step is loss, gradients, clipping and SGD on random words, CPU time on one thread. The plain graph gathers the rows of
M and C for every window, keeps all logits and has dense gradients; the two take turns, so that a busy machine slows
both alike. Also printed: the share of the output layer in a step of ours, and its peak memory, measured first.
"""

from __future__ import annotations

import argparse
import resource
from collections.abc import Callable

import numpy as np
import torch
from harness import time_in_turn
from torch import Tensor
from torch.nn import functional as F

from nntag.config.language_models import RMNConfig
from nntag.config.training import TrainConfig
from nntag.language_models.models.output_layer import sum_nats
from nntag.language_models.models.rmn import RecurrentMemory
from nntag.language_models.streams import Batch, make_batch
from nntag.training.device import keep_freed_memory
from nntag.training.optimisers import build_optimiser, clip_gradients


def plain_loss(model: RecurrentMemory, batch: Batch) -> Tensor:
    """The summed loss of equations 1 to 7 as one would write them down, from the parameters of `model`."""
    inputs, block = batch.inputs, model.block
    states = model.stack(F.embedding(inputs, model.embedding.weight))
    steps = torch.arange(len(inputs))[:, None] + torch.arange(1 - block.memory, 1)  # [T, M]
    windows = inputs[steps.clamp(min=0)].transpose(1, 2)  # [T, B, M]
    keys = F.embedding(windows, block.memory_input.weight) + block.temporal
    scores = torch.einsum("tbmh,tbh->tbm", keys, states).masked_fill((steps < 0)[:, None], -torch.inf)
    values = F.embedding(windows, block.memory_output.weight) + block.temporal_output
    context = torch.einsum("tbm,tbmh->tbh", torch.softmax(scores, -1), values)
    logits = F.linear(model.composer(context, states), model.output_weight, model.output_bias)
    return F.cross_entropy(logits.flatten(0, 1), batch.targets.flatten(), reduction="sum")


def make_step(
    model: RecurrentMemory, batch: Batch, loss: Callable[[RecurrentMemory, Batch], Tensor]
) -> Callable[[], None]:
    optimiser = build_optimiser(model.parameters(), TrainConfig(optimiser="sgd", lr=0.1))

    def step() -> None:
        optimiser.zero_grad()
        (loss(model, batch) / batch.inputs.shape[1]).backward()
        clip_gradients(model.parameters(), 5.0)
        optimiser.step()

    return step


def make_output_step(model: RecurrentMemory, batch: Batch) -> Callable[[], None]:
    """The output layer alone, loss and gradients."""
    states = model.states(batch.inputs).detach().flatten(0, 1).requires_grad_()
    weight, bias, targets = model.output_weight, model.output_bias, batch.targets.flatten()
    return lambda: sum_nats(states, weight, bias, targets).backward()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vocabulary", type=int, default=10_000)
    parser.add_argument("--size", type=int, default=128)
    parser.add_argument("--batch", type=int, default=20)
    parser.add_argument("--length", type=int, default=25, help="predictions in a sentence")
    parser.add_argument("--steps", type=int, default=20, help="steps timed")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    keep_freed_memory(few_shapes=False)
    torch.manual_seed(1)
    generator = np.random.default_rng(1)
    words = generator.integers(2, arguments.vocabulary, (arguments.batch, arguments.length - 1), dtype=np.int32)
    batch = make_batch([np.append(row, np.int32(0)) for row in words])
    ours = RecurrentMemory(RMNConfig(hidden=arguments.size), arguments.vocabulary)
    ours.use_sparse_gradients()
    step = make_step(ours, batch, lambda model, batch: model.loss(batch).nats)
    step()
    step()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    plain = RecurrentMemory(RMNConfig(hidden=arguments.size), arguments.vocabulary)
    tasks = {"ours": step, "plain": make_step(plain, batch, plain_loss), "output": make_output_step(ours, batch)}
    seconds = time_in_turn(tasks, arguments.steps)
    tokens = batch.targets.numel()
    print(
        f"RM(+tM-g), d = {arguments.size}, V = {arguments.vocabulary:,}, "
        f"{arguments.batch} sentences of {arguments.length} predictions"
    )
    print(f"ours           {tokens / seconds['ours']:10,.0f} tokens/s  {1000 * seconds['ours']:8.1f} ms a step")
    print(f"plain autograd {tokens / seconds['plain']:10,.0f} tokens/s  {1000 * seconds['plain']:8.1f} ms a step")
    print(f"ratio of CPU times, plain to ours: {seconds['plain'] / seconds['ours']:.2f}")
    print(f"share of the output layer in ours: {100 * seconds['output'] / seconds['ours']:.0f} %")
    print(f"peak memory of ours: {peak:.2f} GB")


if __name__ == "__main__":
    main()
