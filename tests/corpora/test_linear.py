"""Time and memory of every reader grow with the length of its input, and no faster: of 1x and 4x the same text."""

from __future__ import annotations

import time
import tracemalloc
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from nntag.corpora.formats import FORMATS
from nntag.corpora.lines import lines_from_bytes
from nntag.sample import SAMPLE_FORMATS, write_sample

BYTES = 30_000  # of a file
WORDS = 1_500  # of an item
MOST_TIME = 7.0  # times as long for four times as much; a quadratic reader takes sixteen times
MOST_MEMORY = 5.0
OVERHEAD = 200_000  # bytes that a reader may hold besides


def repeat_row(count: int) -> bytes:
    return b"".join(b"%d\tword\t_\tN\t_\t_\t_\t_\t_\t_\n" % number for number in range(1, count + 1))


def nest(opening: bytes, leaf: bytes, closing: bytes) -> Callable[[int], bytes]:
    return lambda count: opening * count + leaf + closing * count


LONG_ITEMS: dict[str, Callable[[int], bytes]] = {  # an item of so many words
    "text": lambda count: b"word " * count,
    "piped": lambda count: b"word|N|N/N " * count,
    "ptb": lambda count: b"(S " + b"(N word) " * count + b")",
    "ccgbank": nest(b"(<T N 1 2> (<L N/N JJ JJ a N/N>) ", b"(<L N NN NN b N>) ", b") "),
    "sst": nest(b"(2 (2 a) ", b"(2 b)", b")"),
    "columns": lambda count: b"word\tN\n" * count,
    "conllu": repeat_row,
    "vectors": lambda count: b"word" + b" 0.1" * count,
}


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """About `BYTES` of each format, whole items."""
    folder = tmp_path_factory.mktemp("linear")
    found = {}
    for format in SAMPLE_FORMATS:
        paths = write_sample(format, folder / format, 100)
        found[format] = (paths.get("train") if format != "sherlock" else paths["questions"]).read_bytes()[:BYTES]
        separator = b"\n\n" if b"\n\n" in found[format] and format != "sherlock" else b"\n"
        found[format] = found[format][: found[format].rindex(separator) + len(separator)]
    found["gutenberg"] = next((folder / "sherlock").rglob("*.TXT")).read_bytes()[:BYTES]
    return found


def drain(reader: Callable[..., Iterator[Any]], data: bytes) -> None:
    deque(reader(lines_from_bytes(data, "toy"), on_bad=lambda error: None), maxlen=0)


def seconds(reader: Callable[..., Iterator[Any]], data: bytes) -> float:
    """The least of three runs: what others do on the machine only adds."""
    found = []
    for _ in range(3):
        started = time.process_time()
        drain(reader, data)
        found.append(time.process_time() - started)
    return min(found)


def peak(reader: Callable[..., Iterator[Any]], data: bytes) -> int:
    tracemalloc.start()
    drain(reader, data)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def check_growth(reader: Callable[..., Iterator[Any]], small: bytes, large: bytes, most_memory: float) -> None:
    assert seconds(reader, large) <= MOST_TIME * max(seconds(reader, small), 0.005)
    assert peak(reader, large) <= most_memory * peak(reader, small) + OVERHEAD


def reader_of(format: str) -> Callable[..., Iterator[Any]]:
    row = FORMATS[format]
    return partial(row.load_reader(), **({"column": "UPOS"} if format == "conllu" else {}))


@pytest.mark.parametrize("format", sorted({*SAMPLE_FORMATS, "gutenberg"} - {"sherlock"}))
def test_a_longer_file(format: str, samples: dict[str, bytes]) -> None:
    """Readers hand their records on one by one, so that memory does not grow; a novel is looked at as a whole."""
    most_memory = MOST_MEMORY if format == "gutenberg" else 1.3
    check_growth(reader_of(format), samples[format], samples[format] * 4, most_memory)


def test_more_vectors() -> None:
    small, large = (b"".join(b"w%d 0.1 0.2 0.3\n" % number for number in range(count)) for count in (1_000, 4_000))
    check_growth(reader_of("vectors"), small, large, MOST_MEMORY)


@pytest.mark.parametrize("format", LONG_ITEMS)
def test_a_longer_item(format: str) -> None:
    make = LONG_ITEMS[format]
    check_growth(reader_of(format), make(WORDS) + b"\n", make(4 * WORDS) + b"\n", MOST_MEMORY)
