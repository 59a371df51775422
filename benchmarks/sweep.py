"""Times the recurrent sweep against a step-by-step autograd loop and torch's LSTM: sizes in, ratios of CPU time out.

    python benchmarks/sweep.py [--hidden 128] [--steps 25] [--batches 1 8 32] [--kinds none output-gated]

The three take turns inside one run, so that a busy machine slows all alike. The figures are the milliseconds of one
forward and backward pass of the sweep through a bidirectional layer (input as wide as output), and the ratios of median
CPU times.
"""

import argparse
from collections.abc import Callable

import torch
from harness import time_in_turn
from torch import Tensor

from nntag.tagging.encoders.kernels.cells import CELLS, Cell
from nntag.tagging.encoders.kernels.sweep import run_layer


def run_autograd_loop(
    cell: Cell, x: Tensor, w_in: Tensor, w_rec: Tensor, bias: Tensor, skip: Tensor | None
) -> tuple[Tensor, Tensor]:
    """The same layer (float[K, T, B, H] twice) the usual way: one projection, then a loop that autograd records."""
    K, T, B, D = x.shape
    H, G = w_rec.shape[1], len(cell.gates)
    pre = torch.baddbmm(bias[:, None], x.reshape(K, T * B, D), w_in).view(K, T, B, G * H)
    h = c = pre.new_zeros(K, B, H)
    outputs, states = [], []
    for t in range(T):
        z = torch.baddbmm(pre[:, t], h, w_rec)
        if cell.to_gates:
            z = z + skip[:, t].repeat(1, 1, G)
        gates = dict(zip(cell.gates[1:], z[:, :, H:].sigmoid().chunk(G - 1, 2), strict=True))
        added = None if skip is None else skip[:, t] * gates["g"] if "g" in gates else skip[:, t]
        c = z[:, :, :H].tanh() * gates["i"] + c * gates["f"]
        c = c + added if cell.to_state else c
        h = gates["o"] * c.tanh()
        h = h + added if cell.to_output else h
        outputs.append(h)
        states.append(c)
    return torch.stack(outputs, 1), torch.stack(states, 1)


def make_passes(kind: str, batch: int, steps: int, hidden: int) -> dict[str, Callable[[], None]]:
    cell, generator = CELLS[kind], torch.Generator().manual_seed(1)

    def draw(*shape: int) -> Tensor:
        return torch.randn(*shape, generator=generator).mul_(0.1).requires_grad_()

    width = len(cell.gates) * hidden
    x, weights = draw(2, steps, batch, hidden), (draw(2, hidden, width), draw(2, hidden, width), draw(2, width))
    skip = draw(2, steps, batch, hidden) if cell.has_skip else None
    upstream = torch.randn(2, steps, batch, hidden, generator=generator)
    lstm = torch.nn.LSTM(hidden, hidden, bidirectional=True)
    lstm_x, lstm_upstream = draw(steps, batch, hidden), torch.randn(steps, batch, 2 * hidden, generator=generator)
    passes = {
        "sweep": lambda: run_layer(cell, x, *weights, skip)[0].backward(upstream),
        "loop": lambda: run_autograd_loop(cell, x, *weights, skip)[0].backward(upstream),
    }
    if kind == "none":
        passes["nn.LSTM"] = lambda: lstm(lstm_x)[0].backward(lstm_upstream)
    return passes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hidden", type=int, nargs="+", default=[64, 128, 256])
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 8, 32])
    kinds = [kind for kind, cell in CELLS.items() if "f" in cell.gates and not cell.peephole]
    parser.add_argument("--kinds", nargs="+", default=["none", "output-gated"], choices=kinds)
    parser.add_argument("--rounds", type=int, default=20)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    print(f"{'kind':16}{'hidden':>8}{'batch':>7}{'sweep ms':>10}{'/ loop':>8}{'/ nn.LSTM':>11}")
    for kind in arguments.kinds:
        for hidden in arguments.hidden:
            for batch in arguments.batches:
                passes = make_passes(kind, batch, arguments.steps, hidden)
                seconds = time_in_turn(passes, arguments.rounds, 3)
                sweep, loop = seconds["sweep"], seconds["loop"]
                lstm = f"{sweep / seconds['nn.LSTM']:.2f}" if "nn.LSTM" in seconds else "-"
                print(f"{kind:16}{hidden:8}{batch:7}{sweep * 1e3:10.2f}{sweep / loop:8.2f}{lstm:>11}", flush=True)


if __name__ == "__main__":
    main()
