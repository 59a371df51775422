"""Times the n-gram model on a text of one sentence a line: tokens/s and memory, beside kenlm's lmplz if on PATH.

    python benchmarks/ngram.py TRAIN [--order 5] [--test TEST] [--lmplz-memory 2G]

Counted is the CPU time from text to smoothed model, since lmplz reads text too; the share that turns text into ids is
given apart. `<unk>` is an ordinary word (lmplz gets it under another name), kenlm's own is added to the vocabulary.
"""

import argparse
import math
import os
import resource
import shutil
import subprocess
import time
from array import array
from collections import defaultdict
from pathlib import Path

import numpy as np

from nntag.language_models.ngram.estimate import estimate_ngrams

BOS, EOS, ADDED = 0, 1, 2


def read_ids(path: Path, ids: defaultdict[str, int]) -> np.ndarray:
    tokens = array("i")
    with open(path, encoding="utf-8") as file:
        for line in file:
            tokens.extend([ids[word] for word in line.split()])
            tokens.append(EOS)
    return np.frombuffer(tokens, np.int32)


def time_lmplz(path: Path, order: int, memory: str) -> float:
    """The CPU seconds of lmplz."""
    text = path.read_bytes().replace(b"<unk>", b"<ordinary-unk>")
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = ["lmplz", "-o", str(order), "-S", memory, "--discount_fallback"]
    subprocess.run(command, input=text, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("train", type=Path)
    parser.add_argument("--order", type=int, default=5)
    parser.add_argument("--test", type=Path)
    parser.add_argument("--lmplz-memory", default="2G", help="lmplz -S")
    arguments = parser.parse_args()
    start = time.process_time()
    ids: defaultdict[str, int] = defaultdict(lambda: len(ids) + 3)
    tokens = read_ids(arguments.train, ids)
    reading = time.process_time() - start
    model = estimate_ngrams(tokens, EOS, BOS, len(ids) + 3, arguments.order)
    seconds = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"{len(tokens):,} tokens, n-grams {model.counts}")
    print(
        f"nntag: {seconds:.2f} s of CPU ({reading:.2f} reading), {len(tokens) / seconds:,.0f} tokens/s, {peak:.2f} GB"
    )
    if shutil.which("lmplz"):
        theirs = time_lmplz(arguments.train, arguments.order, arguments.lmplz_memory)
        speed, ratio = len(tokens) / theirs, seconds / theirs
        print(f"lmplz: {theirs:.2f} s of CPU, {speed:,.0f} tokens/s; nntag / lmplz = {ratio:.2f}")
    if arguments.test:
        known = defaultdict(lambda: ADDED, ids)
        start = time.process_time()
        nats = model.token_nats(read_ids(arguments.test, known))
        speed = len(nats) / (time.process_time() - start)
        print(f"perplexity {math.exp(nats.mean()):.2f} over {len(nats):,} tokens, {speed:,.0f} tokens/s scored")


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
