"""`python -m tests.training.summing [alone]`: one of several processes, each of which prints what it gets as sums.

`alone`: as on a system that cannot share memory.
"""

from __future__ import annotations

import json
import os
import sys

import torch
from torch import nn

from nntag.training.processes import join_processes

if __name__ == "__main__":
    if sys.argv[1:] == ["alone"]:
        del os.memfd_create
    processes = join_processes(torch.device("cpu"))
    model = nn.ParameterDict({"a": torch.zeros(2, 3), "b": torch.zeros(5), "none": torch.zeros(4)})
    found = []
    for update in range(3):  # in the same memory each time
        model["a"].grad = torch.arange(6.0).view(2, 3) * 10**processes.rank
        model["b"].grad = torch.full((5,), float(update)) if processes.rank == 1 else None
        model["none"].grad = None
        processes.sum_gradients(model)
        found.append({name: None if p.grad is None else p.grad.tolist() for name, p in model.items()})
        model["a"].grad *= 0  # as clipping does: the others must not see it
    shared = [rows is not None for rows in processes.shared.values()]
    print(json.dumps({"found": found, "shared": shared}))
