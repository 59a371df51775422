"""What a task asks of its encoder: sentences in, what a batch is joined from out, whether the encoder is tuned or not.

A frozen encoder gives states, from the cache for the splits of a data folder; for one that is tuned the sentences are
cut into windows only, and the layer above holds the encoder itself.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from nntag.config.contextual import ContextualInput
from nntag.encoding.contextual.batch import EncodedSentence
from nntag.encoding.contextual.encoder import (
    ContextualEncoder,
    build_encoder,
    encoder_shape,
    load_config,
    load_encoder,
)
from nntag.encoding.contextual.files import find_encoder, has_weights, hash_files, outline_files
from nntag.encoding.contextual.layer import ContextualLayer
from nntag.encoding.contextual.vectors import ContextualVectors
from nntag.errors import RunError, UsageError
from nntag.progress import ProgressCallback, ignore_progress

ENCODER = "encoder"  # the key under which a run notes its encoder, and the folder in it that may hold a copy


class EncoderSource:
    """The encoder that the settings of a task's input name."""

    def __init__(self, settings: ContextualInput, saved: Mapping[str, Any] | None = None):
        """`saved` is what `to_json` gave when the run was trained. Raises `RunError` where the encoder has changed or
        gone since, `UsageError` where there never was one."""
        self.settings = settings
        if saved is not None:
            settings = dataclasses.replace(settings, contextual=str(_find_again(str(settings.contextual))))
        self._vectors = ContextualVectors(settings)
        if saved is not None and saved["hash"] != self.hash:
            raise RunError(
                f"{self._vectors.folder}: not the encoder that this run was trained with (its hash begins with "
                f"{self.hash[:8]}, the run's with {saved['hash'][:8]}); put that one back, or train anew"
            )

    @property
    def name(self) -> str:
        """The hub's name, or the whole path of the folder."""
        name = str(self.settings.contextual)
        return str(self._vectors.folder.resolve()) if Path(name).expanduser().is_dir() else name

    @functools.cached_property
    def hash(self) -> str:
        """Of the whole encoder; of one that is tuned of configuration and tokenizer, which do not change."""
        return hash_files(outline_files(self._vectors.folder)) if self.settings.contextual_tune else self._vectors.hash

    def to_json(self) -> dict[str, Any]:
        """What a run keeps to know its encoder again."""
        return {"hash": self.hash}

    def use_device(self, device: torch.device) -> None:
        """Where a frozen encoder computes from now on."""
        self._vectors.use_device(device)

    def encode(self, sentences: Sequence[Sequence[str]]) -> list[EncodedSentence]:
        """Each sentence ready for `join_sentences`."""
        if self.settings.contextual_tune:
            return [self._tuned.windows([words]) for words in sentences]
        return list(self._vectors.compute(sentences))

    def encode_split(
        self,
        sentences: Sequence[Sequence[str]],
        data: Path,
        split: str,
        progress: ProgressCallback = ignore_progress,
    ) -> list[EncodedSentence]:
        """`encode` of a split of the data folder `data`; states are kept beside it. Raises `RunError`, `UsageError`."""
        if self.settings.contextual_tune:
            return self.encode(sentences)
        return list(self._vectors.cached(sentences, data, split, progress))

    def build_layer(self) -> ContextualLayer:
        """The layer that a model puts on the encoder, with the encoder itself where that is tuned."""
        if self.settings.contextual_tune:
            return ContextualLayer(self.settings, self._tuned.layers, self._tuned.size, self._tuned)
        return ContextualLayer(self.settings, *encoder_shape(load_config(self._vectors.folder), self.settings))

    @functools.cached_property
    def _tuned(self) -> ContextualEncoder:
        """The encoder as it is before it is tuned; random where a run's own weights replace all of it."""
        load = load_encoder if has_weights(self._vectors.folder) else build_encoder
        encoder = load(self._vectors.folder, self.settings, self._vectors.device)
        return encoder.make_tunable(self.settings.contextual_checkpointing)


def find_source(settings: Any, saved: Mapping[str, Any] | None = None) -> EncoderSource | None:
    """The source that a task's input settings ask for, if any."""
    return EncoderSource(settings, saved) if getattr(settings, "contextual", None) else None


def _find_again(name: str) -> Path:
    try:
        return find_encoder(name)
    except UsageError:
        raise RunError(
            f"{name}: the encoder that this run was trained with is not there; put it back, or link its folder as "
            "`encoder` in the run folder"
        ) from None
