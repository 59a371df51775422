"""Times how long a language model with random weights takes to answer completion questions, shared work against none.

    python benchmarks/completion.py QUESTIONS [--model lstm-lm] [--layers 3] [--hidden 256] [--vocabulary 64000]

Both ways score the same candidates: with what a question's candidates begin with predicted once (`nntag complete`), and
with every sentence predicted whole. The vocabulary is the words of the questions, filled up with others.
"""

import argparse
import time
from pathlib import Path

import torch

from nntag.config.settings import resolve_settings
from nntag.corpora.lines import open_lines
from nntag.corpora.sherlock import read_sherlock
from nntag.language_models.completion.candidates import score_candidates
from nntag.language_models.completion.questions import tokenize_question
from nntag.language_models.streams import StreamVocabulary


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("questions", type=Path)
    parser.add_argument("--model", default="lstm-lm")
    parser.add_argument("--layers", type=int, default=3)
    parser.add_argument("--hidden", type=int, default=256)
    parser.add_argument("--vocabulary", type=int, default=64_000)
    parser.add_argument("--threads", type=int, default=2)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    torch.manual_seed(1)
    questions = [tokenize_question(question) for question in read_sherlock(open_lines(arguments.questions))]
    words = sorted({word for question in questions for option in range(5) for word in question.sentence(option)})
    words += [f"word-{number}" for number in range(arguments.vocabulary - 2 - len(words))]
    vocabulary = StreamVocabulary(words, lowercase=True)
    settings = resolve_settings(arguments.model, "default", {"layers": arguments.layers, "hidden": arguments.hidden})
    model = settings.row.load_class()(settings.model, len(vocabulary)).eval()
    seconds = {}
    for name, looks_ahead in (("shared", model.looks_ahead), ("whole", True)):
        model.looks_ahead = looks_ahead
        wall, busy = time.perf_counter(), time.process_time()
        nats = score_candidates(model, vocabulary, questions)
        seconds[name] = time.process_time() - busy
        wall = time.perf_counter() - wall
        print(f"{name}: {len(questions):,} questions in {wall:.1f} s, {seconds[name]:.1f} s of CPU ({nats.sum():.6g})")
    print(f"shared / whole = {seconds['shared'] / seconds['whole']:.2f} of the CPU time")


if __name__ == "__main__":
    main()
