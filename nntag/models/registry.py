"""The models by name: one torch-free row each, from which help texts, configs and modules are made."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nntag.config.fields import unknown_name
from nntag.config.language_models import LSTMLMConfig, MemNConfig, RMNConfig
from nntag.config.models import SkipLSTMConfig
from nntag.errors import UsageError


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One model: what it is called, what it does, and where its code is."""

    name: str
    task: str  # tagging, lm or sentiment
    config: type
    module: str  # "package.module:Class"; for tagging the class is the encoder between input layer and softmax
    summary: str
    citation: str
    preset: Mapping[str, Any] = field(default_factory=dict)  # values of `config` that the name stands for

    def load_class(self) -> Any:
        """The class that `module` names; imports torch."""
        module, name = self.module.split(":")
        return getattr(importlib.import_module(module), name)


WU_2016 = "Wu, Zhang & Zong 2016"
TRAN_2016 = "Tran, Bisazza & Monz 2016"


def _skip_row(name: str, skip: str, summary: str) -> ModelRow:
    return ModelRow(
        name, "tagging", SkipLSTMConfig, "nntag.models.skip_lstm:SkipLSTM", summary, WU_2016, {"skip": skip}
    )


MODELS = (
    _skip_row(
        "skip-gated", "output-gated", "stacked BiLSTM, gated skips to the cell outputs (eq. 15): the paper's best"
    ),
    _skip_row("skip-output", "output", "stacked BiLSTM, skips to the cell outputs (eqs. 13-14)"),
    _skip_row("skip-internal", "internal", "stacked BiLSTM, skips to the internal states (eqs. 11-12)"),
    _skip_row("skip-internal-gated", "internal-gated", "stacked BiLSTM, gated skips to the internal states"),
    _skip_row("skip-gates", "gates", "stacked BiLSTM, skips to the gates (eq. 10)"),
    _skip_row("skip-none", "none", "plain stacked BiLSTM (eq. 9)"),
    ModelRow(
        "rm",
        "lm",
        RMNConfig,
        "nntag.models.rmn:RecurrentMemory",
        "recurrent memory network RM(+tM-g): an LSTM, then attention over the last n words",
        TRAN_2016,
    ),
    ModelRow(
        "rmr",
        "lm",
        RMNConfig,
        "nntag.models.rmn:RecurrentMemory",
        "recurrent memory network RMR(+tM-g): RM with one more LSTM layer on top",
        TRAN_2016,
        {"recurrent_top": True},
    ),
    ModelRow(
        "lstm-lm", "lm", LSTMLMConfig, "nntag.models.lstm_lm:LSTMLM", "stacked LSTM language model", TRAN_2016
    ),
    ModelRow(
        "memn",
        "lm",
        MemNConfig,
        "nntag.models.memory_network:MemoryNetwork",
        "memory network of one hop over the last n words, no LSTM",
        "Sukhbaatar et al. 2015",
    ),
)


def find_model(name: str) -> ModelRow:
    """The row called `name`; raises `UsageError` with the choices."""
    rows = {row.name: row for row in MODELS}
    if name not in rows:
        raise UsageError(unknown_name("model", name, rows))
    return rows[name]
