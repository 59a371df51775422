"""`nntag tag`: text in, the same text with a tag for every token out, in the same order, as it arrives."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from nntag.config.fields import refuse_flags
from nntag.config.options.use import Models, TagOptions, list_models
from nntag.config.tasks import find_task
from nntag.corpora.arrivals import group_arrived
from nntag.corpora.faults import SkippedItems, raise_bad
from nntag.corpora.lines import Lines
from nntag.errors import UsageError
from nntag.tagging.jobs import deal_out
from nntag.tagging.predictor import PREDICT_SIZE, Predictor
from nntag.tagging.stream.input import Item, choose_input_format, read_items
from nntag.tagging.stream.output import POS, Output, Scored
from nntag.training.device import choose_device, use_threads
from nntag.training.ensemble import Ensemble, load_runs, members_of
from nntag.training.precision import choose_precision
from nntag.training.runs import newest_run
from nntag.training.task import Run

# For each sentence its tags and those of further columns; and the parts of speech of all sentences, where asked for.
_Found = tuple[list[tuple[Scored, list[list[str]]]], list[list[str]] | None]


class Tagger:
    """A trained tagger for use from Python: `nntag.load("runs/x").tag(["She", "saw", "it"])`."""

    def __init__(self, run: Run, batch_size: int = PREDICT_SIZE):
        self.run = run
        if batch_size < 1:
            raise UsageError(f"--batch-size must be at least 1, found {batch_size}")
        self._batch_size = batch_size
        self._predictor: Predictor = run.task.predictor

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags that the model can give, in its first column."""
        return self._predictor.vocabularies.columns[0].answers

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of tags that the model gives at once; `("",)` where there is only one."""
        return tuple(column.name for column in self._predictor.vocabularies.columns)

    def tag(self, tokens: Sequence[str]) -> list[str]:
        """The most probable tag of each token of one sentence, in the first column as in all that follows."""
        return self.tag_all([tokens])[0]

    def use_precision(self, name: str, device: str = "cpu") -> None:
        """What products are made in from now on, as `--precision` names it: `float32` (at first), `bf16` or `auto`.
        Raises `UsageError`."""
        use_precision(self.run, name, device)

    def find_pos(self, further: Sequence[Sequence[str]]) -> Sequence[str] | None:
        """The column `pos` among the tags of the further columns, if the model has it."""
        return further[self.columns[1:].index(POS)] if POS in self.columns[1:] else None

    def tag_columns(self, tokens: Sequence[str]) -> dict[str, list[str]]:
        """The most probable tags of one sentence in every column, by its name."""
        _check_sentences([tokens])
        (found,) = self._predictor.predict_columns(self.run.model, [tokens], self._batch_size)
        return dict(zip(self.columns, found, strict=True))

    def tag_all(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """The most probable tags of many sentences, in their order."""
        _check_sentences(sentences)
        return self._predictor.predict(self.run.model, sentences, self._batch_size)

    def likely_tags(self, tokens: Sequence[str], beta: float = 0.01) -> Scored:
        """For each token every tag with p >= beta * p_best and its probability, best first."""
        return self.score_all([tokens], beta)[0]

    def score_all(self, sentences: Sequence[Sequence[str]], beta: float = 1.0) -> list[Scored]:
        """`likely_tags` of many sentences; with beta 1 the best tag alone (one of them where two are equal)."""
        return [scored for scored, _ in self.score_columns(sentences, beta)]

    def score_columns(
        self, sentences: Sequence[Sequence[str]], beta: float = 1.0, probabilities: bool = True
    ) -> list[tuple[Scored, list[list[str]]]]:
        """As `score_all`, each with the most probable tags of all further columns; without `probabilities`, which take
        time, the best tags alone, NaN beside them."""
        if not 0 < beta <= 1:
            raise UsageError(f"beta must be above 0 and at most 1, found {beta}")
        _check_sentences(sentences)
        if not probabilities:
            best = self._predictor.predict_columns(self.run.model, sentences, self._batch_size)
            return [([[(tag, math.nan)] for tag in first], further) for first, *further in best]
        tables = self._predictor.log_probabilities(self.run.model, sentences, self._batch_size)
        found = []
        for table in tables:
            words = self._predictor.likely_tags(table, beta)
            scored = [tags[:1] for tags in words] if beta == 1.0 else words
            found.append((scored, self._predictor.best_columns(table)[1:] if len(self.columns) > 1 else []))
        return found


def _check_sentences(sentences: Sequence[Sequence[str]]) -> None:
    if isinstance(sentences, str) or any(isinstance(tokens, str) for tokens in sentences):
        raise TypeError("a sentence is a list of tokens, not a string: split the text first")


def load_tagger(
    model: Models = None, device: str = "cpu", batch_size: int = PREDICT_SIZE, weights: Sequence[float] = ()
) -> Tagger:
    """The tagger of a run folder (the newest tagging run by default), several as an ensemble; raises `RunError`,
    `UsageError`."""
    models = list_models(model) or (newest_run("tagging"),)
    return Tagger(load_runs(models, weights, choose_device(device), "tagging"), batch_size)


def tag_stream(run: Run, lines: Lines, write: Callable[[bytes], None], options: TagOptions) -> int:
    """`tag_lines` by a run; raises `RunError`, `UsageError` for what the options name beside it."""
    use_precision(run, options.precision, options.device)
    pos_tagger = None
    if options.pos_model is not None and options.jobs == 1:
        pos_tagger = _load_pos_tagger(str(options.pos_model), options.device)
    return tag_lines(Tagger(run, options.batch_size), lines, write, options, pos_tagger)


def use_precision(run: Run, name: str, device: str) -> None:
    """What the run's products are made in from now on; raises `UsageError`."""
    task = find_task(run.task.name)
    precision = choose_precision(name, choose_device(device), task.precisions, task.models)
    for member in members_of(run):
        member.task.predictor.precision = precision  # type: ignore[attr-defined]


@functools.lru_cache(1)
def _load_pos_tagger(model: str, device: str) -> Tagger:
    """Kept for the next file of the same command."""
    return load_tagger(model, device)


def tag_lines(
    tagger: Tagger,
    lines: Lines,
    write: Callable[[bytes], None],
    options: TagOptions | None = None,
    pos_tagger: Tagger | None = None,
) -> int:
    """Tags what `lines` holds; `write` is called whenever some sentences are done. Returns the number of sentences.

    A text line gives one sentence, with `tokenize` one or more, a blank line an empty one. CoNLL-U to CoNLL-U keeps
    everything but the tag. `pos_tagger` gives the parts of speech that stand beside the tags. What comes before a fault
    is written before its `DataError` is raised.
    """
    options = options or TagOptions()
    output = Output.choose(options, tagger.run, tagger.tags)
    write_item = output.writer()
    input_format = choose_input_format(options.input_format, lines.path)
    if input_format == output.format == "conllu":
        refuse_flags(options, ("pos_model",), "has no place in CoNLL-U that comes back as it was but for the tags")
    on_bad = SkippedItems() if options.skip_bad else raise_bad
    items = read_items(lines, input_format, output.format == "conllu", on_bad, options.tokenize)
    count = 0
    groups = group_arrived(items, lines, lambda item: len(item.tokens))
    worker = _Worker(tagger, pos_tagger, output.beta, output.shows_probabilities)
    scored = worker.score(groups) if options.jobs == 1 else _deal_out(groups, lines, worker, options)
    for group, (found, tags) in scored:
        group = [output.add_further(item, further) for item, (_, further) in zip(group, found, strict=True)]
        if tags is not None:
            group = [replace(item, tags=tuple(row)) for item, row in zip(group, tags, strict=True)]
        write(b"".join(write_item(item, words) for item, (words, _) in zip(group, found, strict=True)))
        count += len(group)
    return count


@dataclass(frozen=True)
class _Worker:
    """What finds the tags of a group of sentences, here or in a process of its own."""

    tagger: Tagger
    pos_tagger: Tagger | None
    beta: float | None
    probabilities: bool

    def score(self, groups: Iterator[list[Item]]) -> Iterator[tuple[list[Item], _Found]]:
        for group in groups:
            yield group, self.find([item.tokens for item in group])

    def find(self, sentences: Sequence[Sequence[str]]) -> _Found:
        found = self.tagger.score_columns(sentences, self.beta or 1.0, self.probabilities)
        return found, self.pos_tagger.tag_all(sentences) if self.pos_tagger else None


def _deal_out(
    groups: Iterator[list[Item]], lines: Lines, worker: _Worker, options: TagOptions
) -> Iterator[tuple[list[Item], _Found]]:
    """As `_Worker.score`, in `options.jobs` processes, each of which loads the runs for itself."""
    run = worker.tagger.run
    weights = run.model.weights if isinstance(run.model, Ensemble) else ()
    models = tuple(str(member.path) for member in members_of(run))
    arguments = (models, weights, options, worker.beta, worker.probabilities)
    return deal_out(
        groups,
        options.jobs,
        _start_worker,
        arguments,
        lambda submit, group: submit(_find_in_worker, [item.tokens for item in group]),
        lambda: lines.waiting,
    )


_workers: list[_Worker] = []  # the one of a process


def _start_worker(
    models: tuple[str, ...], weights: tuple[float, ...], options: TagOptions, beta: float | None, probabilities: bool
) -> None:
    use_threads(1)
    tagger = load_tagger(models, options.device, options.batch_size, weights)
    use_precision(tagger.run, options.precision, options.device)
    pos_tagger = None if options.pos_model is None else load_tagger(options.pos_model, options.device)
    _workers[:] = [_Worker(tagger, pos_tagger, beta, probabilities)]


def _find_in_worker(sentences: Sequence[Sequence[str]]) -> _Found:
    return _workers[0].find(sentences)
