"""`nntag preprocess sst`, or `conllu` with sentiment labels: trees in, a data folder with trees and counts out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from nntag.corpora.dependency_trees import read_dependency_trees
from nntag.corpora.faults import OnBad, SkippedItems, raise_bad
from nntag.corpora.lines import open_lines
from nntag.corpora.records import Tree
from nntag.corpora.splits import split_off_dev
from nntag.corpora.sst import read_sst
from nntag.encoding.data_folder import create_data_folder, open_data_folder, sha256_of, write_json, write_meta
from nntag.encoding.vocabulary import count_all, rank_by_count
from nntag.errors import DataError
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.tagging.preprocess import Preprocessed
from nntag.trees.files import write_trees

DEV_SHARE = 0.1  # of the training trees, where there is no dev file
NEUTRAL = "2"
Labels = Literal["fine", "binary"]


def preprocess_sst(
    sources: Mapping[str, Sequence[str | Path]],
    out: str | Path,
    labels: Labels = "fine",
    corpus: str = "sst",
    binarise: bool = False,
    seed: int = 1,
    skip_bad: bool = False,
    details: Mapping[str, Any] | None = None,
    progress: ProgressCallback = ignore_progress,
) -> Preprocessed:
    """Reads the trees of each split and writes the data folder `out`; `binary` leaves out neutral sentences.

    The corpus `conllu` are dependency trees with `Sentiment=0` to `Sentiment=4` in MISC; any other are bracketed trees.
    Without dev files, a tenth of the training trees becomes dev, chosen by `seed`. `binarise` accepts nodes with any
    number of children. `details` go into `meta.json`. Raises `DataError` (also for a split without labels),
    `UsageError`, `RunError`.
    """
    on_bad: OnBad = SkippedItems() if skip_bad else raise_bad
    splits: dict[str, list[Tree]] = {}
    for split, files in sources.items():
        trees = [tree for file in files for tree in _read_file(file, corpus, binarise, on_bad)]
        splits[split] = choose_sentences(trees, labels)
        progress(Progress(f"reading {split}", len(trees), len(trees), "trees", finished=True))
        _check_split(split, splits[split], str(files[0]))
    notes = []
    if "dev" not in splits:
        splits["train"], splits["dev"] = split_off_dev(splits["train"], DEV_SHARE, seed, sources["train"][0])
        notes.append(f"no dev set given: {len(splits['dev'])} training trees, chosen by seed {seed}, were split off")
    left_out = on_bad.count if isinstance(on_bad, SkippedItems) else 0
    if left_out:
        notes.append(f"{left_out} bad items were left out (listed above)")
    word_counts = count_all(tree.tokens for tree in splits["train"])
    words = rank_by_count(word_counts)
    described = {s: [{"file": Path(file).name, "sha256": sha256_of(file)} for file in f] for s, f in sources.items()}
    with create_data_folder(out) as folder:
        for split, trees in splits.items():
            write_trees(folder / f"{split}.txt", trees)
        write_json(folder / "vocab.json", {"words": words, "word_counts": [word_counts[word] for word in words]})
        write_meta(
            folder,
            task="sentiment",
            corpus=corpus,
            splits={split: _count_split(trees) for split, trees in splits.items()},
            labels=labels,
            word_types=len(words),
            sources=described,
            left_out=left_out,
            **(details or {}),
        )
    return Preprocessed(open_data_folder(out), notes)


def choose_sentences(trees: Iterable[Tree], labels: str) -> list[Tree]:
    """The trees that a task is about: of the binary one, all but neutral sentences."""
    return [tree for tree in trees if labels == "fine" or tree.labels[-1] != NEUTRAL]


def _check_split(split: str, trees: Sequence[Tree], file: str) -> None:
    """Training needs a label somewhere, scoring a label at a root."""
    if not trees:
        raise DataError(file, None, f"no trees for {split}")
    if split == "train" and not any(any(tree.labels) for tree in trees):
        raise DataError(file, None, "no node has a label, so there is nothing to train on")
    if split != "train" and not any(tree.labels[-1] for tree in trees):
        raise DataError(file, None, f"no sentence of {split} has a label at its root, so it cannot be scored")


def _read_file(file: str | Path, corpus: str, binarise: bool, on_bad: OnBad) -> Iterator[Tree]:
    if corpus == "conllu":
        return (found.tree for found in read_dependency_trees(open_lines(file), on_bad))
    return read_sst(open_lines(file), binarise, on_bad)


def _count_split(trees: Sequence[Tree]) -> dict[str, int]:
    counts = {"trees": len(trees), "tokens": sum(len(tree.tokens) for tree in trees), "nodes": sum(map(len, trees))}
    roots = [tree.labels[-1] for tree in trees]
    return counts | {f"label_{label}": roots.count(label) for label in ("0", "1", "2", "3", "4")}
