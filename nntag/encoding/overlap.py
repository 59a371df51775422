"""Sentences that training and a held-out split share: the sentences of both in, how many of the latter are known out.

A score on sentences that training holds says nothing of new text, and nothing else in a data folder shows it.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from nntag.encoding.spilled import BLOCK, SpilledArray

NOTABLE = 0.05  # ours: from this share of a held-out split on it is a warning; short sentences repeat in any corpus

logger = logging.getLogger("nntag")


class SentenceHashes:
    """Sentences by 8 bytes of a hash each; more than a million of them lie in a file in `folder`."""

    def __init__(self, sentences: Iterable[Sequence[str]] = (), folder: Path | None = None):
        self.values = SpilledArray("Q", folder)
        for tokens in sentences:
            self.add(tokens)

    def add(self, tokens: Sequence[str]) -> None:
        """Takes up one sentence."""
        text = "\x1f".join(tokens).encode("utf-8", "surrogatepass")
        self.values.append(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))

    def count_known(self, others: SentenceHashes) -> int:
        """How many of these sentences are among the `others`."""
        return sum(int(known.sum()) for known in self._find_known(others))

    def find_known(self, others: SentenceHashes) -> np.ndarray:
        """bool[N]: which of these sentences are among the `others`."""
        return np.concatenate([np.zeros(0, bool), *self._find_known(others)])

    def _find_known(self, others: SentenceHashes) -> Iterator[np.ndarray]:
        """The same in parts."""
        for own in self.values.blocks(size=4 * BLOCK):
            values, places_of_own = np.unique(own, return_inverse=True)
            found = np.zeros(len(values), bool)
            for other in others.values.blocks():
                places = np.searchsorted(values, other).clip(max=len(values) - 1)
                found[places[values[places] == other]] = True
            yield found[places_of_own]


def describe_overlap(split: str, known: int, total: int) -> list[str]:
    """The remark for the user, none where nothing is shared; a warning at once where it is a notable share."""
    if not known:
        return []
    text = f"{known:,} of the {total:,} sentences of {split} ({100 * known / total:.1f} %) are in train too"
    if known < NOTABLE * total:
        return [text]
    logger.warning("%s: scores on %s do not show how well the model does on new text", text, split)
    return []
