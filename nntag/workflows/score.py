"""Language-model runs and text in, log-probabilities and perplexities out: what `nntag score` prints and `eval` reports."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nntag.corpora.lines import Lines, split_spaces
from nntag.encoding.store import DataFolder
from nntag.encoding.streams import SENTENCE_END, UNKNOWN, StreamVocabulary, TokenStream
from nntag.errors import DataError, UsageError
from nntag.evaluation.perplexity import fit_mixture, mix_nats, perplexity, report_perplexity
from nntag.progress import ProgressCallback, ignore_progress
from nntag.tasks.language_model import LanguageModelTask
from nntag.training.device import choose_device
from nntag.workflows.preprocess_text import RESERVED
from nntag.workflows.runs import Run, load_run, newest_run

GROUP_SENTENCES = 1_000  # most sentences scored together; fewer where the next line has not arrived
GROUP_TOKENS = 20_000


class LoadedLanguageModel:
    """A trained language model, or a linear mixture of several with one vocabulary, for use from Python."""

    def __init__(self, runs: Sequence[Run], weights: Sequence[float] | None = None):
        """`weights`: of the mixture, summing to one; equal ones by default. Raises `UsageError` for unlike vocabularies."""
        self.runs = list(runs)
        self.tasks = [_language_task(run) for run in self.runs]
        self.weights = np.full(len(self.runs), 1 / len(self.runs)) if weights is None else np.array(weights)
        for run, task in zip(self.runs[1:], self.tasks[1:], strict=True):
            if task.vocabulary.words != self.vocabulary.words:
                raise UsageError(
                    f"{run.path} and {self.runs[0].path} have different vocabularies; only probabilities of the same "
                    "words can be mixed: train them on the same data folder"
                )

    @property
    def vocabulary(self) -> StreamVocabulary:
        return self.tasks[0].vocabulary

    def open_split(self, data: DataFolder, split: str) -> TokenStream:
        return self.tasks[0].open_split(data, split)

    def fit_weights(self, stream: TokenStream, progress: ProgressCallback = ignore_progress) -> None:
        """Sets the mixture's weights to those under which `stream` is most probable."""
        self.weights = fit_mixture(self.score_each(stream, progress))

    def score(self, stream: TokenStream, progress: ProgressCallback = ignore_progress) -> np.ndarray:
        """The negative log-probability of each entry of `stream.ids`: float64[N], nats."""
        nats = self.score_each(stream, progress)
        return nats[0] if len(nats) == 1 else mix_nats(nats, self.weights)

    def score_sentences(self, sentences: Sequence[Sequence[str]]) -> list[np.ndarray]:
        """For each sentence the log-probabilities (nats) of its tokens and of the sentence's end: float64[tokens + 1]."""
        stream = self.vocabulary.encode_sentences(sentences)
        return np.split(-self.score(stream), stream.starts[1:-1]) if len(stream) else []

    def score_each(self, stream: TokenStream, progress: ProgressCallback = ignore_progress) -> np.ndarray:
        """The same by each of the K models: float64[K, N]."""
        return np.stack(
            [task.score(run.model, stream, progress) for run, task in zip(self.runs, self.tasks, strict=True)]
        )


def load_language_model(models: Sequence[str | Path] = (), device: str = "cpu") -> LoadedLanguageModel:
    """The language models of some run folders (the newest run by default); raises `RunError`, `UsageError`."""
    torch_device = choose_device(device)
    return LoadedLanguageModel([load_run(model, torch_device, "lm") for model in models or [newest_run("lm")]])


def report_language_model(
    model: LoadedLanguageModel,
    stream: TokenStream,
    dev: TokenStream | None = None,
    progress: ProgressCallback = ignore_progress,
) -> dict[str, Any]:
    """The perplexity report on `stream`. The weights of a mixture are fitted on `dev`, and its parts reported too."""
    if len(model.runs) == 1:
        return report_perplexity(stream, model.score(stream, progress))
    if dev is not None:
        model.fit_weights(dev, progress)
    each = model.score_each(stream, progress)
    parts = [
        {"run": str(run.path), "weight": float(weight), "perplexity": perplexity(float(nats.sum()), len(nats))}
        for run, weight, nats in zip(model.runs, model.weights, each, strict=True)
    ]
    return report_perplexity(stream, mix_nats(each, model.weights)) | {"mixture": parts}


@dataclass
class ScoreTotals:
    """Sums over all lines that were scored."""

    sentences: int = 0
    tokens: int = 0  # predicted ones: </s> counted
    unknown: int = 0
    log_probability: float = 0.0  # nats

    @property
    def perplexity(self) -> float | None:
        return perplexity(-self.log_probability, self.tokens) if self.tokens else None


def score_lines(
    model: LoadedLanguageModel,
    lines: Lines,
    write: Callable[[bytes], None],
    per_token: bool = False,
    as_json: bool = False,
) -> ScoreTotals:
    """Scores one sentence a line, as lines arrive; a blank line stays blank. Logarithms are natural ones.

    A line out for each line in: log-probability, perplexity, predicted tokens and unknown words between tabs. With
    `per_token` a line for each token and for `</s>`, with its log-probability, and a blank line after each sentence.
    What comes before a fault is written before its `DataError` is raised.
    """
    totals = ScoreTotals()
    for group in _group(lines):
        scored = iter(model.score_sentences([tokens for tokens in group if tokens]))
        parts = []
        for tokens in group:
            if not tokens:
                parts.append("{}\n" if as_json else "\n")
                continue
            logs = next(scored)
            unknown = int((model.vocabulary.encode(tokens) == UNKNOWN).sum())
            totals.sentences += 1
            totals.tokens += len(logs)
            totals.unknown += unknown
            totals.log_probability += float(logs.sum())
            parts.append(_format_sentence(tokens, logs, unknown, per_token, as_json))
        write("".join(parts).encode("utf-8"))
    return totals


def _language_task(run: Run) -> LanguageModelTask:
    assert isinstance(run.task, LanguageModelTask)
    return run.task


def _group(lines: Lines) -> Iterator[list[list[str]]]:
    """The tokens of the lines in groups, each as large as what has arrived allows, so that a pipe is answered at once."""
    group: list[list[str]] = []
    tokens = 0
    try:
        for number, text in lines:
            found = split_spaces(text)
            if not RESERVED.isdisjoint(found):
                raise DataError(lines.path, number, "the words <s> and </s> are reserved: sentence borders are added")
            group.append(found)
            tokens += len(found)
            if lines.waiting or len(group) >= GROUP_SENTENCES or tokens >= GROUP_TOKENS:
                yield group
                group, tokens = [], 0
    except DataError:
        if group:
            yield group
        raise
    if group:
        yield group


def _format_sentence(tokens: Sequence[str], logs: np.ndarray, unknown: int, per_token: bool, as_json: bool) -> str:
    total = float(logs.sum())
    if as_json:
        record: dict[str, Any] = {
            "log_probability": round(total, 6),
            "perplexity": round(perplexity(-total, len(logs)), 6),
            "tokens": len(logs),
            "unknown": unknown,
        }
        if per_token:
            record["words"] = [*tokens, SENTENCE_END]
            record["log_probabilities"] = [round(float(log), 6) for log in logs]
        return json.dumps(record, ensure_ascii=False) + "\n"
    if per_token:
        words = [*tokens, SENTENCE_END]
        return "".join(f"{word}\t{log:.4f}\n" for word, log in zip(words, logs, strict=True)) + "\n"
    return f"{total:.4f}\t{perplexity(-total, len(logs)):.4f}\t{len(logs)}\t{unknown}\n"
