"""The tree models: a frozen dataclass of settings for each, one for their input, and the registry's rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.contextual import ContextualInput
from nntag.config.fields import option
from nntag.config.model_row import ModelRow


@dataclass(frozen=True, slots=True)
class TreeLSTMConfig:
    """Binary Tree-LSTM (Tai, Socher & Manning 2015)."""

    hidden: int = option(150, "width H of a node's state", low=1)
    leaf: Literal["projected", "gated"] = option(
        "projected", "cell of a leaf: c = W x + b (the authors' code), or c = i * u (eq. 13)"
    )
    forget_bias: float = option(0.0, "initial bias of the forget gates")
    dropout: float = option(0.5, "dropout on the states that the classifier sees", low=0, high=0.99)


@dataclass(frozen=True, slots=True)
class TreeGRUConfig:
    """Binary Tree-GRU (Tsakalos 2017, section 3.2.6)."""

    hidden: int = option(150, "width H of a node's state", low=1)
    update_gate: Literal["shared", "per-child"] = option(
        "shared", "one update gate z (eq. 3.34), or one for each child"
    )
    mix: Literal["mean", "sum"] = option("mean", "children's states in eq. 3.37: averaged, or summed (ours)")
    dropout: float = option(0.5, "dropout on the states that the classifier sees", low=0, high=0.99)


@dataclass(frozen=True, slots=True)
class ChildSumLSTMConfig:
    """Child-sum Tree-LSTM (Tai, Socher & Manning 2015)."""

    hidden: int = option(150, "width H of a node's state", low=1)
    forget_bias: float = option(0.0, "initial bias of the forget gate")
    dropout: float = option(0.5, "dropout on the states that the classifier sees", low=0, high=0.99)


@dataclass(frozen=True, slots=True)
class ChildSumGRUConfig:
    """Child-sum Tree-GRU (Zhou, Liu & Pan 2016)."""

    hidden: int = option(150, "width H of a node's state", low=1)
    mix: Literal["mean", "sum"] = option("mean", "children's states in h: averaged (ours), or summed")
    dropout: float = option(0.5, "dropout on the states that the classifier sees", low=0, high=0.99)


@dataclass(frozen=True, slots=True)
class TreeRNNConfig:
    """Plain recursive network (eq. 3.16) and its syntactically untied form."""

    hidden: int = option(150, "width H of a node's state", low=1)
    untied: bool = option(False, "a matrix for each pair of kinds of children, instead of one")
    dropout: float = option(0.5, "dropout on the states that the classifier sees", low=0, high=0.99)


@dataclass(frozen=True, slots=True)
class MatrixVectorConfig:
    """Matrix-vector recursive network (Socher et al. 2012)."""

    hidden: int = option(25, "width H of a node's vector; its matrix is H x H", low=1)
    rank: int = option(3, "rank r of a word's matrix besides its diagonal", low=1)
    matrix_lr: float = option(0.1, "learning rate of the words' matrices (plain SGD)", low=0)
    dropout: float = option(0.0, "dropout on the states that the classifier sees", low=0, high=0.99)


@dataclass(frozen=True, slots=True)
class RNTNConfig:
    """Recursive neural tensor network (Socher et al. 2013)."""

    hidden: int = option(30, "width H of a node's state", low=1)
    dropout: float = option(0.0, "dropout on the states that the classifier sees", low=0, high=0.99)


@dataclass(frozen=True, slots=True)
class TreeInput(ContextualInput):
    """The word vectors below a tree model, and what is done with the labels."""

    word_vectors: str | None = option(None, "file of pre-trained vectors in GloVe, word2vec or fastText text format")
    word_size: int = option(300, "width D of the vectors where there is no file", low=1)
    max_vectors: int = option(
        100_000, "maximum number of words taken from the file besides those of the training trees", low=0
    )
    vector_norm: float = option(0.0, "length that every vector of the file is scaled to (ours); 0: as it is", low=0)
    lowercase: bool = option(False, "look words up in lower case only; otherwise as written, then in lower case")
    tune_vectors: bool = option(False, "train the vectors too; without a file they are always trained")
    vector_lr: float = option(0.1, "learning rate of tuned vectors (plain SGD, Tai et al. 2015)", low=0)
    dropout: float = option(0.0, "dropout on the word vectors (ours)", low=0, high=0.99)
    neutral_nodes: Literal["class", "drop"] = option(
        "class", "neutral nodes of the binary task: a third class that no sentence gets (Tai), or without a label"
    )


ROWS = (
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
