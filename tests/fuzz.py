"""Fuzzing: mutated files for every reader, ARPA files, run folders for `nntag.load`, random flags for every command.

`python -m tests.fuzz --minutes 10` (`make fuzz MINUTES=10`) mutates generated samples, and with `--data FOLDER` real
files too. A reader must give records or a `DataError` of one short line that names the file, within seconds; a
command must end with exit code 0, or 2 and one line. What ends otherwise is printed with the seed that repeats it
(`--first SEED --count 1`).
"""

from __future__ import annotations

import argparse
import logging
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from nntag.corpora.formats import FORMATS, guess_format
from nntag.corpora.lines import Lines, lines_from_bytes
from nntag.corpora.trees import binarise_tree, format_tree
from nntag.errors import LONGEST_MESSAGE, DataError, NntagError, UsageError
from nntag.language_models.ngram.arpa_reader import read_arpa
from nntag.sample import SAMPLE_FORMATS, write_sample
from tests import hostile
from tests.corpora.test_any_bytes import PIECES, READERS
from tests.flags import FlagsFuzzer

SECONDS = 5  # most for one input, of a few kilobytes
WINDOW = 6_000  # bytes of a file that are mutated at a time
ARPA = (
    b"\\data\\\nngram 1=3\nngram 2=2\n\n\\1-grams:\n-0.5\t<unk>\n-99\t<s>\t-0.3\n-0.7\ta\t-0.1\n\n"
    b"\\2-grams:\n-0.2\t<s> a\n-0.1\ta a\n\n\\end\\\n"
)
LARGE = (b"9" * 400, b"-1", b"1e999", b"0", b"\t\t", b"x" * 5_000, b"(" * 3_000, b")" * 50, b"\\" * 9)

Reader = Callable[[Lines], Iterator[Any]]


def list_readers() -> dict[str, tuple[str, Reader]]:
    """Name -> the format of its files, and the reader: every row of the table with each of its columns."""
    found: dict[str, tuple[str, Reader]] = {}
    for row in FORMATS.values():
        columns = [column.options for column in row.columns] or [{}]
        if row.column_kind is not None:
            columns += [{"column": row.column_kind("3")}] if row.column_kind is int else [{"column": "FEATS"}]
        for number, options in enumerate([*columns, row.words, row.read_options]):
            found[f"{row.name} {number}"] = row.name, partial(row.load_reader(), **options)
        if row.tree_reader:
            found[f"{row.name} trees"] = row.name, row.load_tree_reader()
    return found


class Corpus:
    """Well-formed files to mutate, by format."""

    def __init__(self, folder: Path, data: Path | None):
        self.files: dict[str, list[bytes]] = {name: [] for name in FORMATS}
        for name in SAMPLE_FORMATS:
            written = write_sample(name, folder / name, 60)
            self.files[name] += [path.read_bytes() for path in written.values() if path.is_file()]
        self.files["gutenberg"] += [path.read_bytes() for path in (folder / "sherlock").rglob("*.TXT")]
        for name, (_, text) in READERS.items():
            self.files.get(name.split()[0], []).append(text)
        for path in sorted(data.rglob("*")) if data else ():
            if path.is_file() and path.stat().st_size < 50 << 20:
                self._add(path)

    def _add(self, path: Path) -> None:
        try:
            found = self.files[guess_format(path)]
        except UsageError:
            return
        if len(found) < 30:
            with path.open("rb") as file:
                file.seek(random.Random(path.name).randrange(max(1, path.stat().st_size - WINDOW)))
                found.append(file.read(4 * WINDOW))

    def choose(self, format: str, rng: random.Random) -> bytes:
        """A window of one of the files, from the start of a line on."""
        data = rng.choice(self.files[format] or self.files["text"])
        start = data.find(b"\n", rng.randrange(max(1, len(data) - WINDOW))) + 1 if rng.random() < 0.7 else 0
        return data[start : start + WINDOW]


def mutate(data: bytes, rng: random.Random, others: bytes) -> bytes:
    """The bytes with some places cut out, doubled, exchanged or replaced by odd pieces or by those of another file."""
    for _ in range(rng.randint(1, 5)):
        start = rng.randrange(len(data) + 1)
        end = min(len(data), start + rng.choice([0, 1, 2, 8, 40, 400]))
        new = rng.choice(
            [b"", data[start:end] * 2, rng.choice(PIECES), rng.choice(LARGE), rng.randbytes(3), others[start:end]]
        )
        data = data[:start] + new + data[end:]
    return data


def check_reader(reader: Reader, data: bytes, skip: bool) -> None:
    """Raises whatever is no `DataError`, and AssertionError for a bad record or message."""
    options: dict[str, Any] = {"on_bad": check_message} if skip else {}
    try:
        for record in reader(lines_from_bytes(data, "toy"), **options):
            if hasattr(record, "labels"):
                format_tree(record)
                if all(word is None or not kids for word, kids in zip(record.words, record.children, strict=True)):
                    assert binarise_tree(record).tokens == record.tokens
            elif hasattr(record, "tokens") and record.tags is not None:
                assert len(record.tokens) == len(record.tags) and "" not in record.tokens
    except (DataError, UsageError) as error:
        check_message(error)


def check_message(error: NntagError) -> None:
    text = str(error)
    assert len(text) <= LONGEST_MESSAGE and "\n" not in text, f"a message of {len(text)} characters"
    assert not isinstance(error, DataError) or text.startswith(error.path), text


def read_arpa_bytes(data: bytes, folder: Path) -> None:
    (folder / "x.arpa").write_bytes(data)
    try:
        read_arpa(folder / "x.arpa")
    except NntagError as error:
        check_message(error)


def _too_slow(number: int, frame: object) -> None:
    raise TimeoutError(f"more than {SECONDS} s")


class Fuzzer:
    """One input a seed, of a kind that the seed chooses."""

    def __init__(self, folder: Path, data: Path | None):
        self.folder, self.corpus, self.readers = folder, Corpus(folder, data), list_readers()
        self.flags = FlagsFuzzer(folder)
        self.counts = Counter[str]()

    def try_one(self, seed: int) -> str:
        """What was wrong; "" for nothing."""
        rng = random.Random(seed)
        kind = rng.random()
        if kind < 0.9:
            return self._read(rng)
        if kind < 0.98:
            self.counts["command lines"] += 1
            return self.flags.try_one(rng)
        self.counts["run folders loaded"] += 1
        return hostile.try_one(seed, ways=("load",))

    def _read(self, rng: random.Random) -> str:
        name = rng.choice([*self.readers, "arpa"])
        others = self.corpus.choose(rng.choice(list(FORMATS)), rng)
        format, reader = self.readers.get(name, ("", None))
        data = mutate(self.corpus.choose(format, rng) if reader else ARPA, rng, others)
        self.counts["ARPA files" if reader is None else "files"] += 1
        signal.signal(signal.SIGPROF, _too_slow)  # CPU time: another process may keep this one waiting
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        try:
            if reader is None:
                read_arpa_bytes(data, self.folder)
            else:
                check_reader(reader, data, rng.random() < 0.5)
        except Exception as error:
            return f"{name}: {type(error).__name__}: {error}; {traceback.format_exc()[-300:]!r}"
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        return ""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--first", type=int, default=1, help="seed of the first input")
    parser.add_argument("--count", type=int, default=10**9, help="at most so many")
    parser.add_argument("--data", type=Path, help="folder of real files")
    options = parser.parse_args()
    logging.getLogger("nntag").addHandler(logging.NullHandler())
    logging.getLogger("nntag").propagate = False
    hostile.warm_up(ways=("load",))
    bad = 0
    with tempfile.TemporaryDirectory(prefix="nntag-fuzz-") as name:
        fuzzer = Fuzzer(Path(name), options.data)
        started = time.monotonic()
        for seed in range(options.first, options.first + options.count):
            if time.monotonic() - started > 60 * options.minutes:
                break
            if wrong := fuzzer.try_one(seed):
                bad += 1
                print(f"seed {seed}: {wrong}", flush=True)
    told = ", ".join(f"{count:,} {kind}" for kind, count in fuzzer.counts.items())
    seconds = f"{time.monotonic() - started:.0f} s ({hostile.processor_seconds():.0f} s of CPU)"
    print(f"{told} from seed {options.first} in {seconds}, {bad} ended badly")
    return min(1, bad)


if __name__ == "__main__":
    sys.exit(main())
