"""Ctrl-C and SIGTERM during a training: what must not be cut in two is finished first."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupts:
    """A context manager. Within it a signal that arrives while something is held acts when that has ended; a second
    one acts at once, and so does any signal at other times. A signal that would not raise an exception, since nobody
    handles it, is left as it is."""

    def __init__(self) -> None:
        self.whole = True  # False where an exception has come out of the middle of what was held
        self._held = False
        self._pending: tuple[int, FrameType | None] | None = None
        self._handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}

    def __enter__(self) -> Interrupts:
        if threading.current_thread() is threading.main_thread():  # signals arrive nowhere else
            for number in SIGNALS:
                handler = signal.getsignal(number)
                if callable(handler):
                    self._handlers[number] = handler
                    signal.signal(number, self._receive)
        return self

    def __exit__(self, *exception: object) -> None:
        for number, handler in self._handlers.items():
            signal.signal(number, handler)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """The block is not interrupted; what arrives meanwhile acts at its end."""
        self._held = True
        self.whole = False
        try:
            yield
            self.whole = True
        finally:
            self._held = False
            pending, self._pending = self._pending, None
            if pending is not None:
                self._handlers[pending[0]](*pending)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if self._held and self._pending is None:
            self._pending = number, frame
        else:
            self._handlers[number](number, frame)
