"""Parsing in several processes: sentences are dealt out in small chunks, results come back in their order."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from types import TracebackType

from nntag.config.options.parse import ParseOptions
from nntag.errors import UsageError
from nntag.tagging.parsing.grammar import Grammar
from nntag.tagging.parsing.parse import LikelyTags, Parse
from nntag.tagging.parsing.parser import Parser

CHUNK = 10  # most sentences that a process takes at once


class ParserPool:
    """Parses like a `Parser`, in `options.jobs` processes; to be used as a context manager."""

    def __init__(self, grammar: Grammar | None, options: ParseOptions):
        """Raises UsageError where depccg is not installed."""
        jobs = options.jobs
        self._parser = Parser(grammar, options)
        self._jobs = jobs
        self._executor: ProcessPoolExecutor | None = None
        if jobs > 1:
            context = multiprocessing.get_context("spawn")  # forking would copy torch's threads
            self._executor = ProcessPoolExecutor(jobs, context, _start, (grammar, options))

    def __enter__(self) -> ParserPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._executor:
            self._executor.shutdown(cancel_futures=True)

    def parse(self, sentences: Sequence[Sequence[str]], likely: Sequence[LikelyTags]) -> list[list[Parse]]:
        """See `Parser.parse`."""
        if self._executor is None or len(sentences) < 2:
            return self._parser.parse(sentences, likely)
        size = max(1, min(CHUNK, len(sentences) // self._jobs))
        starts = range(0, len(sentences), size)
        parts = [(sentences[start : start + size], likely[start : start + size]) for start in starts]
        try:
            return [parses for part in self._executor.map(_parse, *zip(*parts, strict=True)) for parses in part]
        except BrokenProcessPool:
            raise UsageError("a parsing process ended; give --jobs a smaller number if memory is short") from None


_parsers: list[Parser] = []  # the one parser of a worker process


def _start(grammar: Grammar | None, options: ParseOptions) -> None:
    _parsers[:] = [Parser(grammar, options)]


def _parse(sentences: Sequence[Sequence[str]], likely: Sequence[LikelyTags]) -> list[list[Parse]]:
    return _parsers[0].parse(sentences, likely)
