"""The task of tree models: trees with labelled nodes -> batches, tree classifiers and their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nntag.config.options.use import TagOptions
from nntag.config.settings import Settings
from nntag.corpora.lines import Lines
from nntag.corpora.records import Tree
from nntag.corpora.vectors import WordVectors
from nntag.encoding.contextual.source import ENCODER, find_source
from nntag.encoding.data_folder import AGAIN, DataFolder
from nntag.encoding.preprocessing import Corpus, Preprocessed
from nntag.encoding.vocabulary import Vocabulary
from nntag.errors import RunError
from nntag.progress import ProgressCallback, ignore_progress
from nntag.schema import Choice, Record, Rows, Text, Whole
from nntag.training.batches import Batches
from nntag.training.ensemble import Ensemble, check_same_names, mean_log_probabilities
from nntag.training.item_files import Item
from nntag.training.metric import Metric
from nntag.training.paired_figures import PairedFigure
from nntag.training.task import HeldOut, Run
from nntag.trees.batches import NO_LABEL, Forest, encode_trees, make_tree_batch
from nntag.trees.classifier import TreeClassifier
from nntag.trees.evaluate import evaluate_tree_model
from nntag.trees.files import read_trees
from nntag.trees.items import IDENTITY, ITEM, compare_items
from nntag.trees.preprocess import preprocess_trees
from nntag.trees.report import format_tree_report
from nntag.trees.score import FINE, report_sentiment
from nntag.trees.sizes import TreeSizes
from nntag.trees.tag import TreeModel, tag_trees
from nntag.trees.words import TreeWords, build_tree_table, build_tree_words, find_sentences, read_tree_vectors

PREDICT_NODES = 10_000  # nodes of a batch that is only predicted; a larger tree gets a batch of its own
BINARY = ("negative", "positive")
SAVED = Record(  # the `vocab.json` of a run
    {"words": Rows(Text()), "labels": Choice(("fine", "binary"))}, {"encoder": Record({"hash": Text()})}
)
COUNTED = Record(  # the `vocab.json` of a data folder
    {"words": Rows(Text()), "word_counts": Rows(Whole())}, same_length=(("words", "word_counts"),)
)
SIGNS = {"0": 0, "1": 0, "2": 2, "3": 1, "4": 1}  # SST label -> class of the binary task


class TreeTask:
    """See `nntag.training.task.Task`."""

    name = "sentiment"
    metrics = (Metric("accuracy", percent=True),)
    saved = SAVED
    unit = "nodes"
    tag_format = "trees"
    kept_files = ()
    item = ITEM
    item_identity = IDENTITY

    def __init__(self, words: TreeWords, labels: str, settings: Settings, encoder: Mapping[str, Any] | None = None):
        """`encoder`: what a run noted of the one it was trained with. Raises `RunError`, `UsageError`."""
        self.words, self.labels, self._row = words, labels, settings.row
        third = ("neutral",) if settings.input.neutral_nodes == "class" else ()
        self.classes = FINE if labels == "fine" else BINARY + third
        self._encoded: dict[str, tuple[list[Tree], Forest]] = {}
        self._source = find_source(settings.input, encoder)
        self._vectors: WordVectors | None = None  # from `from_data` until a model is built

    @classmethod
    def preprocess(cls, corpus: Corpus, out: Path, progress: ProgressCallback) -> Preprocessed:
        return preprocess_trees(corpus, out, progress)

    @classmethod
    def evaluate_run(cls, run: Run, held_out: HeldOut, progress: ProgressCallback) -> dict[str, Any]:
        return evaluate_tree_model(run, held_out)

    @classmethod
    def compare_items(cls, first: Sequence[Item], second: Sequence[Item]) -> list[PairedFigure]:
        return compare_items(first, second)

    @classmethod
    def check_member(cls, run: Run, other: Run) -> None:
        check_same_names("classes", (run, run.task.classes), (other, other.task.classes))

    @classmethod
    def format_report(cls, report: Mapping[str, Any]) -> str:
        return format_tree_report(report, cls.metrics)

    @classmethod
    def load(cls, run: Run) -> TreeModel:
        return TreeModel(run)

    @classmethod
    def tag(cls, run: Run, lines: Lines, write: Callable[[bytes], None], options: TagOptions) -> int:
        return tag_trees(TreeModel(run), lines, write, options)

    @classmethod
    def from_data(cls, data: DataFolder, settings: Settings) -> TreeTask:
        """Raises `RunError` for trees of a shape that the model cannot take, `DataError` for a bad vector file."""
        train_words = data.read_json("vocab.json", COUNTED, "the vocabulary of a tree corpus")["words"]
        vectors = read_tree_vectors(train_words, settings.input)
        task = cls(build_tree_words(train_words, vectors, settings.input), _labels_of(data), settings)
        task._vectors = vectors
        task.encode_split(data, "train")
        return task

    @classmethod
    def from_json(cls, vocabularies: Mapping[str, Any], settings: Settings) -> TreeTask:
        words = TreeWords(Vocabulary(vocabularies["words"]), settings.input.lowercase)
        return cls(words, vocabularies["labels"], settings, vocabularies.get(ENCODER))

    def to_json(self) -> dict[str, Any]:
        noted = {ENCODER: self._source.to_json()} if self._source else {}
        return {"words": self.words.vocabulary.known(), "labels": self.labels} | noted

    def complete_settings(self, settings: Settings) -> Settings:
        if self._source:
            settings = settings.with_input(contextual=self._source.name)
        return settings if self._vectors is None else settings.with_input(word_size=self._vectors.matrix.shape[1])

    def build_model(self, settings: Settings, pretrained: bool = True) -> TreeClassifier:
        vectors, self._vectors = self._vectors, None
        table = build_tree_table(self.words, vectors if pretrained else None, settings.input)
        if settings.input.contextual_alone:
            table = table[:, :0]
        contextual = self._source.build_layer() if self._source else None
        width = table.shape[1] + (contextual.output_size if contextual else 0)
        return TreeClassifier(settings, TreeSizes(len(self.words), width, len(self.classes)), table, contextual)

    def use_device(self, device: torch.device) -> None:
        if self._source:
            self._source.use_device(device)

    def prepare(self, data: DataFolder, progress: ProgressCallback) -> None:
        for split in ("train", "dev"):
            self.encode_with_leaves(data, split, progress)

    def count_model(self, settings: Settings, data: DataFolder, folder: Path, progress: ProgressCallback) -> Any:
        raise TypeError("tree models are trained, not counted")

    def open_counted(self, folder: Path, thorough: bool = False) -> Any:
        raise TypeError("tree models are trained, not counted")

    def train_batches(self, data: DataFolder, settings: Settings, generator: torch.Generator) -> Batches:
        _, forest = self.encode_with_leaves(data, "train")
        order = torch.randperm(len(forest), generator=generator)
        chosen = [trees.numpy() for trees in order.split(settings.train.batch_size)]
        return Batches(chosen, lambda trees: make_tree_batch(forest, trees))

    def count_train(self, data: DataFolder) -> int:
        return int((self.encode_split(data, "train")[1].labels != NO_LABEL).sum())

    def evaluate(self, model: TreeClassifier, data: DataFolder, split: str) -> dict[str, Any]:
        trees, forest = self.encode_with_leaves(data, split)
        return report_sentiment(forest, trees, self.log_probabilities(model, forest), self.classes)

    def encode(self, trees: Iterable[Tree]) -> Forest:
        """Words and labels as ids; labels that the task does not have become NO_LABEL. With contextual vectors where
        the model takes them. Raises `UsageError`: see `find_sentences`."""
        trees = list(trees)
        forest = self._number(trees)
        return replace(forest, contextual=self._source.encode(find_sentences(trees))) if self._source else forest

    def _number(self, trees: Iterable[Tree]) -> Forest:
        return encode_trees(trees, self.words.id_of, self._label_id)

    def encode_with_leaves(
        self, data: DataFolder, split: str, progress: ProgressCallback = ignore_progress
    ) -> tuple[list[Tree], Forest]:
        """`encode_split`, and contextual vectors where the model takes them."""
        trees, forest = self.encode_split(data, split)
        if self._source and forest.contextual is None:
            leaves = self._source.encode_split(find_sentences(trees), data.path, split, progress)
            forest = replace(forest, contextual=leaves)
            self._encoded[split] = trees, forest
        return trees, forest

    def encode_split(self, data: DataFolder, split: str) -> tuple[list[Tree], Forest]:
        """The trees of a split of a data folder; read once. Raises `RunError` for data with other labels or shapes."""
        if _labels_of(data) != self.labels:
            raise RunError(f"{data.path}: has {_labels_of(data)} labels, but the model was made for {self.labels}")
        if split not in self._encoded:
            trees = read_trees(data.file(f"{split}.txt"))
            forest = self._number(trees)
            self.check_shape(forest, data.path)
            self._encoded[split] = trees, forest
        return self._encoded[split]

    @property
    def takes_any_shape(self) -> bool:
        """Whether the model takes nodes with any number of children and with words: dependency trees."""
        return self._row.any_shape

    def check_shape(self, forest: Forest, source: str | Path) -> None:
        """Raises `RunError` for trees that the model cannot take."""
        if not self.takes_any_shape and not forest.is_binary:
            reason = f"dependency trees need a child-sum model, and {self._row.name} is not one"
            raise RunError(f"{source}: {reason}")

    def log_probabilities(self, model: TreeClassifier, forest: Forest) -> np.ndarray:
        """float32[N, classes]: the log-probabilities of every node's classes, in the forest's order."""
        found = np.zeros((len(forest.words), len(self.classes)), np.float32)
        device = next(model.parameters()).device
        with torch.inference_mode():
            for chosen in _node_batches(forest):
                batch = make_tree_batch(forest, chosen)
                scores = model.log_probabilities(batch.to(device)).cpu()
                start, end = forest.starts[chosen[0]], forest.starts[chosen[-1] + 1]
                found[start:end] = scores[batch.order].numpy()
        return found

    def score_trees(self, model: TreeClassifier | Ensemble, trees: Sequence[Tree], forest: Forest) -> np.ndarray:
        """`log_probabilities` of trees that are encoded as `forest`; an ensemble's members encode them by themselves,
        and their probabilities are averaged."""
        if not isinstance(model, Ensemble):
            return self.log_probabilities(model, forest)
        each = []
        for run in model.members:
            encoded = run.task.encode(trees)
            run.task.check_shape(encoded, run.folder)
            each.append(run.task.log_probabilities(run.model, encoded))
        return mean_log_probabilities(each, model.weights)

    def _label_id(self, label: str) -> int:
        if self.labels == "fine":
            return int(label) if label in FINE else NO_LABEL
        number = SIGNS.get(label, NO_LABEL)
        return number if number < len(self.classes) else NO_LABEL


def _labels_of(data: DataFolder) -> str:
    """fine or binary; raises `RunError`."""
    if "labels" not in data.meta:
        raise RunError(f"{data.path}: its description does not say which labels its trees have; {AGAIN}")
    return str(data.meta["labels"])


def _node_batches(forest: Forest) -> Iterator[np.ndarray]:
    """The trees in their order, in batches of about PREDICT_NODES nodes."""
    groups = forest.starts[:-1] // PREDICT_NODES
    for group in np.unique(groups):
        yield np.flatnonzero(groups == group)
