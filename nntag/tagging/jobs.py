"""Work for several processes: items are dealt out as they arrive, results come back in the items' order."""

from __future__ import annotations

import multiprocessing
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Any, TypeVar

from nntag.errors import DataError, UsageError

T = TypeVar("T")


def deal_out(
    items: Iterator[T],
    jobs: int,
    start: Callable[..., None],
    arguments: Sequence[Any],
    submit: Callable[[Callable[..., Future[Any]], T], Future[Any]],
    is_urgent: Callable[[], bool],
) -> Iterator[tuple[T, Any]]:
    """Each item with its result. Every process begins with `start(*arguments)`; `submit` hands an item to the pool.

    Where `is_urgent`, since the next item may be long in coming, all results are waited for first. The results of what
    came before a `DataError` of `items` come out before it. Raises `UsageError` where a process dies.
    """
    context = multiprocessing.get_context("spawn")  # forking would copy torch's threads
    pool = ProcessPoolExecutor(jobs, context, start, tuple(arguments))
    waiting: deque[tuple[T, Future[Any]]] = deque()
    fault: DataError | None = None
    try:
        while True:
            try:
                item = next(items, None)
            except DataError as error:
                item, fault = None, error
            if item is not None:
                waiting.append((item, submit(pool.submit, item)))
            most = 0 if item is None or is_urgent() else 2 * jobs  # so that no process waits for the next item
            while len(waiting) > most:
                first, future = waiting.popleft()
                yield first, future.result()
            if fault is not None:
                raise fault
            if item is None:
                return
    except BrokenProcessPool:
        raise UsageError("a tagging process ended; give --jobs a smaller number if memory is short") from None
    finally:
        pool.shutdown(cancel_futures=True)
