"""pytorch-tree-lstm's child-sum cell: `SCRIPT TREES SIZE BATCH`, one JSON line with trees/s, forward and backward, out.

TREES is JSON: for each tree the parent of every node, -1 for the root.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import torch
import treelstm

torch.set_num_threads(1)
parents, size, batch = json.loads(Path(sys.argv[1]).read_text()), int(sys.argv[2]), int(sys.argv[3])
model = treelstm.TreeLSTM(size, size)
trees = []
for tree in parents:
    edges = np.array([[parent, node] for node, parent in enumerate(tree) if parent >= 0], dtype=np.int64).reshape(-1, 2)
    node_order, edge_order = treelstm.calculate_evaluation_orders(edges, len(tree))
    trees.append(
        {
            "f": torch.randn(len(tree), size),
            "a": torch.from_numpy(edges),
            "node_order": torch.from_numpy(node_order),
            "edge_order": torch.from_numpy(edge_order),
        }
    )
rates = []
for start in range(0, len(trees) - batch + 1, batch):
    began = time.process_time()
    given = treelstm.batch_tree_input(trees[start : start + batch])
    h, _ = model(given["features"], given["node_order"], given["adjacency_list"], given["edge_order"])
    h.sum().backward()
    rates.append(batch / (time.process_time() - began))
print(json.dumps({"trees_per_second": float(np.median(rates[1:]))}))
