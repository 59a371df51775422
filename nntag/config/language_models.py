"""The language models: a frozen dataclass of settings for each, one for their input, and the registry's rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.fields import option
from nntag.config.model_row import ModelRow
from nntag.errors import UsageError

Composition = Literal["gating", "linear", "sum"]
Softmax = Literal["full", "adaptive"]
SOFTMAX = (
    "full: one matrix over all words; adaptive: rare words in clusters (Grave et al. 2017), for large vocabularies"
)
CUTOFFS = "adaptive: ranks of words by frequency where clusters begin; those far below |V| are used"
SHRINK = "adaptive: each cluster's states are this many times as narrow as those of the one before"


def check_output(config: NeuralConfig) -> None:
    """Raises `UsageError` for settings of the output layer that do not fit together."""
    cutoffs = config.cutoffs
    if not cutoffs or any(after <= before for before, after in zip((0, *cutoffs), cutoffs, strict=False)):
        raise UsageError(f"cutoffs must be whole numbers from 1 on, each greater than the one before, found {cutoffs}")
    if config.softmax == "adaptive" and getattr(config, "tie", False):
        raise UsageError("tie: the adaptive softmax has no matrix over all words; use softmax=full")


@dataclass(frozen=True, slots=True)
class LSTMLMConfig:
    """Stacked LSTM language model, the baseline of Tran, Bisazza & Monz 2016."""

    layers: int = option(1, "LSTM layers", low=1, high=1_000)
    hidden: int = option(128, "width d of the embeddings and of every layer", low=1)
    dropout: float = option(0.0, "dropout after each LSTM layer (section 6)", low=0, high=0.99)
    input_dropout: float = option(0.0, "dropout on the word embeddings (ours)", low=0, high=0.99)
    output_dropout: float = option(0.0, "dropout on the states under the softmax (ours)", low=0, high=0.99)
    tie: bool = option(False, "the output matrix is the input embedding (ours; the paper has two)")
    forget_bias: float = option(1.0, "initial bias of the forget gate")
    init_range: float = option(0.05, "every other parameter starts uniform in (-r, r)", low=0)
    softmax: Softmax = option("full", SOFTMAX)
    cutoffs: tuple[int, ...] = option((2_000, 10_000, 30_000), CUTOFFS)
    shrink: float = option(4.0, SHRINK, low=1, high=64)

    def __post_init__(self) -> None:
        check_output(self)


@dataclass(frozen=True, slots=True)
class RMNConfig:
    """Recurrent memory network: LSTM layers, a memory block over the last n words, and for RMR an LSTM layer on top."""

    layers: int = option(1, "LSTM layers below the memory block", low=1, high=1_000)
    hidden: int = option(128, "width d of embeddings, states, memory input and output", low=1)
    memory: int = option(
        15, "memory size n: the words that the block sees, the current one among them", low=1, high=10_000
    )
    temporal: bool = option(True, "+tM: a temporal matrix biases attention by position, eq. 2; without it eq. 1")
    temporal_output: bool = option(True, "with +tM, another matrix is added to the memory output (the authors' code)")
    composition: Composition = option("gating", "g(s, h): eqs. 4-7; linear: A h + s (authors' code); sum: h + s (text)")
    recurrent_top: bool = option(False, "RMR: one more LSTM layer on top of the memory block")
    dropout: float = option(0.0, "dropout after each LSTM layer (section 6)", low=0, high=0.99)
    input_dropout: float = option(0.0, "dropout on the word embeddings and the memory's (ours)", low=0, high=0.99)
    output_dropout: float = option(0.0, "dropout on the states under the softmax (ours)", low=0, high=0.99)
    tie: bool = option(False, "the output matrix is the input embedding (ours; the paper has two)")
    forget_bias: float = option(1.0, "initial bias of the forget gate")
    init_range: float = option(0.05, "every other parameter starts uniform in (-r, r)", low=0)
    softmax: Softmax = option("full", SOFTMAX)
    cutoffs: tuple[int, ...] = option((2_000, 10_000, 30_000), CUTOFFS)
    shrink: float = option(4.0, SHRINK, low=1, high=64)

    def __post_init__(self) -> None:
        check_output(self)


@dataclass(frozen=True, slots=True)
class BidirectionalRMNConfig(RMNConfig):
    """Recurrent memory network whose block sees both sides of the word to predict (section 6)."""

    memory: int = option(10, "words n that the block sees on either side of the predicted one", low=1, high=10_000)

    def __post_init__(self) -> None:
        check_output(self)
        if self.recurrent_top:
            raise UsageError("recurrent_top: a layer on top of a two-sided memory would see what it predicts")


@dataclass(frozen=True, slots=True)
class MemNConfig:
    """Memory network of one hop (Sukhbaatar et al. 2015), the baseline of Tran, Bisazza & Monz 2016."""

    hidden: int = option(128, "width d of the memory input and output", low=1)
    memory: int = option(15, "memory size n: the words that it sees, the current one among them", low=1, high=10_000)
    query: float = option(0.1, "every entry of the constant query u")
    input_dropout: float = option(0.0, "dropout on the memory's embeddings (ours)", low=0, high=0.99)
    output_dropout: float = option(0.0, "dropout on the states under the softmax (ours)", low=0, high=0.99)
    init_range: float = option(0.05, "every parameter starts uniform in (-r, r)", low=0)
    softmax: Softmax = option("full", SOFTMAX)
    cutoffs: tuple[int, ...] = option((2_000, 10_000, 30_000), CUTOFFS)
    shrink: float = option(4.0, SHRINK, low=1, high=64)

    def __post_init__(self) -> None:
        check_output(self)


NeuralConfig = LSTMLMConfig | RMNConfig | MemNConfig


@dataclass(frozen=True, slots=True)
class NgramConfig:
    """N-gram model with interpolated modified Kneser-Ney smoothing (Chen & Goodman 1998)."""

    order: int = option(5, "words of the longest n-gram", low=1, high=100)


@dataclass(frozen=True, slots=True)
class LMInput:
    """Which sentences a language model is trained on, and how they share batches. Evaluation always uses them all."""

    min_length: int = option(1, "shortest training sentence, with its </s>", low=1)
    max_length: int = option(0, "longest training sentence, with its </s>; 0: no limit", low=0)
    backward: bool = option(False, "read sentences from right to left (ours)")
    same_length: bool = option(False, "only sentences of the same length share a batch, so that none is padded")


TRAN_2016 = "Tran, Bisazza & Monz 2016"

ROWS = (
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
)
