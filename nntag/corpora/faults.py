"""What happens to a bad item: a reader makes a `DataError`; `on_bad` raises it, or collects it and reading goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeVar

from nntag.errors import DataError

OnBad = Callable[[DataError], None]
T = TypeVar("T")

logger = logging.getLogger("nntag")


def raise_bad(error: DataError) -> NoReturn:
    """The default: the first bad item ends the reading."""
    raise error


def mark_faults(read: Callable[[OnBad], Iterator[T]], mark: Callable[[str], T], on_bad: OnBad) -> Iterator[T]:
    """What `read` gives, and before it the `mark` of each fault that it met on the way there."""
    faults: list[str] = []

    def collect(error: DataError) -> None:
        on_bad(error)
        faults.append(str(error))

    for item in read(collect):
        yield from map(mark, faults)
        faults.clear()
        yield item
    yield from map(mark, faults)


class SkippedItems:
    """An `on_bad` for `--skip-bad`: warns of each bad item as it comes, keeps the count and the first errors."""

    def __init__(self, keep: int = 100):
        self.count = 0
        self.errors: list[DataError] = []
        self._keep = keep

    def __call__(self, error: DataError) -> None:
        self.count += 1
        if len(self.errors) < self._keep:
            self.errors.append(error)
        logger.warning("%s (left out)", error)
