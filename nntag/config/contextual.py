"""The settings of contextual vectors: which pre-trained encoder, what is taken from it, how it is trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from nntag.config.fields import option
from nntag.errors import UsageError


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
    contextual_alone: bool = option(False, "nothing else of the words: no embeddings, characters or affixes")
    contextual_tune: bool = option(False, "train the encoder too")
    contextual_lr: float = option(5e-5, "learning rate of a tuned encoder, before its schedule", low=0)
    contextual_warmup: int = option(200, "updates over which that rate rises from 0", low=0)
    contextual_decay: float = option(0.01, "weight decay of a tuned encoder, apart from its gradients (AdamW)", low=0)
    contextual_checkpointing: bool = option(
        False, "tune with less memory but more time: layers are computed again in the backward pass"
    )
    contextual_embed: bool = option(False, "copy a frozen encoder into the run folder, so that the folder stands alone")

    def __post_init__(self) -> None:
        for name in ("contextual_alone", "contextual_tune", "contextual_embed"):
            if getattr(self, name) and not self.contextual:
                raise UsageError(f"{name} needs an encoder: name one with --contextual")
