"""`--precision`: a name and a device in, "float32" or "bf16" out, and the context in which products are made so.

bf16 is float32 without the last 16 bits: the same range, 8 significant bits. Processors and GPUs that have it multiply
matrices in it several times as fast, and sum the products in float32. The factors alone are rounded: weights, states,
softmax, loss and the optimiser's moments stay in float32, as in Micikevicius et al. 2018, "Mixed Precision Training",
which needs no scaling of the loss here, since bf16 has the range of float32.
"""

from __future__ import annotations

import logging
from contextlib import AbstractContextManager
from typing import cast

import torch
from torch import Tensor
from torch.nn import functional

from nntag.config.training import Precision
from nntag.errors import UsageError

EVEN_ROWS = 256  # ours: a fifth more work in a batch of 640 words, ten shapes in a treebank
BF16_FEATURES = ("amx_bf16", "avx512_bf16", "bf16")  # as torch names what a processor can do

logger = logging.getLogger("nntag")


def choose_precision(name: str, device: torch.device, offered: tuple[str, ...], models: str) -> Precision:
    """`float32` or `bf16`; `auto` is bf16 where the models can use it, the device has it, and its products are right.

    `offered` is what `models`, as they are called in messages, can use. Raises `UsageError` for anything else; warns
    where bf16 will be slow.
    """
    if name == "auto":
        return "bf16" if "bf16" in offered and has_bf16(device) and _multiplies_rightly(device) else "float32"
    if name not in offered:
        raise UsageError(f"--precision {name}: {models} are computed in {' or '.join(offered)} alone")
    if name == "bf16" and not has_bf16(device):
        logger.warning("%s has no instructions for bf16, which will be slower than float32 on it", _describe(device))
    return cast(Precision, name)


def has_bf16(device: torch.device) -> bool:
    """Whether the device multiplies bf16 faster than float32."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    found = torch.cpu.get_capabilities() if hasattr(torch.cpu, "get_capabilities") else {}  # torch 2.10 or later
    return any(found.get(feature) for feature in BF16_FEATURES)


def _describe(device: torch.device) -> str:
    return "this GPU" if device.type == "cuda" else "this processor"


def products_in(precision: str, device: torch.device) -> AbstractContextManager[object]:
    """Inside it, the products of torch's own layers and of those that ask `product_type` are made in `precision`."""
    return torch.autocast(device.type, torch.bfloat16, enabled=precision == "bf16")


def product_type(weight: Tensor) -> torch.dtype:
    """What the factors of a product with `weight` are rounded to: its own type unless `products_in` says bf16."""
    kind = weight.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else weight.dtype


def even_rows(rows: Tensor, multiple: int = EVEN_ROWS) -> Tensor:
    """float[..., N, D] with rows of zeros after them up to a multiple, where products in bf16 are made on a CPU.

    oneDNN prepares each product for its shape, which takes up to ten times as long as a product of some hundred rows:
    batches of all lengths should have few shapes.
    """
    missing = -rows.shape[-2] % multiple
    if missing == 0 or rows.dtype != torch.bfloat16 or rows.device.type != "cpu":
        return rows
    return functional.pad(rows, (0, 0, 0, missing))


def _multiplies_rightly(device: torch.device) -> bool:
    """Whether a product of two bf16 matrices is the float64 product of the same numbers, but for one rounding."""
    generator = torch.Generator().manual_seed(1)
    left, right = (torch.randn(65, 65, generator=generator).bfloat16() for _ in range(2))
    exact = left.double() @ right.double()
    found = (left.to(device) @ right.to(device)).double().cpu()
    return bool(((found - exact).abs() <= exact.abs() / 2**7 + 1e-3).all())
