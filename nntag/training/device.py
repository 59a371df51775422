"""`--device` and `--threads`: names in, a usable `torch.device` out; never a silent fallback."""

from __future__ import annotations

import ctypes
import os
import re
import sys

import torch

from nntag.errors import UsageError

MOST_THREADS = 1024


def choose_device(name: str = "cpu", local_rank: int | None = None) -> torch.device:
    """`cpu`, `cuda`, `cuda:N`, or `auto` (a GPU where there is one); raises `UsageError` for what is not there.

    `local_rank`: which process of several on this machine asks; each has a GPU of its own.
    """
    if name == "auto":
        name = "cuda" if torch.cuda.is_available() else "cpu"
    if name == "cuda" and local_rank is not None:
        name = f"cuda:{local_rank}"
    if not re.fullmatch(r"cpu|cuda(:(0|[1-9][0-9]{0,2}))?", name):
        raise UsageError(f"--device must be cpu, cuda, cuda:N or auto, found {name!r}")
    device = torch.device(name)
    if device.type == "cuda":
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if count == 0:
            raise UsageError(f"--device {name}: no CUDA GPU can be used here; use --device cpu or auto")
        if device.index is not None and device.index >= count:
            raise UsageError(f"--device {name}: there are {count} GPUs, numbered from 0")
    return device


def use_threads(count: int) -> None:
    """Sets how many threads torch's own products use.

    One by default: the products of these models are small, and a second thread slows them on a busy machine.
    """
    if not 1 <= count <= MOST_THREADS:
        bound = "at least 1" if count < 1 else f"at most {MOST_THREADS}"
        raise UsageError(f"--threads must be {bound}, found {count}")
    torch.set_num_threads(count)


def keep_freed_memory(few_shapes: bool) -> None:
    """Makes the allocator keep large freed blocks for the next step instead of handing them back to the system.

    The arrays of a training step are freed and asked for again at every step, and new pages cost as much time as
    filling them: measured at up to 14 % of a language model's step. Only glibc has the switch. What oneDNN prepares for
    each shape is kept for `few_shapes` only where that is quick to do again, as in float32; in bf16 it is not.
    """
    _set_thresholds(1 << 30, (1 << 31) - 1)
    if few_shapes:
        _keep_few_shapes()


def hand_back_free_memory(updates: int, large: bool = False) -> None:
    """After every 32nd update, and before and after a `large` batch: gives the system back what the allocator has kept
    and nothing uses, also between blocks that are in use.

    Batches of all sizes leave gaps that fit no later one, so that a training process comes to hold far more memory than
    it uses, the more so when a large batch comes on top. The next step asks for its pages anew, which takes time: not
    after every update.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None and (large or updates % UPDATES_TO_TRIM == 0):
        trim(0)


def bound_kept_memory() -> None:
    """Keeps resident memory flat in a process that works on items of all sizes; to be called before the first one.

    glibc raises the size from which it hands freed blocks back to 32 MB, with each large block that is freed, and
    oneDNN keeps what it has prepared for the last 1,024 shapes: together some 50 MB with a small tagger.
    """
    _set_thresholds(128 << 10, 1 << 20)
    _keep_few_shapes()


def _keep_few_shapes() -> None:
    """Of oneDNN's products, which it looks up by their shapes; to be called before the first one."""
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", "64")


def _set_thresholds(mmap_bytes: int, trim_bytes: int) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None) if sys.platform == "linux" else None
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, mmap_bytes)
        mallopt(_M_TRIM_THRESHOLD, trim_bytes)


UPDATES_TO_TRIM = 32
_M_MMAP_THRESHOLD, _M_TRIM_THRESHOLD = -3, -1  # from malloc.h
