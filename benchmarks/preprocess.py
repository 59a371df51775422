"""Times `nntag preprocess` on generated text, by format, and follows its memory on texts of any size.

    python benchmarks/preprocess.py                                  MB/s of CPU time, each format
    python benchmarks/preprocess.py --memory text 200 1000 5000      memory and MB/s of so many megabytes, streamed

The long texts are sentences of the sample in random order, each with one word that is drawn anew from an endless
vocabulary, as that of natural text is; they go to `preprocess` through a pipe and are never kept.
"""

from __future__ import annotations

import argparse
import logging
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from nntag.commands.preprocess import preprocess
from nntag.config.options.preprocess import PreprocessOptions
from nntag.sample import write_sample

FORMATS = ("text", "conllu", "columns", "piped", "ccgbank", "ptb", "pmb", "sst")
POOL = 10_000  # sentences that a long text is made of
COMMANDS = {"text": ["text"], "conllu": ["conllu"], "conllu-lm": ["conllu", "--task", "lm"]}


def time_format(format: str, sentences: int) -> tuple[float, float]:
    """Megabytes of the sample of a format, and the CPU seconds of making a data folder of it, the second time."""
    with tempfile.TemporaryDirectory() as folder:
        files = write_sample(format, folder, sentences)
        options = PreprocessOptions(format, train=(files["train"],), dev=(files["dev"],), out=Path(folder) / "data")
        for _ in range(2):  # the first one imports
            start = time.process_time()
            preprocess(options)
            seconds = time.process_time() - start
        return sum(files[split].stat().st_size for split in ("train", "dev")) / 1e6, seconds


def read_pool(format: str) -> list[tuple[bytes, bytes]]:
    """Sentences of the sample, each as what stands before and after its first word."""
    with tempfile.TemporaryDirectory() as folder:
        text = write_sample(format, folder, POOL)["train"].read_bytes()
    if format == "text":
        return [(b"", b" " + line.partition(b" ")[2] + b"\n") for line in text.splitlines()]
    pool = []
    for block in text.strip().split(b"\n\n"):
        before, _, rest = block.partition(b"\n1\t")
        pool.append((before + b"\n1\t", b"\t" + rest.partition(b"\t")[2] + b"\n\n"))
    return pool


def generate(format: str, megabytes: float) -> Iterator[bytes]:
    """Pieces of a text of that size."""
    pool, rng, left = read_pool(format), random.Random(1), megabytes * 1e6
    while left > 0:
        chosen = rng.choices(pool, k=1000)
        piece = b"".join(before + b"x%d" % rng.paretovariate(0.8) + after for before, after in chosen)
        left -= len(piece)
        yield piece


def read_memory(process: int) -> tuple[int, int]:
    """Resident memory of a process in MB: now, and the most so far."""
    status = dict(line.split(":", 1) for line in Path(f"/proc/{process}/status").read_text().splitlines())
    return tuple(int(status[name].split()[0]) // 1000 for name in ("VmRSS", "VmHWM"))  # type: ignore[return-value]


def follow_memory(format: str, megabytes: float) -> None:
    """Runs the command on a text that arrives through a pipe; prints its memory as it goes, its time and its disk."""
    with tempfile.TemporaryDirectory() as folder:
        pipe, out = Path(folder) / "train.txt", Path(folder) / "data"
        os.mkfifo(pipe)
        command = [sys.executable, "-m", "nntag", "preprocess", *COMMANDS[format], "--train", str(pipe)]
        process = subprocess.Popen([*command, "--out", str(out)], stderr=subprocess.DEVNULL)
        seen: list[tuple[int, int]] = []
        written = 0.0

        def watch() -> None:
            while process.poll() is None:
                try:
                    now = read_memory(process.pid)
                except (OSError, KeyError):  # it has just ended
                    return
                seen.append((round(written), now[0]))
                peak[0] = max(peak[0], now[1])
                time.sleep(0.5)

        peak = [0]
        watching = threading.Thread(target=watch)
        watching.start()
        with pipe.open("wb") as file:
            for piece in generate("text" if format == "text" else "conllu", megabytes):
                file.write(piece)
                written += len(piece) / 1e6
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        watching.join()
        if process.returncode:
            raise SystemExit(f"preprocess ended with exit code {process.returncode}")
        seconds = usage.ru_utime + usage.ru_stime
        disk = sum(file.stat().st_size for file in out.iterdir()) / 1e6
        curve = ", ".join(f"{mb} at {at} MB" for at, mb in seen[:: max(1, len(seen) // 10)])
        print(
            f"{format}: {written:,.0f} MB read, {seconds:.0f} s of CPU, {written / seconds:.1f} MB/s, "
            f"data folder {disk:,.0f} MB, most memory {usage.ru_maxrss / 1e3:.0f} MB; memory on the way: {curve}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sentences", type=int, default=10_000, help="of the sample, for the times by format")
    parser.add_argument("--memory", nargs="+", metavar="FORMAT MB", help=f"{', '.join(COMMANDS)}, then sizes in MB")
    arguments = parser.parse_args()
    if arguments.memory:
        for size in arguments.memory[1:]:
            follow_memory(arguments.memory[0], float(size))
        return
    logging.disable(logging.WARNING)  # sentences of the sample repeat
    print("format      MB   CPU s   MB/s")
    for format in FORMATS:
        megabytes, seconds = time_format(format, arguments.sentences)
        print(f"{format:8} {megabytes:5.1f} {seconds:7.2f} {megabytes / seconds:6.1f}", flush=True)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
