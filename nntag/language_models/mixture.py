"""Trained language models, one or a mixture of several, as one object that scores sentences; and the report on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from nntag.corpora.formats import guess_format
from nntag.encoding.data_folder import DataFolder
from nntag.errors import UsageError
from nntag.language_models.next_words import next_word_probabilities
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.ngram.renumber import renumber
from nntag.language_models.perplexity import fit_mixture, mix_nats, perplexity, report_perplexity
from nntag.language_models.preprocessing.text import RESERVED, read_sentences
from nntag.language_models.streams import SENTENCE_END, StreamVocabulary, TokenStream
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.device import choose_device
from nntag.training.ensemble import Ensemble, load_runs
from nntag.training.runs import newest_run
from nntag.training.task import Run


class LanguageModel:
    """A trained language model, or a linear mixture of several with one vocabulary, for use from Python:
    `nntag.load("runs/x").next_words(["the", "dog"])`."""

    def __init__(self, runs: Sequence[Run], weights: Sequence[float] | None = None):
        """`weights`: of the mixture, summing to one, equal by default. Raises `UsageError` for unlike vocabularies."""
        for run in runs[1:]:
            check_mixture(runs[0], run)
        leader = next((run for run in runs if not isinstance(run.model, NgramModel)), runs[0])
        self.runs = [_reorder(run, leader) for run in runs]
        self.tasks = [run.task for run in self.runs]
        self.weights = np.full(len(self.runs), 1 / len(self.runs)) if weights is None else np.array(weights)

    @property
    def vocabulary(self) -> StreamVocabulary:
        """The vocabulary that all runs share."""
        return self.tasks[0].vocabulary

    def score_words(self, tokens: Sequence[str]) -> list[tuple[str, float]]:
        """Each token of one sentence and `</s>` after it, with its log-probability (natural, given those before it).

        Words that the model does not know are scored as `<unk>`. Raises `UsageError` for `<s>` or `</s>` among them.
        """
        _check_tokens(tokens)
        logs = self.score_sentences([tokens])[0]
        return list(zip((*tokens, SENTENCE_END), logs.tolist(), strict=True))

    def next_words(self, tokens: Sequence[str] = (), count: int = 10) -> list[tuple[str, float]]:
        """The `count` most probable words after the beginning `tokens` of a sentence, with their probabilities, best
        first; `</s>` means that the sentence ends, `<unk>` stands for all words that the model does not know.

        Raises `UsageError` for models that read backwards or see words on both sides, and for `<s>` or `</s>`.
        """
        _check_tokens(tokens)
        if count < 1:
            raise UsageError(f"count must be at least 1, found {count}")
        if self.tasks[0].backward or looks_ahead(self.runs[0]):
            raise UsageError(f"{self.runs[0].path}: only models that read from left to right tell the next word")
        probabilities = self.next_probabilities(self.vocabulary.encode(tokens))
        best = np.argsort(-probabilities, kind="stable")[:count]
        return [(self.vocabulary.words[number], float(probabilities[number])) for number in best]

    def next_probabilities(self, ids: np.ndarray) -> np.ndarray:
        """float64[V]: the probability of every word after a sentence's beginning `ids: int[T]`, by id. Only for models
        that read from left to right."""
        each = np.stack([next_word_probabilities(run.model, ids) for run in self.runs])  # float64[K, V]
        return self.weights @ each

    def open_split(self, data: DataFolder, split: str) -> TokenStream:
        """The sentences of a split of a data folder."""
        return self.tasks[0].open_split(data, split)

    def fit_weights(self, stream: TokenStream, progress: ProgressCallback = ignore_progress) -> None:
        """Sets the mixture's weights to those under which `stream` is most probable."""
        self.weights = fit_mixture(self.score_each(stream, progress))

    def score(self, stream: TokenStream, progress: ProgressCallback = ignore_progress) -> np.ndarray:
        """The negative log-probability of each entry of `stream.ids`: float64[N], nats."""
        nats = self.score_each(stream, progress)
        return nats[0] if len(nats) == 1 else mix_nats(nats, self.weights)

    def score_sentences(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """For each sentence the log-probabilities (nats) of its tokens and of its end: float64[tokens + 1]."""
        stream = self.vocabulary.encode_sentences(sentences)
        return np.split(-self.score(stream), stream.starts[1:-1]) if len(stream) else []

    def score_each(self, stream: TokenStream, progress: ProgressCallback = ignore_progress) -> np.ndarray:
        """The same by each of the K models: float64[K, N]."""
        return np.stack(
            [task.score(run.model, stream, progress) for run, task in zip(self.runs, self.tasks, strict=True)]
        )


def _check_tokens(tokens: Sequence[str]) -> None:
    if isinstance(tokens, str):
        raise TypeError("a sentence is a list of tokens, not a string: split the text first")
    if not RESERVED.isdisjoint(tokens):
        raise UsageError("the words <s> and </s> are reserved: sentence borders are added")


def check_mixture(run: Run, other: Run) -> None:
    """Raises `UsageError` for models whose probabilities cannot be mixed: of other words, or from other sides."""
    words, other_words = run.task.vocabulary.words, other.task.vocabulary.words
    counted = isinstance(run.model, NgramModel) or isinstance(other.model, NgramModel)
    if words != other_words and not (counted and set(words) == set(other_words)):
        only = sorted(set(words) ^ set(other_words))[:3]
        shown = f"only one has {', '.join(only)}" if only else "their words stand in another order"
        raise UsageError(
            f"{other.path} and {run.path} have different vocabularies ({shown}); only probabilities of the same words "
            "can be mixed: train them on the same data folder"
        )
    if run.task.backward != other.task.backward or looks_ahead(run) or looks_ahead(other):
        raise UsageError(
            f"{other.path} and {run.path} predict words from different sides, so their probabilities cannot be mixed; "
            "`nntag complete` can add the scores of sentences"
        )


def can_be_mixed(runs: Sequence[Run]) -> bool:
    """Whether the models know the same words and predict them from the same side."""
    try:
        for run in runs[1:]:
            check_mixture(runs[0], run)
    except UsageError:
        return False
    return True


def open_model(run: Run) -> LanguageModel:
    """The model of a run, or the mixture that an ensemble is."""
    ensemble = run.model
    return LanguageModel(ensemble.members, ensemble.weights) if isinstance(ensemble, Ensemble) else LanguageModel([run])


def load_language_model(
    models: Sequence[str | Path] = (), device: str = "cpu", weights: Sequence[float] = ()
) -> LanguageModel:
    """The language models of some run folders (the newest run by default) as one; raises `RunError`, `UsageError`."""
    return open_model(load_runs(models or [newest_run("lm")], weights, choose_device(device), "lm"))


def report_language_model(
    model: LanguageModel,
    stream: TokenStream,
    dev: TokenStream | None = None,
    progress: ProgressCallback = ignore_progress,
) -> tuple[dict[str, Any], np.ndarray]:
    """The perplexity report on `stream`, and the nats of each entry of its ids: float64[N]. The weights of a mixture
    are fitted on `dev`, and its parts reported too."""
    if len(model.runs) == 1:
        pseudo = {"pseudo": True} if looks_ahead(model.runs[0]) else {}
        nats = model.score(stream, progress)
        return report_perplexity(stream, nats) | pseudo, nats
    if dev is not None:
        model.fit_weights(dev, progress)
    each = model.score_each(stream, progress)
    parts = [
        {"run": str(run.path), "weight": float(weight), "perplexity": perplexity(float(own.sum()), len(own))}
        for run, weight, own in zip(model.runs, model.weights, each, strict=True)
    ]
    nats = mix_nats(each, model.weights)
    return report_perplexity(stream, nats) | {"mixture": parts, "weights_fitted": dev is not None}, nats


def read_stream(model: LanguageModel, path: str | Path, format: str | None = None) -> TokenStream:
    """The sentences of a corpus file in the model's ids; without `format` its suffix tells. Raises `DataError`."""
    return model.vocabulary.encode_sentences(read_sentences([path], format or guess_format(path)))


def _reorder(run: Run, leader: Run) -> Run:
    """An n-gram model of the leader's words in another order, as in an ARPA file of another toolkit, in the leader's
    order; any other run as it is."""
    own, wanted = run.task.vocabulary.words, leader.task.vocabulary.words
    if not isinstance(run.model, NgramModel) or own == wanted or set(own) != set(wanted):
        return run
    places = {word: number for number, word in enumerate(wanted)}
    new_ids = np.array([places[word] for word in own] + [len(own)], np.int64)
    task = run.task.from_json(leader.task.to_json(), run.settings)
    return replace(run, model=renumber(run.model, new_ids), task=task)


def looks_ahead(run: Run) -> bool:
    """Whether the model predicts words from both sides: its scores are pseudo-likelihoods."""
    return getattr(run.model, "looks_ahead", False)
