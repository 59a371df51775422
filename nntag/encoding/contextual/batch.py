"""The words of one batch on their way from an encoder to a model: what was encoded a sentence in, one object out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from nntag.encoding.contextual.pieces import Window

EncodedSentence = np.ndarray | list[Window]  # float16[T, L, D] of a frozen encoder; windows for one that is tuned


@dataclass(frozen=True, slots=True)
class WordBatch:
    """N words, sentence after sentence: their states, or the windows from which an encoder makes them."""

    words: int  # N
    states: Tensor | None  # float16[N, L, D]
    windows: tuple[Window, ...] = ()

    def to(self, device: torch.device) -> WordBatch:
        return replace(self, states=None if self.states is None else self.states.to(device))


def join_sentences(sentences: Sequence[EncodedSentence], lengths: np.ndarray) -> WordBatch:
    """The words of `sentences`, whose lengths are `lengths: int64[B]`, as one batch."""
    states = [sentence for sentence in sentences if isinstance(sentence, np.ndarray)]
    if states:
        return WordBatch(int(lengths.sum()), torch.from_numpy(np.concatenate(states)))
    starts = np.cumsum(lengths) - lengths
    windows = tuple(
        replace(window, rows=np.where(window.rows >= 0, window.rows + start, -1))
        for sentence, start in zip(sentences, starts.tolist(), strict=True)
        for window in sentence
    )
    return WordBatch(int(lengths.sum()), None, windows)


def pad_words(rows: Tensor, lengths: Tensor) -> Tensor:
    """float[N, D] of N words, sentence after sentence -> float[T, B, D]; zeros after a sentence's end."""
    return pad_sequence(list(rows.split(lengths.tolist())))
