"""The taggers: a frozen dataclass of settings for each encoder, one for the input layer, and the registry's rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from nntag.config.contextual import ContextualInput
from nntag.config.fields import option
from nntag.config.model_row import ModelRow
from nntag.errors import UsageError

SkipKind = Literal["none", "gates", "internal", "internal-gated", "output", "output-gated"]
RecurrentInit = Literal["orthogonal", "xavier"]


@dataclass(frozen=True, slots=True)
class SkipLSTMConfig:
    """Stacked bidirectional LSTM with skip connections (Wu, Zhang & Zong 2016)."""

    layers: int = option(2, "depth L", low=1, high=1_000)
    hidden: int = option(200, "cells n of a layer in each direction", low=1)
    skip: SkipKind = option("output-gated", "where the skip from layer l-2 arrives, eqs. 9-15")
    gate: Literal["plain", "exclusive"] = option(
        "plain", "what the skip's gate sees: eq. 15, or section 6.1.4's exclusive gate"
    )
    mapping: Literal["identity", "sigmoid"] = option("identity", "what is done to the skipped output (section 6.1.4)")
    joined: bool = option(False, "each layer reads both directions of the layer below (ours); false: eq. 16")
    forget_bias: float = option(0.0, "initial bias b_f of the forget gate")
    bias: bool = option(True, "gates have biases (eq. 9 writes none)")
    dropout: float = option(0.5, "dropout on the outputs of the first and of the last layer", low=0, high=0.99)
    init: Literal["default", "wu2016"] = option("default", "initialisation of the weights")
    recurrent_init: RecurrentInit = option("orthogonal", "initialisation of the recurrent weights (section 6.1.2)")


ShortcutGate = Literal["linear", "nonlinear", "stochastic", "stochastic-learned"]


@dataclass(frozen=True, slots=True)
class ShortcutConfig:
    """Stacked bidirectional shortcut blocks (Wu, Zhang & Zong 2017)."""

    layers: int = option(2, "depth L", low=1, high=1_000)
    hidden: int = option(200, "cells n of a layer in each direction", low=1)
    gate: ShortcutGate = option("nonlinear", "what the shortcut gate g is")
    gate_reads: Literal["both", "below"] = option(
        "both", "what a computed gate reads: h[l-1,t] and h[l,t-1], as the LSTM's gates do, or h[l-1,t] alone"
    )
    p: float = option(0.5, "probability that a gate of kind stochastic is open", low=0, high=1)
    topology: int = option(2, "where the shortcuts run: types 1 to 5, 0 for none", low=0, high=5)
    links: tuple[tuple[int, int], ...] = option((), "shortcuts of your own, such as 1-3,2-4, in place of a topology")
    forget_bias: float = option(0.0, "initial bias of the forget gate, in layers without a shortcut")
    bias: bool = option(True, "gates have biases")
    dropout: float = option(0.5, "dropout on the outputs of the first and of the last layer", low=0, high=0.99)
    init: Literal["default", "wu2016"] = option("default", "initialisation of the weights")
    recurrent_init: RecurrentInit = option("orthogonal", "initialisation of the recurrent weights (section 6.1.2)")


@dataclass(frozen=True, slots=True)
class HighwayLSTMConfig:
    """Stacked bidirectional LSTM with gated links between internal states (Zhang et al. 2016)."""

    layers: int = option(2, "depth L", low=1, high=1_000)
    hidden: int = option(200, "cells n of a layer in each direction", low=1)
    forget_bias: float = option(0.0, "initial bias b_f of the forget gate")
    carry_bias: float = option(0.0, "initial bias b_d of the carry gate d")
    dropout: float = option(0.5, "dropout on the outputs of the first and of the last layer", low=0, high=0.99)
    init: Literal["default", "wu2016"] = option("default", "initialisation of the weights")
    recurrent_init: RecurrentInit = option("orthogonal", "initialisation of the recurrent weights (section 6.1.2)")


@dataclass(frozen=True, slots=True)
class RHNConfig:
    """One bidirectional recurrent highway layer (Zilly et al. 2016)."""

    depth: int = option(3, "recurrence depth L: highway steps within one time step", low=1, high=1_000)
    hidden: int = option(200, "units n in each direction", low=1)
    output_gate: bool = option(True, "o * tanh(s_L) in place of s_L in the last step (footnote 2, Wu 2016)")
    transform_bias: float = option(-2.0, "initial bias b_T of the transform gate")
    dropout: float = option(0.5, "dropout on the output", low=0, high=0.99)
    init: Literal["default", "wu2016"] = option("default", "initialisation of the weights")
    recurrent_init: RecurrentInit = option("orthogonal", "initialisation of the recurrent weights (section 6.1.2)")


PARTS = ("word_size", "affix_length", "capital_size", "filters", "affix_size")  # of the input; 0 switches one off


@dataclass(frozen=True, slots=True)
class TaggerInput(ContextualInput):
    """The token representation of a tagger: section 5.1 of Wu 2016, every part of it switchable, and our additions."""

    word_size: int = option(200, "width of the word embeddings; 0: no words", low=0)
    lowercase: bool = option(True, "look words up in lower case")
    digits: bool = option(True, "map every digit to 9 before the look-up")
    min_count: int = option(1, "words seen less often in training are <unk>", low=1)
    word_vectors: str | None = option(None, "file of pre-trained vectors in GloVe, word2vec or fastText text format")
    word_init: Literal["random", "zero"] = option(
        "random", "start of the word embeddings; zero (ours) adds no noise for rare words"
    )
    tune_vectors: bool = option(True, "train the word embeddings further")
    window: int = option(3, "tokens in the context window d (an odd number)", low=1, high=1_001)
    window_gate: bool = option(True, "a logistic gate on each slot of the window")
    window_over: Literal["words", "all"] = option(
        "words", "what the window spans: words (Wu 2016) or all features (Wu 2017)"
    )
    affix_length: int = option(5, "characters of prefix and suffix whose embeddings are concatenated; 0: off", low=0)
    character_size: int = option(5, "width of those character embeddings", low=1)
    normalised_affixes: bool = option(
        False, "take those characters from the word as it is looked up (lower case, digits as 9), not as it is written"
    )
    capital_size: int = option(5, "width of the capitalisation embedding; 0: off", low=0)
    shapes: bool = option(False, "distinguish more word shapes than capitalised or not (ours)")
    filters: int = option(0, "filters of a convolution over the word's characters (ours); 0: off", low=0)
    filter_character_size: int = option(32, "width of the convolution's character embeddings", low=1)
    affix_size: int = option(
        0, "width of embeddings of whole prefixes and suffixes of 1-4 characters (ours); 0: off", low=0
    )
    dropout: float = option(0.25, "dropout on the context window", low=0, high=0.99)
    word_dropout: float = option(0.0, "probability of reading a training word as <unk> (ours)", low=0, high=0.99)
    form_dropout: float = option(
        0.0, "probability of hiding all of a training word but its embedding (ours)", low=0, high=0.99
    )

    def __post_init__(self) -> None:
        ContextualInput.__post_init__(self)
        if self.window % 2 == 0:
            raise UsageError(f"window must be an odd number of tokens, found {self.window}")
        if not self.contextual and not any(getattr(self, name) for name in PARTS):
            raise UsageError(f"nothing is left to represent a word: one of {', '.join(PARTS)} must be above 0")

    def own_parts(self) -> TaggerInput:
        """The settings of what is made of the words themselves: nothing with `contextual_alone`."""
        if not self.contextual_alone:
            return self
        return replace(self, word_size=0, affix_length=0, capital_size=0, filters=0, affix_size=0)


WU_2016 = "Wu, Zhang & Zong 2016"


def _skip_row(name: str, skip: str, summary: str) -> ModelRow:
    return ModelRow(
        name, "tagging", SkipLSTMConfig, "nntag.tagging.encoders.skip_lstm:SkipLSTM", summary, WU_2016, {"skip": skip}
    )


ROWS = (
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
)
