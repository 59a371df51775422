"""The values of the recipes for tree models; `recipes.py` makes recipes of them."""

from __future__ import annotations

from typing import Any

TSAKALOS_2017: dict[str, Any] = {
    "model.dropout": 0.5,
    "input.tune_vectors": False,
    "input.neutral_nodes": "drop",
    "train.optimiser": "adagrad",
    "train.lr": 0.05,
    "train.weight_decay": 1e-4,
    "train.batch_size": 25,
    "train.loss_per": "token",  # eq. 5.3: 1/m, the mean over the labelled nodes
    "train.epochs": 12,
    "train.patience": 2,
}

TAI_2015: dict[str, Any] = TSAKALOS_2017 | {
    "input.tune_vectors": True,
    "input.vector_lr": 0.1,
    "input.neutral_nodes": "class",
    "train.loss_per": "sentence",
}

DEFAULT: dict[str, Any] = TAI_2015 | {
    "input.tune_vectors": False,
    "input.vector_norm": 4.0,
    "train.epochs": 20,
    "train.patience": 5,
}

# AdaGrad's first step moves every weight by the whole rate: at 0.05 that drowns what multiplies two children's states
RATES_BY_MODEL: dict[str, dict[str, Any]] = {
    "rntn": {"train.lr": 0.002},
    "matrix-vector": {"train.lr": 0.01, "input.vector_norm": 1.0},
}
