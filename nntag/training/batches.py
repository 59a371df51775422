"""One epoch's batches: which items share each, decided beforehand, and each made when its turn comes."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGE = 2.0  # ours: times the mean size; in a treebank a few of a hundred batches


@dataclass(frozen=True, slots=True)
class Batches:
    """The batches of one pass over the training data, in the order in which they are trained on."""

    items: Sequence[np.ndarray]  # of each batch: the numbers of its sentences or trees
    make: Callable[[np.ndarray], Any]  # such numbers -> a batch
    sizes: np.ndarray | None = None  # int64 of each batch, padding counted; None where all are of about one size

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, number: int) -> Any:
        return self.make(self.items[number])

    def __iter__(self) -> Iterator[Any]:
        return map(self.make, self.items)

    def is_large(self, number: int) -> bool:
        """Whether a batch is more than twice as large as they are on average; False past the last one."""
        sizes = self.sizes
        return sizes is not None and number < len(sizes) and bool(sizes[number] > LARGE * sizes.mean())

    def digest(self) -> str:
        """16 hexadecimal digits of which items meet and when: an epoch goes on half way only in its own order."""
        found = hashlib.sha256()
        for items in self.items:
            found.update(len(items).to_bytes(8, "little"))
            found.update(np.ascontiguousarray(items, np.int64).tobytes())
        return found.hexdigest()[:16]
