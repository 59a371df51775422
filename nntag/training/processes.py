"""Several processes that train one model: each takes its share of every batch, and their gradients are summed.

All hold the same weights and make the same updates, so that what is random, early stopping and checkpoints are those
of one process; the first one scores dev and writes. A loss is divided by the counts of the whole batch, so that shares
of any size, also empty ones, weigh what they should. Messages go by gloo between CPUs and by nccl between GPUs, but for
gradients on CPUs of one host, which are summed in memory that all share; the variables of `torchrun` (RANK, WORLD_SIZE,
MASTER_ADDR, MASTER_PORT, LOCAL_RANK) say who takes part.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

import numpy as np
import torch
from torch import Tensor, distributed, nn

from nntag.errors import RunError
from nntag.training.model import Loss, Model
from nntag.training.shared_rows import SharedRows, open_shared_rows

PATIENCE = timedelta(days=7)  # the others wait while the first one scores dev; a process that dies is noticed at once


@dataclass(frozen=True, slots=True)
class Processes:
    """This process among those that train together."""

    rank: int = 0  # 0: the one that writes
    count: int = 1
    device: torch.device = torch.device("cpu")  # of the messages
    shared: dict[tuple[torch.dtype, int], SharedRows | None] = field(default_factory=dict, repr=False, compare=False)

    def share(self, items: np.ndarray) -> np.ndarray:
        """This process's part of a batch; batches are sorted by length, so that every n-th item is a fair share."""
        return items[self.rank :: self.count]

    def seed(self, seed: int, batch: int) -> None:
        """Gives every process but the first a random state of its own for a batch; the first one's goes on."""
        if self.rank:
            torch.manual_seed((seed * 1_000_003 + batch) * 4_099 + self.rank)

    def sum_loss(self, loss: Loss) -> tuple[float, int, int]:
        """The loss in nats, predictions and items of the whole batch."""
        own = float(loss.nats.detach()), loss.count, loss.items
        if self.count == 1:
            return own
        nats, count, items = self._sum(torch.tensor(own, dtype=torch.float64, device=self.device)).tolist()
        return nats, round(count), round(items)

    def sum_gradients(self, model: Model) -> None:
        """Every parameter's gradient becomes the sum over all processes; one that no process has stays None."""
        if self.count == 1:
            return
        tables = {table.weight for table in model.modules() if isinstance(table, nn.Embedding) and table.sparse}
        parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        for parameter in parameters:
            if parameter in tables:
                parameter.grad = self._sum_rows(parameter)
        self._sum_dense([parameter for parameter in parameters if parameter not in tables])

    def gather_rows(self, rows: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """int64[N] and float[N, D] of all processes, one after another."""
        if self.count == 1:
            return rows, values
        lengths = [torch.zeros(1, dtype=torch.int64, device=self.device) for _ in range(self.count)]
        with _told(self):
            distributed.all_gather(lengths, torch.tensor([len(rows)], device=self.device))
        longest = max(int(length) for length in lengths)
        return self._gather(rows, lengths, longest), self._gather(values, lengths, longest)

    def first(self, compute: Callable[[], float]) -> float:
        """What the first process computes."""
        value = torch.tensor(compute() if self.rank == 0 else 0.0, dtype=torch.float64, device=self.device)
        if self.count > 1:
            with _told(self):
                distributed.broadcast(value, 0)
        return float(value)

    def in_turn(self, work: Callable[[], object]) -> None:
        """Does `work` in the first process and then in the others, which find what it has left on disk."""
        if self.rank == 0:
            work()
        self.wait()
        if self.rank:
            work()

    def wait(self) -> None:
        """For all others to come here."""
        if self.count > 1:
            self._sum(torch.zeros(1, device=self.device))

    def _sum(self, tensor: Tensor) -> Tensor:
        with _told(self):
            distributed.all_reduce(tensor)
        return tensor

    def _sum_dense(self, parameters: list[nn.Parameter]) -> None:
        """In one message for each type of numbers: the gradients, then 1 for each that is there."""
        for kind in sorted({parameter.dtype for parameter in parameters}, key=str):
            chosen = [parameter for parameter in parameters if parameter.dtype == kind]
            parts = [torch.zeros_like(p) if p.grad is None else p.grad for p in chosen]
            there = torch.tensor([float(p.grad is not None) for p in chosen], dtype=kind, device=self.device)
            *sums, there = self._sum_parts([*parts, there]).split([*(p.numel() for p in chosen), len(chosen)])
            for parameter, total, count in zip(chosen, sums, there.tolist(), strict=True):
                parameter.grad = total.view_as(parameter) if count else None

    def _sum_parts(self, parts: list[Tensor]) -> Tensor:
        """The sums of these, flattened and put in a row; valid until the next call."""
        key = parts[0].dtype, sum(part.numel() for part in parts)
        if self.device.type == "cpu" and key not in self.shared:
            with _told(self):
                self.shared[key] = open_shared_rows(self.rank, self.count, key[1], key[0])
        rows = self.shared.get(key)
        return rows.sum(parts, self.wait) if rows else self._sum(torch.cat([part.flatten() for part in parts]))

    def _sum_rows(self, table: nn.Parameter) -> Tensor:
        """The gradient of a table of which each process has looked up few rows."""
        if table.grad is None:
            rows, values = torch.zeros(0, dtype=torch.int64, device=table.device), table.new_zeros(0, table.shape[1])
        else:
            own = table.grad.coalesce()
            rows, values = own.indices()[0], own.values()
        rows, values = self.gather_rows(rows, values)
        return torch.sparse_coo_tensor(rows[None], values, table.shape, check_invariants=False)

    def _gather(self, own: Tensor, lengths: list[Tensor], longest: int) -> Tensor:
        padded = own.new_zeros(longest, *own.shape[1:])
        padded[: len(own)] = own
        found = [torch.empty_like(padded) for _ in range(self.count)]
        with _told(self):
            distributed.all_gather(found, padded)
        return torch.cat([part[: int(length)] for part, length in zip(found, lengths, strict=True)])


ALONE = Processes()


@contextlib.contextmanager
def _told(processes: Processes) -> Iterator[None]:
    """Turns what torch says when a process has died into a line for the user."""
    try:
        yield
    except RuntimeError as error:
        raise RunError(
            f"process {processes.rank + 1} of {processes.count}: another process of this training has ended; continue "
            f"from the last checkpoint with --resume ({str(error).splitlines()[0][:120]})"
        ) from None


def count_processes() -> int:
    """How many processes `torchrun`, or `--processes`, has started for this training; 1: this one alone."""
    return int(os.environ.get("WORLD_SIZE", "1")) if "RANK" in os.environ else 1


def is_first() -> bool:
    """Whether this process prints and writes."""
    return count_processes() == 1 or int(os.environ["RANK"]) == 0


def join_processes(device: torch.device) -> Processes:
    """This process among those of the same `torchrun`, for as long as it lives; alone where there are no others.

    Only the first one reports and acts on Ctrl-C and SIGTERM; the others end when it does.
    """
    count = count_processes()
    if count == 1:
        return ALONE
    own = Processes(int(os.environ["RANK"]), count, device)
    if not distributed.is_initialized():
        if own.rank:
            _stay_silent()
        with _told(own):
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo", timeout=PATIENCE)
        atexit.register(distributed.destroy_process_group)
    return own


def _stay_silent() -> None:
    logging.getLogger("nntag").setLevel(logging.ERROR)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_IGN)
