"""`make bench-peers`: this tool beside others from PyPI, each in an environment of its own under build/peers.

    python benchmarks/bench_peers.py [--data FOLDER] [--epochs 3] [--rounds 3] [--only spacy crfsuite kenlm treelstm]

FOLDER has CoNLL-U files with train, dev and test in their names; without one, the sample is generated. A peer that pip
cannot install is left out, with a line that says so; nothing but packages is fetched. Times are CPU seconds of one
thread; tagging takes turns, the same text twice in a process, and the medians of the rounds are told.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from harness import describe_machine, make_sample, prepare_model

import nntag
from nntag.commands.train import train
from nntag.config.options.train import TrainOptions
from nntag.corpora.splits import find_splits
from nntag.language_models.ngram.arpa_runs import export_arpa
from nntag.sample import write_sample
from nntag.trees.batches import make_tree_batch

HERE = Path(__file__).parent
ENVIRONMENTS = Path("build/peers")
PACKAGES = {
    "spacy": ["spacy"],
    "crfsuite": ["python-crfsuite"],
    "kenlm": ["kenlm"],
    "treelstm": ["pytorch-tree-lstm", "numpy", "torch"],
}


def find_python(peer: str) -> str | None:
    """The Python of a peer's environment, which is made where it is not there; None where that fails."""
    folder = ENVIRONMENTS / peer
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (folder / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", *PACKAGES[peer]]
        finished = subprocess.run(install, capture_output=True, text=True)
        if finished.returncode:
            print(f"{peer}: left out: {finished.stderr.strip().splitlines()[-1] if finished.stderr else 'no pip'}")
            return None
        (folder / "installed").touch()
    return str(python.absolute())


def run_script(python: str, script: str, *arguments: object) -> dict[str, Any]:
    """What a peer's script measured; raises `CalledProcessError` where it fails."""
    command = [python, str(HERE / "peers" / script), *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    finished = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return json.loads(finished.stdout.splitlines()[-1])


def compare_taggers(pythons: dict[str, str], files: dict[str, Path], epochs: int, rounds: int, folder: Path) -> None:
    """Accuracy, training and tagging of each tagger on the same files; ours tags in float32 and as `auto` chooses."""
    trained = {}
    for name, python in pythons.items():
        given = files["train"], files["dev"], folder / name, "--epochs", epochs
        trained[name] = run_script(python, f"tagger_{name}.py", "train", *given)
        print(f"{name}: trained: {json.dumps(trained[name])}", file=sys.stderr)
    rows = [(name, precision) for name in pythons for precision in (("float32", "auto") if name == "nntag" else ("",))]
    found: dict[tuple[str, str], list[dict[str, Any]]] = {row: [] for row in rows}
    for _ in range(rounds):
        for name, precision in rows:
            given = files["train"], files["test"], folder / name, "--precision", precision
            found[name, precision].append(run_script(pythons[name], f"tagger_{name}.py", "tag", *given))
    head = f"\n{'tagger':14} {'test %':>7} {'unseen %':>9} {'train s':>8} {'epoch':>6}"
    print(f"{head} {'tokens/s':>9} {'again':>9} {'MB':>6}")
    for (name, precision), results in found.items():
        speed, again = (
            statistics.median(result[figure] for result in results)
            for figure in ("tokens_per_second", "tokens_per_second_again")
        )
        first, training = results[0], trained[name]
        print(
            f"{name} {precision:{13 - len(name)}} {first['accuracy']:7.2f} {first['unseen']:9.2f} "
            f"{training['seconds_to_best']:8.1f} {training['best_epoch']:6} {speed:9,.0f} {again:9,.0f} "
            f"{first['memory_mb']:6.0f}",
            flush=True,
        )


def compare_ngrams(python: str, folder: Path, rounds: int) -> None:
    """Queries of the same ARPA file: ours, and kenlm's module. For counting against lmplz see benchmarks/ngram.py."""
    data = make_sample("lm", folder, 5000)
    train(TrainOptions(model="ngram", data=data.path, out=folder / "ngram"))
    export_arpa(folder / "model.arpa", folder / "ngram")
    words = {*json.loads(data.file("vocab.json").read_text())["words"]}
    text = write_sample("text", folder / "text", 5000)["train"].read_text()
    sentences = [[word if word in words else "<unk>" for word in line.split()] for line in text.splitlines()]
    (folder / "test.txt").write_text("".join(" ".join(sentence) + "\n" for sentence in sentences))
    model = nntag.load(folder / "ngram")
    ours, theirs = [], []
    for _ in range(rounds):
        start = time.process_time()
        log_probabilities = np.concatenate(model.score_sentences(sentences))
        ours.append(len(log_probabilities) / (time.process_time() - start))
        theirs.append(run_script(python, "ngram_kenlm.py", folder / "model.arpa", folder / "test.txt"))
    speed = statistics.median(result["tokens_per_second"] for result in theirs)
    print(f"\nqueries of the same 5-grams, tokens/s: nntag {statistics.median(ours):,.0f}, kenlm {speed:,.0f}")
    print(f"perplexity: nntag {np.exp(-log_probabilities.mean()):.4f}, kenlm {theirs[0]['perplexity']:.4f}", flush=True)


def compare_trees(python: str, folder: Path, size: int = 150, batch: int = 25) -> None:
    """The child-sum tree-LSTM, forward and backward on the same trees: nodes of the whole tree have a vector each."""
    data = make_sample("sentiment", folder, 500)
    trainee = prepare_model("tree-lstm-child-sum", data, {"hidden": size, "word_size": size})
    trees, forest = trainee.task.encode_split(data, "train")
    parents = []
    for tree in trees:
        row = [-1] * len(tree)
        for node, children in enumerate(tree.children):
            for child in children:
                row[child] = node
        parents.append(row)
    (folder / "trees.json").write_text(json.dumps(parents))
    rates = []
    for start in range(0, len(trees) - batch + 1, batch):
        began = time.process_time()
        given = make_tree_batch(forest, range(start, start + batch))
        trainee.model.loss(given).nats.backward()
        rates.append(batch / (time.process_time() - began))
    theirs = run_script(python, "trees_treelstm.py", folder / "trees.json", size, batch)["trees_per_second"]
    ours = statistics.median(rates[1:])
    print(f"\nchild-sum tree-LSTM of {size}, batches of {batch}, trees/s, forward and backward:")
    print(f"nntag {ours:,.0f} (with words, softmax and loss), pytorch-tree-lstm {theirs:,.0f} (the cell alone)")


def find_files(data: Path | None, folder: Path) -> dict[str, Path]:
    """The CoNLL-U file of each split."""
    if data is None:
        return write_sample("conllu", folder / "conllu", 2000)
    return {split: files[0] for split, files in find_splits("conllu", data).items()}


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="+", choices=PACKAGES, default=list(PACKAGES))
    arguments = parser.parse_args(given)
    torch.set_num_threads(1)
    print(describe_machine())
    pythons = {name: python for name in arguments.only if (python := find_python(name)) is not None}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        taggers = {"nntag": sys.executable} | {n: p for n, p in pythons.items() if n in ("spacy", "crfsuite")}
        if len(taggers) > 1:
            compare_taggers(taggers, find_files(arguments.data, folder), arguments.epochs, arguments.rounds, folder)
        if "kenlm" in pythons:
            compare_ngrams(pythons["kenlm"], folder, arguments.rounds)
        if "treelstm" in pythons:
            compare_trees(pythons["treelstm"], folder)


if __name__ == "__main__":
    main()
