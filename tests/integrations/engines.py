"""Engines for tests: in this process, and one that ends in the middle."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nntag.integrations.job import Job
from nntag.integrations.worker import PartDone, PartWorker


class Here:
    """Does the parts one after the other and notes which; ends with `KeyboardInterrupt` after `most` of them."""

    def __init__(self, most: int | None = None):
        self.most, self.seen = most, list[int]()

    def __call__(self, job: Job, numbers: Sequence[int]) -> Iterator[PartDone]:
        worker = PartWorker(job)
        for number in numbers:
            if len(self.seen) == self.most:
                raise KeyboardInterrupt
            self.seen.append(number)
            yield worker.do(number)
