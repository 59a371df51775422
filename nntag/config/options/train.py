"""The options of `nntag train`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nntag.config.fields import MOST_PROCESSES, flag
from nntag.config.settings import Overrides, parse_assignments, read_settings_file
from nntag.config.training import CHECKPOINT_MINUTES

GRADIENT_FLAGS = ("epochs", "batch_size", "lr", "precision", "checkpoint_minutes", "processes")


@dataclass(frozen=True)
class TrainOptions:
    """What is trained, on what, where it goes and with which settings; what is not named has the recipe's value."""

    model: str | None = flag(None, "The model; `nntag models` lists them [default: skip-gated].", metavar="NAME")
    data: Path | str | None = flag(None, "Data folder that `nntag preprocess` wrote [default: the newest].")
    out: Path | str | None = flag(None, "Run folder to write [default: runs/MODEL-DATA].")
    recipe: str | None = flag(None, "Hyper-parameters: default (ours) or a paper's: wu2016, ... [default: default].")
    layers: int | None = flag(None, "Depth L of the stack of a tagger or language model.", setting="model.layers")
    hidden: int | None = flag(
        None, "Hidden size: of a tagger in each direction, of a tree model the width of a node.", setting="model.hidden"
    )
    epochs: int | None = flag(None, "Most passes over the training data.", setting="train.epochs")
    batch_size: int | None = flag(None, "Sentences or trees in a batch.", setting="train.batch_size")
    lr: float | None = flag(None, "Learning rate.", setting="train.lr")
    dropout: float | None = flag(
        None, "Dropout of the model's states; `nntag models NAME` says of which.", setting="model.dropout"
    )
    precision: str | None = flag(
        None,
        "Matrix products in float32, in bf16 (8 significant bits; fast where the processor or GPU has it), or auto "
        "(bf16 where it is fast) [default: float32].",
        setting="train.precision",
    )
    seed: int | None = flag(None, "Seed for everything random [default: 1].", setting="train.seed")
    word_vectors: str | None = flag(
        None,
        "Pre-trained vectors: GloVe, word2vec or fastText text format (.gz, .bz2 and .xz too).",
        setting="input.word_vectors",
        tasks=("tagging", "sentiment"),
    )
    tune_word_vectors: bool | None = flag(
        None,
        "Train the vectors further, or keep them fixed [default: taggers train them, tree models do not].",
        names=("--tune-word-vectors/--fix-word-vectors",),
        setting="input.tune_vectors",
        tasks=("tagging", "sentiment"),
    )
    contextual: str | None = flag(
        None,
        "Pre-trained encoder whose vectors are added to the input: a folder, or a name on Hugging Face's hub.",
        setting="input.contextual",
        tasks=("tagging", "sentiment"),
    )
    embed_encoder: bool | None = flag(
        None,
        "Copy that encoder into the run folder, which then stands alone.",
        names=("--embed-encoder",),
        setting="input.contextual_embed",
        tasks=("tagging", "sentiment"),
    )
    softmax: str | None = flag(
        None,
        "full, or adaptive: exact probabilities at a fraction of the work where there are many words [default: full].",
        setting="model.softmax",
        tasks=("lm",),
    )
    config: Path | None = flag(None, "TOML file with [model], [input] and [train].")
    assignments: tuple[str, ...] = flag(
        (), "Any other setting (repeatable); `nntag models NAME` lists them.", names=("--set",)
    )
    runs: int = flag(1, "Train with this many seeds, into OUT-s1, OUT-s2, ...; report mean and deviation.")
    force: bool = flag(False, "Replace the run that --out already holds.", names=("--force",))
    resume: bool = flag(False, "Continue the run in --out from where it was stopped.")
    checkpoint_minutes: float = flag(
        CHECKPOINT_MINUTES,
        "Save this often within an epoch too, for --resume; 0: only at its end. No result depends on it.",
        low=0,
    )
    processes: int = flag(
        1,
        "Train in this many processes of this machine, which share each batch; one a core or GPU. The results are "
        "those of one process but for rounding and what is random.",
        low=1,
        high=MOST_PROCESSES,
    )
    device: str = flag("cpu", "cpu, cuda, cuda:N, or auto (a GPU where there is one).")
    settings: Mapping[str, Any] = field(default_factory=dict)  # from Python: values over all others, by name

    def overrides(self) -> Overrides:
        """The values over the recipe, weakest first: TOML file, `--set`, flags, `settings`."""
        flags = {
            own.metadata["setting"]: getattr(self, own.name)
            for own in dataclasses.fields(self)
            if own.metadata.get("setting") and getattr(self, own.name) is not None
        }
        file = read_settings_file(self.config) if self.config else {}
        return (file, parse_assignments(self.assignments), flags, self.settings)
