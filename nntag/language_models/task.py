"""The language-modelling task: streams of token ids -> batches, models and their perplexity."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nntag.config.options.use import TagOptions
from nntag.config.settings import Settings
from nntag.corpora.formats import find_format
from nntag.corpora.lines import Lines
from nntag.encoding.batching import shuffled_batches, sorted_batches
from nntag.encoding.data_folder import DataFolder
from nntag.encoding.preprocessing import Corpus, Preprocessed
from nntag.errors import RunError, UsageError
from nntag.language_models.evaluate import evaluate_language_model
from nntag.language_models.items import IDENTITY, ITEM, compare_items
from nntag.language_models.mixture import LanguageModel, check_mixture, open_model
from nntag.language_models.models.language_model import NeuralLanguageModel
from nntag.language_models.ngram.estimate import estimate_ngrams
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.ngram.storage import ABOUT
from nntag.language_models.perplexity import report_perplexity
from nntag.language_models.preprocessing.sherlock import preprocess_sherlock
from nntag.language_models.preprocessing.text import preprocess_text
from nntag.language_models.report import format_perplexity_report
from nntag.language_models.streams import (
    BOUNDARY,
    StreamVocabulary,
    TokenStream,
    make_batch,
    open_stream,
    restore_order,
    same_length_batches,
)
from nntag.progress import Progress, ProgressCallback, ignore_progress
from nntag.schema import Flag, Record, Rows, Text
from nntag.training.batches import Batches
from nntag.training.item_files import Item
from nntag.training.metric import Metric
from nntag.training.paired_figures import PairedFigure
from nntag.training.task import HeldOut, Run

PREDICT_SIZE = 64  # sentences and padded tokens of a batch that is only scored
PREDICT_TOKENS = 4096
SAVED = Record({"words": Rows(Text()), "lowercase": Flag()})  # the `vocab.json` of a run, and of a data folder


class LanguageModelTask:
    """See `nntag.training.task.Task`."""

    name = "lm"
    metrics = (Metric("perplexity", higher_is_better=False),)
    saved = SAVED
    unit = "tokens"
    tag_format = ""
    kept_files = ()
    item = ITEM
    item_identity = IDENTITY

    def __init__(self, vocabulary: StreamVocabulary, settings: Settings):
        self.vocabulary = vocabulary
        self._input = settings.input
        self.backward = settings.input.backward
        self._checked: dict[Path, tuple[int, int]] = {}  # files that hold this vocabulary, and their states

    @classmethod
    def preprocess(cls, corpus: Corpus, out: Path, progress: ProgressCallback) -> Preprocessed:
        if find_format(corpus.format).yields == "questions":
            return preprocess_sherlock(corpus, out, progress)
        return preprocess_text(corpus, out, progress)

    @classmethod
    def evaluate_run(cls, run: Run, held_out: HeldOut, progress: ProgressCallback) -> dict[str, Any]:
        return evaluate_language_model(run, held_out, progress)

    @classmethod
    def compare_items(cls, first: Sequence[Item], second: Sequence[Item]) -> list[PairedFigure]:
        return compare_items(first, second)

    @classmethod
    def format_report(cls, report: Mapping[str, Any]) -> str:
        return format_perplexity_report(report, cls.metrics)

    @classmethod
    def load(cls, run: Run) -> LanguageModel:
        return open_model(run)

    @classmethod
    def check_member(cls, run: Run, other: Run) -> None:
        check_mixture(run, other)

    @classmethod
    def tag(cls, run: Run, lines: Lines, write: Callable[[bytes], None], options: TagOptions) -> int:
        raise UsageError(f"{run.path} is a language model, which gives no tags; score text with it by `nntag score`")

    @classmethod
    def from_data(cls, data: DataFolder, settings: Settings) -> LanguageModelTask:
        file = data.file("vocab.json")
        state = _file_state(file)
        task = cls.from_json(data.read_json("vocab.json", SAVED, "the vocabulary of a language model"), settings)
        task._checked[file] = state
        return task

    @classmethod
    def from_json(cls, vocabularies: Mapping[str, Any], settings: Settings) -> LanguageModelTask:
        return cls(StreamVocabulary(vocabularies["words"], vocabularies["lowercase"]), settings)

    def to_json(self) -> dict[str, Any]:
        return self.vocabulary.to_json()

    def complete_settings(self, settings: Settings) -> Settings:
        return settings

    def build_model(self, settings: Settings, pretrained: bool = True) -> NeuralLanguageModel:
        return settings.row.load_class()(settings.model, len(self.vocabulary))

    def use_device(self, device: torch.device) -> None:
        pass

    def prepare(self, data: DataFolder, progress: ProgressCallback) -> None:
        pass

    def open_split(self, data: DataFolder, split: str) -> TokenStream:
        """The split's sentences; raises `RunError` where they were encoded with another vocabulary."""
        file = data.file("vocab.json")
        state = _file_state(file)
        if self._checked.get(file) != state:  # not read yet, or replaced while a long run goes on
            saved = data.read_json("vocab.json", SAVED, "the vocabulary of a language model")
            if saved["words"] != self.vocabulary.known():
                raise RunError(
                    f"{data.path}: its vocabulary differs from the run's, or has another order; "
                    "give the text itself, which is then encoded anew (--data FILE)"
                )
            self._checked[file] = state
        ids = data.file(f"{split}.ids.npy")
        state = _file_state(ids)
        stream = open_stream(data.path, split, len(self.vocabulary) if self._checked.get(ids) != state else None)
        self._checked[ids] = state
        return stream

    def train_batches(self, data: DataFolder, settings: Settings, generator: torch.Generator) -> Batches:
        stream, kept = self._train_sentences(data)
        lengths, size = stream.lengths[kept], settings.train.batch_size
        if settings.input.same_length:
            batches = same_length_batches(lengths, size, generator)
        else:
            batches = shuffled_batches(lengths, size, settings.train.batch_tokens, generator)
        return Batches(batches, lambda chosen: make_batch([stream[number] for number in kept[chosen]]))

    def count_train(self, data: DataFolder) -> int:
        stream, kept = self._train_sentences(data)
        return int(stream.lengths[kept].sum())

    def count_model(self, settings: Settings, data: DataFolder, folder: Path, progress: ProgressCallback) -> NgramModel:
        """The n-gram model of the training sentences whose lengths are wanted."""
        stream, kept = self._train_sentences(data)
        ids = stream.ids if len(kept) == len(stream) else stream.select(kept)
        words = len(self.vocabulary)  # the id after the last word is that of <s>
        return estimate_ngrams(ids, BOUNDARY, words, words, settings.model.order, folder, progress)

    def open_counted(self, folder: Path, thorough: bool = False) -> NgramModel:
        model, words = NgramModel.load(folder, thorough), len(self.vocabulary)
        if model.vocab_size != words:
            raise RunError(f"{folder / ABOUT}: a model of {model.vocab_size:,} words, with a vocabulary of {words:,}")
        return model

    def evaluate(self, model: NeuralLanguageModel | NgramModel, data: DataFolder, split: str) -> dict[str, Any]:
        stream = self.open_split(data, split)
        return report_perplexity(stream, self.score(model, stream))

    def score(
        self, model: NeuralLanguageModel | NgramModel, stream: TokenStream, progress: ProgressCallback = ignore_progress
    ) -> np.ndarray:
        """The negative log-probability of each entry of `stream.ids`: float64[N], nats."""
        if self.backward:
            return restore_order(self._score_forward(model, stream.reverse(), progress))
        return self._score_forward(model, stream, progress)

    def _score_forward(
        self, model: NeuralLanguageModel | NgramModel, stream: TokenStream, progress: ProgressCallback
    ) -> np.ndarray:
        if isinstance(model, NgramModel):
            return model.token_nats(np.asarray(stream.ids))
        nats = np.empty(len(stream.ids))
        device = next(model.parameters()).device
        done = 0
        for chosen in sorted_batches(stream.lengths, PREDICT_SIZE, PREDICT_TOKENS):
            batch = make_batch([stream[number] for number in chosen])
            scored = model.token_nats(batch.to(device)).cpu().numpy()
            for column, number in enumerate(chosen):
                start, stop = stream.starts[number], stream.starts[number + 1]
                nats[start:stop] = scored[: stop - start, column]
                done += int(stop - start)
            progress(Progress("scoring", done, len(nats), "tokens"))
        return nats

    def _train_sentences(self, data: DataFolder) -> tuple[TokenStream, np.ndarray]:
        """The training stream and the numbers of the sentences whose lengths are wanted."""
        stream = self.open_split(data, "train")
        stream = stream.reverse() if self.backward else stream
        lengths = stream.lengths
        longest = self._input.max_length or lengths.max(initial=0)
        return stream, np.flatnonzero((lengths >= self._input.min_length) & (lengths <= longest))


def _file_state(path: Path) -> tuple[int, int]:
    """What changes when a file is written anew: the time in nanoseconds and the size in bytes."""
    state = path.stat()
    return state.st_mtime_ns, state.st_size
