"""Starts `nntag tag` once and times each line of a text on its way there and back:

python benchmarks/pipe_latency.py --model runs/x < sentences.txt
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np


def processor_seconds(process: int) -> float:
    """What a process has used so far, as Linux counts it; not a number elsewhere."""
    file = Path(f"/proc/{process}/stat")
    if not file.exists():
        return float("nan")
    fields = file.read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100  # of the user and of the system, in hundredths


def main() -> None:
    """Reads the lines from standard input and prints two lines of figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", required=True, help="run of a tagger")
    model = parser.parse_args().model
    lines = [line for line in sys.stdin if line.strip()]
    command = [sys.executable, "-m", "nntag", "tag", "--model", model]
    started = time.perf_counter()
    seconds, first = [], 0.0
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as tagger:
        assert tagger.stdin and tagger.stdout
        for line in lines:
            begun = time.perf_counter()
            tagger.stdin.write(line)
            tagger.stdin.flush()
            tagger.stdout.readline()
            seconds.append(time.perf_counter() - begun)
            if len(seconds) == 1:
                start, first = time.perf_counter() - started, processor_seconds(tagger.pid)
        used = processor_seconds(tagger.pid) - first
    low, median, high = 1000 * np.quantile(seconds[1:], (0.1, 0.5, 0.9))
    words = sum(len(line.split()) for line in lines) / len(lines)
    each = 1000 * used / (len(lines) - 1)
    print(f"{len(lines)} lines of {words:.1f} words; first line after {start:.1f} s ({first:.1f} s of the processor)")
    print(f"then {median:.1f} ms a line (80 % from {low:.1f} to {high:.1f}), {each:.1f} ms of the processor")


if __name__ == "__main__":
    main()
