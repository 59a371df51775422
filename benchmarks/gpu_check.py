"""`make gpu-check`: what only a GPU can show, in ten minutes at most; a section of docs/performance.md as its output.

    python benchmarks/gpu_check.py --write docs/performance.md      on a machine with a GPU
    python benchmarks/gpu_check.py --device cpu                     tries the check itself: the CPU against the CPU

Four parts: the tests marked gpu; a training step of every registered model, whose losses and weights are those of the
CPU; tokens/s and memory of a tagger, an RM and a tree model in float32 and bf16; a training that begins on the CPU,
goes on on the GPU and ends on the CPU. Exit code 1 where a part fails, 2 where there is no GPU.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import torch
from harness import Trainee, describe_machine, make_sample, prepare_model
from torch import Tensor

from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.config.registry import MODELS
from nntag.encoding.data_folder import DataFolder
from nntag.training.precision import products_in

RELATIVE, ABSOLUTE = 1e-3, 1e-5  # of losses and gradients in float32 between devices, whose sums have other orders
SMALL = {"tagging": {"hidden": 20}, "lm": {"hidden": 16}, "sentiment": {"hidden": 12}}
NARROW = {"matrix-vector": {"hidden": 6}, "rntn": {"hidden": 8}}  # whose cost grows with the square of the width
TIMED = {"skip-gated": {"hidden": 512}, "rm": {"hidden": 512}, "tree-lstm": {"hidden": 300}}
BEGIN, END = "<!-- gpu-check -->", "<!-- end of gpu-check -->"


def run_marked_tests() -> tuple[bool, str]:
    """Whether the tests marked gpu pass, and pytest's last line."""
    command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu"]
    finished = subprocess.run(command, capture_output=True, text=True)
    lines = finished.stdout.strip().splitlines()
    return finished.returncode == 0, lines[-1] if lines else finished.stderr.strip()[-200:]


def take_step(name: str, data: DataFolder, device: str) -> tuple[float, dict[str, Tensor]]:
    """The first batch's loss in nats and its gradients; without dropout, whose draws are a device's own."""
    kind = next(row.task for row in MODELS if row.name == name)
    trainee = prepare_model(name, data, {**SMALL[kind], **NARROW.get(name, {})}, device)
    trainee.model.eval()  # no dropout
    loss = trainee.model.loss(trainee.batches[0].to(trainee.device))
    (loss.nats / loss.count).backward()
    gradients = {
        key: value.grad.detach().to_dense().cpu()
        for key, value in trainee.model.named_parameters()
        if value.grad is not None
    }
    return float(loss.nats.detach()), gradients


def compare_models(data: dict[str, DataFolder], device: str) -> Iterator[tuple[str, str]]:
    """Each registered model, and what differs between the CPU and the device; "" where nothing does."""
    for row in MODELS:
        if row.counted:
            continue
        nats, gradients = take_step(row.name, data[row.task], "cpu")
        other, others = take_step(row.name, data[row.task], device)
        wrong = [
            key
            for key, value in gradients.items()
            if not torch.allclose(value, others[key], RELATIVE, ABSOLUTE * max(1.0, float(value.abs().max())))
        ]
        if abs(nats - other) > RELATIVE * abs(nats):
            yield row.name, f"loss {other:.6f} nats, {nats:.6f} on the CPU"
        else:
            yield row.name, f"gradients of {', '.join(wrong[:3])}" if wrong else ""


def measure_rate(trainee: Trainee, precision: str, seconds: float) -> tuple[float, float]:
    """Tokens (trees) per second of wall time, and megabytes of the device's memory."""
    cuda = trainee.device.type == "cuda"
    with products_in(precision, trainee.device) if precision == "bf16" else contextlib.nullcontext():
        for number in range(3):
            trainee.step(number)
        if cuda:
            torch.cuda.synchronize(trainee.device)
            torch.cuda.reset_peak_memory_stats(trainee.device)
        start, items, number = time.perf_counter(), 0, 3
        while time.perf_counter() - start < seconds:
            items += trainee.step(number)[1]  # the loss comes back: all work is done
            number += 1
        rate = items / (time.perf_counter() - start)
    return rate, torch.cuda.max_memory_allocated(trainee.device) / 1e6 if cuda else float("nan")


def check_resumption(data: DataFolder, folder: Path, device: str) -> str:
    """What is wrong with a training of three epochs, the second one on the device; "" where dev is as on the CPU."""
    scores = {}
    for name, places in (("cpu", ("cpu", "cpu", "cpu")), ("moved", ("cpu", device, "cpu"))):
        for epoch, place in enumerate(places, 1):
            out = folder / name
            begin = TrainOptions(data=data.path, out=out, epochs=1, device=place, hidden=20, dropout=0.0)
            go_on = TrainOptions(out=out, epochs=epoch, device=place, resume=True)
            result = train(begin if epoch == 1 else go_on)
        scores[name] = [entry["dev_accuracy"] for entry in result.log]
    same = all(abs(one - other) < 0.005 for one, other in zip(*scores.values(), strict=True))
    return "" if same else f"dev {scores['moved']} after moving, {scores['cpu']} on the CPU alone"


def write_section(lines: list[str], path: Path) -> None:
    """Puts the lines between the two marks in a file, or at its end with the marks."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    section = "\n".join([BEGIN, *lines, END])
    if BEGIN in text:
        before, _, rest = text.partition(BEGIN)
        text = before + section + rest.partition(END)[2]
    else:
        text = f"{text.rstrip()}\n\n{section}\n"
    path.write_text(text, encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement of speed")
    parser.add_argument("--sentences", type=int, default=400, help="of each sample")
    parser.add_argument("--write", type=Path, help="file whose section is replaced")
    arguments = parser.parse_args()
    device = arguments.device
    if device != "cpu" and not torch.cuda.is_available():
        print("gpu-check: torch finds no GPU here, so nothing was checked; --device cpu tries the check itself")
        return 2
    failures = 0
    machine = torch.cuda.get_device_name(device) if device != "cpu" else "the CPU itself"
    lines = [f"Checked on {machine} against {describe_machine()}.", ""]
    if device != "cpu":
        passed, line = run_marked_tests()
        failures += not passed
        lines.append(f"- Tests marked gpu: {line}.")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        data = {kind: make_sample(kind, folder, arguments.sentences) for kind in SMALL}
        compared = dict(compare_models(data, device))
        wrong = {model: difference for model, difference in compared.items() if difference}
        failures += len(wrong)
        lines.append(f"- A training step equals the CPU's: {len(compared) - len(wrong)} of {len(compared)} models.")
        lines += [f"  - {model}: {difference}" for model, difference in wrong.items()]
        moved = check_resumption(data["tagging"], folder, device)
        failures += bool(moved)
        lines.append(f"- Resumed on CPU, {device}, CPU: {moved or 'the same as on the CPU alone'}.")
        lines += ["", "| model | precision | tokens (trees)/s | MB |", "|---|---|---|---|"]
        for model, values in TIMED.items():
            kind = next(row.task for row in MODELS if row.name == model)
            for precision in ("float32", "bf16") if device != "cpu" else ("float32",):
                rate, memory = measure_rate(
                    prepare_model(model, data[kind], values, device), precision, arguments.seconds
                )
                lines.append(f"| {model} {values} | {precision} | {rate:,.0f} | {memory:,.0f} |")
    print("\n".join(lines))
    if arguments.write:
        write_section(lines, arguments.write)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
