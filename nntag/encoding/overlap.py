"""Sentences that training and a held-out split share: the sentences of both in, how many of the latter are known out.

A score on sentences that training holds says nothing of new text, and nothing else in a data folder shows it.
"""

from __future__ import annotations

import hashlib
import logging
from array import array
from collections.abc import Iterable, Sequence

import numpy as np

NOTABLE = 0.05  # ours: from this share of a held-out split on it is a warning; short sentences repeat in any corpus

logger = logging.getLogger("nntag")


class SentenceHashes:
    """Sentences by 8 bytes of a hash, so that millions fit into memory."""

    def __init__(self, sentences: Iterable[Sequence[str]] = ()):
        self._hashes = array("Q")
        for tokens in sentences:
            self.add(tokens)

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, tokens: Sequence[str]) -> None:
        """Takes up one sentence."""
        text = "\x1f".join(tokens).encode("utf-8", "surrogatepass")
        self._hashes.append(int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "little"))

    def count_known(self, others: SentenceHashes) -> int:
        """How many of these sentences are among the `others`."""
        own = np.frombuffer(self._hashes, np.uint64) if len(self) else np.empty(0, np.uint64)
        known = np.frombuffer(others._hashes, np.uint64) if len(others) else np.empty(0, np.uint64)
        return int(np.isin(own, known).sum())


def describe_overlap(split: str, known: int, total: int) -> list[str]:
    """The remark for the user, none where nothing is shared; a warning at once where it is a notable share."""
    if not known:
        return []
    text = f"{known:,} of the {total:,} sentences of {split} ({100 * known / total:.1f} %) are in train too"
    if known < NOTABLE * total:
        return [text]
    logger.warning("%s: scores on %s do not show how well the model does on new text", text, split)
    return []
