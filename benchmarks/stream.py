"""How `tag`, `score` and `parse` bear an endless pipe, a sentence without end and a slow reader: memory and seconds.

    python benchmarks/stream.py                                  # 20,000 sentences, two tiny models
    python benchmarks/stream.py --sentences 1000000 --run tag=runs/x --run score=runs/y --run parse=runs/z

Memory is what the command holds (VmRSS, Linux) when 10, 50 and 100 % of the sentences have come back.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import random
import resource
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

RUNS = Path(__file__).parents[1] / "tests" / "data" / "v0.1.0" / "runs"
WORDS = "the old dog saw it . a man who had been there for years said that rain , of all things , was good news"
FLAGS = {"score": ("--skip-bad",), "tag": ("--skip-bad",), "parse": ("--skip-bad", "--format", "conll")}
BAD = b"not \xff UTF-8\n"  # one line in a thousand
SLOW = 10  # seconds that the slow reader sleeps


def make_lines(count: int, longest: int = 40, seed: int = 1) -> Iterator[bytes]:
    """Sentences of 3 to `longest` words and four that are new, among them bad lines."""
    rng = random.Random(seed)
    for number in range(count):
        words = rng.choices(WORDS.split(), k=rng.randint(3, longest))
        yield (
            BAD if number % 1000 == 500 else " ".join([*words, *(f"w{number}.{k}" for k in range(4))]).encode() + b"\n"
        )


class Command:
    """`nntag COMMAND --model RUN` with its input and output in pipes."""

    def __init__(self, command: str, run: str, flags: Iterable[str] = ()):
        words = [sys.executable, "-m", "nntag", command, "--model", run, *flags]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self.process.stdin and self.process.stdout
        self.input, self.output = self.process.stdin, self.process.stdout
        self.written = 0

    def feed(self, lines: Iterable[bytes]) -> threading.Thread:
        """Writes the lines, from a thread, as fast as they are taken."""

        def write() -> None:
            with contextlib.suppress(BrokenPipeError):  # of a process that was killed
                for line in lines:
                    self.input.write(line)
                    self.written += 1
                self.input.close()

        thread = threading.Thread(target=write, daemon=True)
        thread.start()
        return thread

    def end(self) -> tuple[int, float]:
        """Waits for the end; the exit code and the seconds of CPU, the start's included."""
        before = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        code = self.process.wait()
        return code, sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - before

    def memory(self, field: str = "VmRSS") -> float:
        """MB of the process, now or (VmHWM) at most."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(field)) / 1024


def stream(command: str, run: str, count: int, longest: int) -> str:
    """A long stream of sentences."""
    marks = [count // 10, count // 2, count]
    child, memory, answers = Command(command, run, FLAGS[command]), [], 0
    child.feed(itertools.chain(make_lines(count, longest), [b"\n"]))  # the process is still there at the last mark
    is_block = command == "parse"
    for line in child.output:
        answers += not is_block or line == b"\n"
        if answers in marks:
            memory.append(child.memory())
            marks.remove(answers)
    code, seconds = child.end()
    held = "MB at 10, 50, 100 %: " + ", ".join(f"{value:.0f}" for value in memory)
    return f"{command}: {answers - 1:,} of {count:,} sentences, exit {code}, {seconds:.0f} s of CPU, {held}"


def long_sentence(command: str, run: str, tokens: int) -> str:
    """One sentence of so many tokens."""
    child = Command(command, run)
    words = itertools.islice(itertools.cycle(WORDS.split()), tokens)
    child.feed([" ".join(words).encode() + b"\n", b"\n"])
    length = len(child.output.readline().split())
    peak = child.memory("VmHWM")
    child.output.read()
    _, seconds = child.end()
    return f"{command}: a sentence of {tokens:,} tokens, {length:,} answers, {seconds:.0f} s of CPU, {peak:.0f} MB"


def slow_reader(command: str, run: str) -> str:
    """A reader that takes one line and then sleeps: what is written meanwhile must come to a stop."""
    child = Command(command, run, FLAGS[command])
    child.feed(make_lines(10**9))
    child.output.readline()
    seen = []
    for _ in range(2):
        time.sleep(SLOW)
        seen.append((child.written, child.memory()))
    child.process.kill()
    child.process.wait()
    (taken, before), (later, after) = seen
    taken_by_then = f"{taken:,} sentences taken after {SLOW} s, {later:,} after {2 * SLOW} s"
    return f"{command}: of a reader that sleeps, {taken_by_then}, {before:.0f} and {after:.0f} MB"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--words", type=int, default=40, help="most words of a sentence, beside four new ones")
    parser.add_argument("--tokens", type=int, default=100_000, help="of the one long sentence")
    parser.add_argument("--run", action="append", help="COMMAND=RUN FOLDER, repeatable")
    options = parser.parse_args()
    given = options.run or [f"tag={RUNS / 'tagger'}", f"score={RUNS / 'ngram'}"]
    for command, _, run in (text.partition("=") for text in given):
        print(stream(command, run, options.sentences, options.words), flush=True)
        if command != "parse":  # which gives up sentences of more than --max-words
            print(long_sentence(command, run, options.tokens), flush=True)
        print(slow_reader(command, run), flush=True)


if __name__ == "__main__":
    main()
