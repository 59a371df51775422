"""`nntag preprocess sst`, or `conllu` with labels of sentiment: trees in, a data folder with trees and counts out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from nntag.corpora.records import Tree
from nntag.corpora.splits import split_off_dev
from nntag.encoding.data_folder import create_data_folder, open_data_folder, write_meta
from nntag.encoding.labels import check_classes
from nntag.encoding.overlap import SentenceHashes, describe_overlap
from nntag.encoding.preprocessing import OVERLAP, Corpus, Preprocessed
from nntag.encoding.vocabulary import count_all, rank_by_count
from nntag.errors import DataError
from nntag.json_files import write_json
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.trees.corpus_files import read_labelled_trees
from nntag.trees.files import write_trees

DEV_SHARE = 0.1  # of the training trees, where there is no dev file
NEUTRAL = "2"


def preprocess_trees(corpus: Corpus, out: str | Path, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Reads the trees of each split and writes the data folder `out`; the task `binary` leaves out neutral sentences.

    Without dev files, a tenth of the training trees becomes dev, chosen by the seed. `binarise` accepts nodes with any
    number of children. Raises `DataError` (also for a split without labels), `UsageError`, `RunError`.
    """
    options, labels = corpus.options, corpus.options.task or "fine"
    binarise = options.binarise
    splits: dict[str, list[Tree]] = {}
    seen: set[str] = set()  # labels of the training file, those of neutral sentences among them
    for split, files in corpus.sources.items():
        trees = [tree for file in files for tree in read_labelled_trees(file, corpus.format, binarise, corpus.on_bad)]
        splits[split] = choose_sentences(trees, labels)
        if split == "train":
            seen = {label for tree in trees for label in tree.labels if label}
        progress(Progress(f"reading {split}", len(trees), len(trees), "trees", finished=True))
        _check_split(split, splits[split], str(files[0]))
    notes = []
    if "dev" not in splits:
        first = corpus.sources["train"][0]
        splits["train"], splits["dev"] = split_off_dev(splits["train"], DEV_SHARE, options.seed, first)
        split_off = len(splits["dev"])
        notes.append(f"no dev set given: {split_off} training trees, chosen by seed {options.seed}, were split off")
    _check_classes(splits["train"], labels, seen, str(corpus.sources["train"][0]))
    train = SentenceHashes(tree.tokens for tree in splits["train"])
    counts = {split: _count_split(trees) for split, trees in splits.items()}
    for split in counts.keys() - {"train"}:
        known = SentenceHashes(tree.tokens for tree in splits[split]).count_known(train)
        counts[split][OVERLAP] = known
        notes += describe_overlap(split, known, len(splits[split]))
    word_counts = count_all(tree.tokens for tree in splits["train"])
    words = rank_by_count(word_counts)
    with create_data_folder(out, options.force, options.in_use) as folder:
        for split, trees in splits.items():
            write_trees(folder / f"{split}.txt", trees)
        write_json(folder / "vocab.json", {"words": words, "word_counts": [word_counts[word] for word in words]})
        write_meta(
            folder,
            task="sentiment",
            corpus=corpus.format,
            splits=counts,
            labels=labels,
            word_types=len(words),
            **corpus.describe(),
        )
    return Preprocessed(open_data_folder(out), [*notes, *corpus.notes()])


def choose_sentences(trees: Iterable[Tree], labels: str) -> list[Tree]:
    """The trees that a task is about: of the binary one, all but neutral sentences."""
    return [tree for tree in trees if labels == "fine" or tree.labels[-1] != NEUTRAL]


def _check_classes(trees: Sequence[Tree], labels: str, seen: set[str], file: str) -> None:
    """Raises `DataError` where all labelled nodes (of the task `binary`: all sentences) belong to one class."""
    roots = {tree.labels[-1] for tree in trees if tree.labels[-1]}
    check_classes(seen if labels == "fine" else {label > NEUTRAL for label in roots}, seen, file)


def _check_split(split: str, trees: Sequence[Tree], file: str) -> None:
    """Training needs a label somewhere, scoring a label at a root."""
    if not trees:
        raise DataError(file, None, f"no trees for {split}")
    if split == "train" and not any(any(tree.labels) for tree in trees):
        raise DataError(file, None, "no node has a label, so there is nothing to train on")
    if split != "train" and not any(tree.labels[-1] for tree in trees):
        raise DataError(file, None, f"no sentence of {split} has a label at its root, so it cannot be scored")


def _count_split(trees: Sequence[Tree]) -> dict[str, int]:
    counts = {"trees": len(trees), "tokens": sum(len(tree.tokens) for tree in trees), "nodes": sum(map(len, trees))}
    roots = [tree.labels[-1] for tree in trees]
    return counts | {f"label_{label}": roots.count(label) for label in ("0", "1", "2", "3", "4")}
