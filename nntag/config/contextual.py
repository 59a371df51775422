"""The settings of contextual vectors: which pre-trained encoder, what is taken from it, how it is trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.fields import option


@dataclass(frozen=True, slots=True)
class ContextualInput:
    """Part of the input settings of every task whose words may get vectors from an encoder; all of it is ours."""

    contextual: str | None = option(
        None,
        "pre-trained encoder whose hidden states are added to the input: a folder, or a name on Hugging Face's hub",
    )
    contextual_layers: int = option(0, "layers of the encoder that are mixed, counted from the last; 0: all", low=0)
    contextual_pooling: Literal["mean", "first"] = option(
        "mean", "a word's vector: the mean over its word pieces, or the first piece's"
    )
    contextual_longest: int = option(
        0,
        "most word pieces that the encoder reads at once, longer sentences in overlapping windows; 0: its own limit",
        low=0,
    )
    contextual_precision: Literal["auto", "float32", "bfloat16"] = option(
        "auto", "numbers that the encoder computes in; auto: bfloat16 where the processor or GPU has it"
    )
    contextual_cache_gb: float = option(20.0, "most gigabytes of vectors kept beside the data folders", low=0)
    contextual_size: int = option(256, "width that the mixed states are projected to", low=1)
    contextual_dropout: float = option(0.3, "dropout before and after that projection", low=0, high=0.99)
