"""The models by name: one torch-free row each, from which help texts, configs and modules are made."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nntag.config.fields import unknown_name
from nntag.config.language_models import BidirectionalRMNConfig, LSTMLMConfig, MemNConfig, NgramConfig, RMNConfig
from nntag.config.tagging import HighwayLSTMConfig, RHNConfig, ShortcutConfig, SkipLSTMConfig
from nntag.config.tasks import TaskRow, find_task
from nntag.config.trees import (
    ChildSumGRUConfig,
    ChildSumLSTMConfig,
    MatrixVectorConfig,
    RNTNConfig,
    TreeGRUConfig,
    TreeLSTMConfig,
    TreeRNNConfig,
)
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
    counted: bool = False  # estimated from counts in one pass: no gradients, no epochs
    any_shape: bool = False  # a tree model whose nodes may have any number of children, and words

    @property
    def task_row(self) -> TaskRow:
        return find_task(self.task)

    def load_class(self) -> Any:
        """The class that `module` names; imports torch."""
        module, name = self.module.split(":")
        return getattr(importlib.import_module(module), name)


WU_2016 = "Wu, Zhang & Zong 2016"
TRAN_2016 = "Tran, Bisazza & Monz 2016"


def _skip_row(name: str, skip: str, summary: str) -> ModelRow:
    return ModelRow(
        name, "tagging", SkipLSTMConfig, "nntag.tagging.encoders.skip_lstm:SkipLSTM", summary, WU_2016, {"skip": skip}
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
        "shortcut",
        "tagging",
        ShortcutConfig,
        "nntag.tagging.encoders.shortcut:Shortcut",
        "stacked bidirectional shortcut blocks: gated shortcuts in place of the LSTM's self-connection",
        "Wu, Zhang & Zong 2017",
    ),
    ModelRow(
        "highway-lstm",
        "tagging",
        HighwayLSTMConfig,
        "nntag.tagging.encoders.highway_lstm:HighwayLSTM",
        "stacked BiLSTM with gated links between the internal states of neighbouring layers",
        "Zhang et al. 2016",
    ),
    ModelRow(
        "rhn",
        "tagging",
        RHNConfig,
        "nntag.tagging.encoders.rhn:RHN",
        "one bidirectional recurrent highway layer with several highway steps a word",
        "Zilly et al. 2016",
    ),
    ModelRow(
        "rm",
        "lm",
        RMNConfig,
        "nntag.language_models.models.rmn:RecurrentMemory",
        "recurrent memory network RM(+tM-g): an LSTM, then attention over the last n words",
        TRAN_2016,
    ),
    ModelRow(
        "rmr",
        "lm",
        RMNConfig,
        "nntag.language_models.models.rmn:RecurrentMemory",
        "recurrent memory network RMR(+tM-g): RM with one more LSTM layer on top",
        TRAN_2016,
        {"recurrent_top": True},
    ),
    ModelRow(
        "rm-bidirectional",
        "lm",
        BidirectionalRMNConfig,
        "nntag.language_models.models.rmn_bidirectional:BidirectionalRecurrentMemory",
        "RM(+tM-g) whose memory sees the words on both sides; for completion: scores are pseudo-likelihoods",
        TRAN_2016,
    ),
    ModelRow(
        "lstm-lm",
        "lm",
        LSTMLMConfig,
        "nntag.language_models.models.lstm_lm:LSTMLM",
        "stacked LSTM language model",
        TRAN_2016,
    ),
    ModelRow(
        "memn",
        "lm",
        MemNConfig,
        "nntag.language_models.models.memory_network:MemoryNetwork",
        "memory network of one hop over the last n words, no LSTM",
        "Sukhbaatar et al. 2015",
    ),
    ModelRow(
        "ngram",
        "lm",
        NgramConfig,
        "nntag.language_models.ngram.model:NgramModel",
        "n-gram model with interpolated modified Kneser-Ney smoothing",
        "Chen & Goodman 1998",
        counted=True,
    ),
    ModelRow(
        "tree-gru",
        "sentiment",
        TreeGRUConfig,
        "nntag.trees.cells.gru:TreeGRU",
        "binary Tree-GRU: a reset gate for each child, one update gate or one for each child",
        "Tsakalos 2017",
    ),
    ModelRow(
        "tree-lstm",
        "sentiment",
        TreeLSTMConfig,
        "nntag.trees.cells.lstm:TreeLSTM",
        "binary Tree-LSTM: a forget gate for each child",
        "Tai, Socher & Manning 2015",
    ),
    ModelRow(
        "tree-gru-child-sum",
        "sentiment",
        ChildSumGRUConfig,
        "nntag.trees.cells.child_sum:ChildSumGRU",
        "child-sum Tree-GRU, for any number of unordered children",
        "Zhou, Liu & Pan 2016",
        any_shape=True,
    ),
    ModelRow(
        "tree-lstm-child-sum",
        "sentiment",
        ChildSumLSTMConfig,
        "nntag.trees.cells.child_sum:ChildSumLSTM",
        "child-sum Tree-LSTM, for any number of unordered children",
        "Tai, Socher & Manning 2015",
        any_shape=True,
    ),
    ModelRow(
        "tree-rnn",
        "sentiment",
        TreeRNNConfig,
        "nntag.trees.cells.rnn:TreeRNN",
        "plain recursive network (eq. 3.16)",
        "Socher et al. 2011",
    ),
    ModelRow(
        "tree-rnn-untied",
        "sentiment",
        TreeRNNConfig,
        "nntag.trees.cells.rnn:TreeRNN",
        "syntactically untied recursive network: a matrix for each pair of kinds of children",
        "Socher et al. 2013a",
        {"untied": True},
    ),
    ModelRow(
        "matrix-vector",
        "sentiment",
        MatrixVectorConfig,
        "nntag.trees.cells.matrix_vector:MatrixVector",
        "matrix-vector recursive network: every node has a vector and a matrix (eq. 3.19)",
        "Socher et al. 2012",
    ),
    ModelRow(
        "rntn",
        "sentiment",
        RNTNConfig,
        "nntag.trees.cells.rntn:RNTN",
        "recursive neural tensor network (eq. 3.20)",
        "Socher et al. 2013b",
    ),
)


def find_model(name: str) -> ModelRow:
    """The row called `name`; raises `UsageError` with the choices."""
    rows = {row.name: row for row in MODELS}
    if name not in rows:
        raise UsageError(unknown_name("model", name, rows))
    return rows[name]
