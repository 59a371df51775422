"""The processor that a run was trained on, as a line of text: results are bit-equal on one kind of processor only."""

from __future__ import annotations

import platform
from pathlib import Path

import torch

from nntag.training.device import choose_device

MATTERING = ("avx2", "avx512f", "avx512_bf16", "amx_tile")  # instructions for which torch chooses other kernels


def describe_processor(device: str, info: Path = Path("/proc/cpuinfo")) -> str:
    """The name of the GPU, or of the CPU with the vector instructions that it has."""
    chosen = choose_device(device)
    if chosen.type == "cuda":
        return torch.cuda.get_device_name(chosen)
    try:
        text = info.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor() or platform.machine()
    fields: dict[str, str] = {}
    for line in text.splitlines():
        key, _, value = line.partition(":")
        fields.setdefault(key.strip(), value.strip())
    flags = fields.get("flags", "").split()
    having = [flag for flag in MATTERING if flag in flags]
    name = fields.get("model name", "") or platform.machine()
    return f"{name} ({', '.join(having)})" if having else name
