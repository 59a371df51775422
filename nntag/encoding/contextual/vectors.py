"""Frozen contextual vectors: sentences in, one row of half-precision states a word out, kept on disk where wanted.

Training reads them from the cache, `tag` and `eval` compute them on the way; both come from the same function and are
rounded alike.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import torch

from nntag.config.contextual import ContextualInput
from nntag.encoding.contextual.cache import CACHE, GIGABYTE, VectorCache
from nntag.encoding.contextual.encoder import ContextualEncoder, load_encoder, use_bfloat16
from nntag.encoding.contextual.files import encoder_files, find_encoder, hash_files
from nntag.progress import Progress, ProgressCallback, ignore_progress

CHUNK_VALUES = 1 << 24  # numbers that are held in float32 at once: 64 MB
KEY_DIGITS = 16


class ContextualVectors:
    """The vectors of one frozen encoder, which is loaded when the first of them is computed."""

    def __init__(self, settings: ContextualInput, device: torch.device | None = None):
        """Raises `RunError`, `UsageError` where the settings name no encoder."""
        assert settings.contextual is not None
        self.settings, self.device = settings, device or torch.device("cpu")
        self.folder = find_encoder(settings.contextual)

    def use_device(self, device: torch.device) -> None:
        """Where vectors are computed from now on."""
        if device != self.device:
            self.device = device
            self.__dict__.pop("encoder", None)

    @functools.cached_property
    def hash(self) -> str:
        return hash_files(encoder_files(self.folder))

    @functools.cached_property
    def encoder(self) -> ContextualEncoder:
        return load_encoder(self.folder, self.settings, self.device)

    def compute(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """float16[T, L, D] for each sentence."""
        lengths = [len(words) for words in sentences]
        table = np.zeros((sum(lengths), self.encoder.layers, self.encoder.size), np.float16)
        self._fill(table, sentences)
        return np.split(table, np.cumsum(lengths)[:-1]) if lengths else []

    def cached(
        self,
        sentences: Sequence[Sequence[str]],
        beside: Path,
        what: str = "text",
        progress: ProgressCallback = ignore_progress,
    ) -> list[np.ndarray]:
        """As `compute`, read from the cache beside the data folder `beside`; computed and kept where it is not there.

        `what` names the text in progress reports. Raises `RunError`, `UsageError`.
        """
        lengths = [len(words) for words in sentences]
        cache = VectorCache(beside.resolve().parent / CACHE, self.settings.contextual_cache_gb * GIGABYTE)
        key, rows = self._key(sentences), sum(lengths)
        table = cache.load(key, rows)
        if table is None:
            shape = (rows, self.encoder.layers, self.encoder.size)
            stage = f"contextual vectors of {what}"
            table = cache.store(key, shape, lambda array: self._fill(array, sentences, stage, progress))
        return np.split(table, np.cumsum(lengths)[:-1]) if lengths else []

    def _key(self, sentences: Sequence[Sequence[str]]) -> str:
        """The file name of these sentences' vectors: all that they depend on, the encoder's name in front."""
        s = self.settings
        taken = (s.contextual_layers, s.contextual_pooling, s.contextual_longest, use_bfloat16(s, self.device))
        whole = hashlib.sha256(f"{self.hash} {taken}\n".encode())
        for words in sentences:
            whole.update(json.dumps(list(words)).encode() + b"\n")
        name = re.sub(r"[^A-Za-z0-9._-]", "_", self.folder.resolve().name)[:60]
        return f"{name}-{whole.hexdigest()[:KEY_DIGITS]}"

    def _fill(
        self,
        table: np.ndarray,
        sentences: Sequence[Sequence[str]],
        stage: str = "contextual vectors",
        progress: ProgressCallback = ignore_progress,
    ) -> None:
        """Writes the words' states, clipped to what half precision holds, into the rows of `table`."""
        lengths = np.array([len(words) for words in sentences], np.int64)
        starts, limit, done = np.cumsum(lengths) - lengths, np.finfo(np.float16).max, 0
        for chosen in _chunks(lengths, max(1, CHUNK_VALUES // (self.encoder.layers * self.encoder.size))):
            part = [sentences[number] for number in chosen]
            words = int(lengths[chosen].sum())
            with torch.inference_mode():
                states = self.encoder(self.encoder.windows(part), words)
                states = states.clamp_(-limit, limit).half().cpu().numpy()
            rows = np.concatenate([np.arange(starts[number], starts[number] + lengths[number]) for number in chosen])
            table[rows] = states
            done += words
            progress(Progress(stage, done, len(table), "tokens", finished=done == len(table)))


def _chunks(lengths: np.ndarray, words: int) -> Iterator[np.ndarray]:
    """All sentences by falling length, so that batches hold like lengths, cut into groups of about `words` words."""
    order = np.argsort(-lengths, kind="stable")
    order = order[lengths[order] > 0]
    groups = (np.cumsum(lengths[order]) - 1) // words
    return (order[groups == group] for group in np.unique(groups))
