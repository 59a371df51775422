"""The task of taggers: sentences with one tag per token -> batches, taggers and their scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nntag.config.options.use import TagOptions
from nntag.config.settings import Settings
from nntag.corpora.lines import Lines
from nntag.corpora.vectors import WordVectors
from nntag.encoding.batching import shuffled_batches
from nntag.encoding.contextual.batch import EncodedSentence
from nntag.encoding.contextual.source import ENCODER, find_source
from nntag.encoding.data_folder import DataFolder
from nntag.encoding.preprocessing import Corpus, Preprocessed
from nntag.encoding.word_vectors import build_table, find_word_vectors, warn_if_few
from nntag.progress import ProgressCallback, ignore_progress
from nntag.schema import Record, Rows, Text, Whole
from nntag.tagging.batches import NO_TAG, TaggingBatch, make_batch
from nntag.tagging.ensemble import check_same_tags
from nntag.tagging.evaluate import evaluate_tagger
from nntag.tagging.features import SAVED, FormTable, TaggerVocabularies, build_vocabularies
from nntag.tagging.items import IDENTITY, ITEM, compare_items
from nntag.tagging.network import TaggerNetwork
from nntag.tagging.parsing.evaluate import format_parse_report
from nntag.tagging.parsing.grammar import GRAMMAR_FILE
from nntag.tagging.predictor import Predictor
from nntag.tagging.preprocess import preprocess_tagging
from nntag.tagging.report import format_tagging_report
from nntag.tagging.score_columns import PART_METRICS, list_metrics, score_columns
from nntag.tagging.tag import Tagger, tag_stream
from nntag.tagging.tag_columns import MAYBE_TAGS, SAME_LENGTH, TAGS, columns_from_json
from nntag.tagging.text_files import TaggedText, read_columns_file
from nntag.training.batches import Batches
from nntag.training.item_files import Item
from nntag.training.metric import Metric
from nntag.training.paired_figures import PairedFigure
from nntag.training.task import HeldOut, Run

MOST_FORMS = 20_000  # word forms whose features are kept while predicting
COUNTED = Record(  # the `vocab.json` of a data folder
    {"words": Rows(Text()), "word_counts": Rows(Whole()), **TAGS},
    MAYBE_TAGS,
    same_length=(("words", "word_counts"), SAME_LENGTH),
)


class TaggingTask:
    """See `nntag.training.task.Task`."""

    name = "tagging"
    metrics = (Metric("accuracy", percent=True), Metric("sentence_accuracy", percent=True), *PART_METRICS)
    saved = SAVED
    unit = "tokens"
    tag_format = "piped"
    kept_files = (GRAMMAR_FILE,)
    item = ITEM
    item_identity = IDENTITY

    def __init__(self, vocabularies: TaggerVocabularies, settings: Settings, encoder: Mapping[str, Any] | None = None):
        """`encoder`: what a run noted of the one it was trained with. Raises `RunError`, `UsageError`."""
        self.vocabularies = vocabularies
        self.metrics = list_metrics(vocabularies.columns, self.metrics)
        own = settings.input.own_parts()
        self._tag_ids = [{tag: number for number, tag in enumerate(column.tags)} for column in vocabularies.columns]
        self._split_forms = FormTable(vocabularies, own)  # of encoded splits
        self._encoded: dict[str, tuple[list[np.ndarray], list[np.ndarray]]] = {}
        self._source = find_source(settings.input, encoder)
        self.predictor = Predictor(vocabularies, FormTable(vocabularies, own, MOST_FORMS), self._source)
        self._contextual: dict[str, list[EncodedSentence]] = {}  # by split
        self._vectors: WordVectors | None = None  # see `_read_vectors`

    @classmethod
    def preprocess(cls, corpus: Corpus, out: Path, progress: ProgressCallback) -> Preprocessed:
        return preprocess_tagging(corpus, out, progress)

    @classmethod
    def evaluate_run(cls, run: Run, held_out: HeldOut, progress: ProgressCallback) -> dict[str, Any]:
        return evaluate_tagger(run, held_out, progress)

    @classmethod
    def compare_items(cls, first: Sequence[Item], second: Sequence[Item]) -> list[PairedFigure]:
        return compare_items(first, second)

    @classmethod
    def check_member(cls, run: Run, other: Run) -> None:
        check_same_tags(run, other)

    @classmethod
    def format_report(cls, report: Mapping[str, Any]) -> str:
        return format_parse_report(report) if "brackets" in report else format_tagging_report(report, cls.metrics)

    @classmethod
    def load(cls, run: Run) -> Tagger:
        return Tagger(run)

    @classmethod
    def tag(cls, run: Run, lines: Lines, write: Callable[[bytes], None], options: TagOptions) -> int:
        return tag_stream(run, lines, write, options)

    @classmethod
    def from_data(cls, data: DataFolder, settings: Settings) -> TaggingTask:
        saved = data.read_json("vocab.json", COUNTED, "the vocabularies of a tagging corpus")
        words = dict(zip(saved["words"], saved["word_counts"], strict=True))
        return cls(build_vocabularies(words, columns_from_json(saved), settings.input.own_parts()), settings)

    @classmethod
    def from_json(cls, vocabularies: Mapping[str, Any], settings: Settings) -> TaggingTask:
        return cls(TaggerVocabularies.from_json(vocabularies), settings, vocabularies.get(ENCODER))

    def to_json(self) -> dict[str, Any]:
        noted = {ENCODER: self._source.to_json()} if self._source else {}
        return self.vocabularies.to_json() | noted

    def complete_settings(self, settings: Settings) -> Settings:
        if self._source:
            settings = settings.with_input(contextual=self._source.name)
        vectors = self._read_vectors(settings)
        return settings if vectors is None else settings.with_input(word_size=vectors.matrix.shape[1])

    def build_model(self, settings: Settings, pretrained: bool = True) -> TaggerNetwork:
        vectors = self._read_vectors(settings) if pretrained else None
        self._vectors = None
        words = self.vocabularies.words
        table = None if vectors is None else build_table(words, settings.input.word_size, vectors)
        contextual = self._source.build_layer() if self._source else None
        return TaggerNetwork(settings, self.vocabularies, table, contextual)

    def use_device(self, device: torch.device) -> None:
        if self._source:
            self._source.use_device(device)

    def prepare(self, data: DataFolder, progress: ProgressCallback) -> None:
        for split in ("train", "dev"):
            self._encode_context(data, split, progress)

    def _encode_context(
        self, data: DataFolder, split: str, progress: ProgressCallback = ignore_progress
    ) -> list[EncodedSentence] | None:
        """The sentences of a split as the encoder gives them; None where there is no encoder."""
        if self._source and split not in self._contextual:
            tokens = self._read_split(data, split).tokens
            self._contextual[split] = self._source.encode_split(tokens, data.path, split, progress)
        return self._contextual.get(split)

    def _read_vectors(self, settings: Settings) -> WordVectors | None:
        """The pre-trained vectors of the known words; the file is read once, they are kept until a model is built."""
        path, words = settings.input.word_vectors, self.vocabularies.words
        if path and self._vectors is None:
            self._vectors = find_word_vectors(path, words)
            warn_if_few(path, len(self._vectors.words), len(words.known()))
        return self._vectors

    def count_model(self, settings: Settings, data: DataFolder, folder: Path, progress: ProgressCallback) -> Any:
        raise TypeError("taggers are trained, not counted")

    def open_counted(self, folder: Path, thorough: bool = False) -> Any:
        raise TypeError("taggers are trained, not counted")

    def train_batches(self, data: DataFolder, settings: Settings, generator: torch.Generator) -> Batches:
        forms, tags = self._encode(data, "train")
        context = self._encode_context(data, "train")
        lengths = np.array([len(sentence) for sentence in forms])

        def make(chosen: np.ndarray) -> TaggingBatch:
            encoded = None if context is None else [context[n] for n in chosen]
            return make_batch(self._split_forms, [forms[n] for n in chosen], [tags[n] for n in chosen], encoded)

        train = settings.train
        batches = shuffled_batches(lengths, train.batch_size, train.batch_tokens, generator)
        return Batches(batches, make, np.array([len(chosen) * lengths[chosen].max() for chosen in batches]))

    def count_train(self, data: DataFolder) -> int:
        columns = (tags.reshape(len(tags), -1) for tags in self._encode(data, "train")[1])
        return sum(int((tags != NO_TAG).any(1).sum()) for tags in columns)

    def evaluate(self, model: TaggerNetwork, data: DataFolder, split: str) -> dict[str, Any]:
        text = self._read_split(data, split)
        predicted = self.predictor.predict_columns(model, text.tokens, encoded=self._encode_context(data, split))
        return score_columns(self.vocabularies, text, predicted)

    def _encode(self, data: DataFolder, split: str) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Form numbers and tag ids (`_encode_tags`) of a split; read once."""
        if split not in self._encoded:
            text = self._read_split(data, split)
            tags = [self._encode_tags(columns) for columns in zip(*text.columns, strict=True)]
            self._encoded[split] = self._split_forms.number(text.tokens), tags
        return self._encoded[split]

    def _encode_tags(self, columns: Sequence[Sequence[str | None]]) -> np.ndarray:
        """The ids of one sentence's tags: int64[T], [T, C] for several columns."""
        ids = [
            np.array([NO_TAG if tag is None else known.get(tag, NO_TAG) for tag in tags], np.int64)
            for known, tags in zip(self._tag_ids, columns, strict=True)
        ]
        return ids[0] if len(ids) == 1 else np.stack(ids, 1)

    def _read_split(self, data: DataFolder, split: str) -> TaggedText:
        return read_columns_file(data.file(f"{split}.tsv"), len(self.vocabularies.columns))
