"""`nntag tag`: text in, the same text with a tag for every token out, in the same order, as it arrives."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from nntag.config.fields import unknown_name
from nntag.config.options.use import TagOptions
from nntag.corpora.arrivals import group_arrived
from nntag.corpora.columns import read_columns
from nntag.corpora.conllu import COLUMNS, ConlluBlock, column_index, read_conllu_blocks
from nntag.corpora.lines import Lines, split_spaces
from nntag.errors import UsageError
from nntag.training.device import choose_device
from nntag.training.runs import load_run, newest_run
from nntag.training.task import Run

PREDICT_SIZE = 64  # most sentences computed together
INPUT_FORMATS = ("text", "columns", "conllu")
OUTPUT_FORMATS = ("piped", "columns", "conllu", "json")

Scored = list[list[tuple[str, float]]]  # for each token its tags with their probabilities, best first


class Tagger:
    """A trained tagger for use from Python: `nntag.load("runs/x").tag(["She", "saw", "it"])`."""

    def __init__(self, run: Run, batch_size: int = PREDICT_SIZE):
        self.run = run
        if batch_size < 1:
            raise UsageError(f"--batch-size must be at least 1, found {batch_size}")
        self._batch_size, self._task = batch_size, run.task

    @property
    def tags(self) -> tuple[str, ...]:
        """All tags that the model can give."""
        return self._task.vocabularies.tags

    def tag(self, tokens: Sequence[str]) -> list[str]:
        """The most probable tag of each token of one sentence."""
        return self.tag_all([tokens])[0]

    def tag_all(self, sentences: Sequence[Sequence[str]]) -> list[list[str]]:
        """The most probable tags of many sentences, in their order."""
        _check_sentences(sentences)
        return self._task.predict(self.run.model, sentences, self._batch_size)

    def likely_tags(self, tokens: Sequence[str], beta: float = 0.01) -> Scored:
        """For each token every tag with p >= beta * p_best and its probability, best first."""
        return self.score_all([tokens], beta)[0]

    def score_all(self, sentences: Sequence[Sequence[str]], beta: float = 1.0) -> list[Scored]:
        """`likely_tags` of many sentences; with beta 1 the best tag alone (one of them where two are equal)."""
        if not 0 < beta <= 1:
            raise UsageError(f"beta must lie above 0 and not above 1, found {beta}")
        _check_sentences(sentences)
        tables = self._task.log_probabilities(self.run.model, sentences, self._batch_size)
        found = [self._task.likely_tags(table, beta) for table in tables]
        return [[tags[:1] for tags in words] for words in found] if beta == 1.0 else found


@dataclass(frozen=True)
class Output:
    """How tagged sentences are written."""

    format: str = "piped"
    beta: float | None = None  # every tag with p >= beta * p_best, not only the best
    probabilities: bool = False  # a probability behind each tag
    column: str = "UPOS"  # the CoNLL-U column that the tag goes to

    @classmethod
    def choose(cls, options: TagOptions, run: Run) -> Output:
        """What the options ask for; the column is the one that the run was trained on unless they name another."""
        column = options.column or run.trained_column("conllu") or cls.column
        return cls(options.format or cls.format, options.beta, options.probabilities, column)


def _check_sentences(sentences: Sequence[Sequence[str]]) -> None:
    if isinstance(sentences, str) or any(isinstance(tokens, str) for tokens in sentences):
        raise TypeError("a sentence is a list of tokens, not a string: split the text first")


def load_tagger(model: str | Path | None = None, device: str = "cpu", batch_size: int = PREDICT_SIZE) -> Tagger:
    """The tagger of a run folder (the newest tagging run by default); raises `RunError`, `UsageError`."""
    return Tagger(load_run(model or newest_run("tagging"), choose_device(device), "tagging"), batch_size)


def tag_lines(tagger: Tagger, lines: Lines, write: Callable[[bytes], None], options: TagOptions | None = None) -> int:
    """Tags what `lines` holds; `write` is called whenever some sentences are done. Returns how many sentences.

    A text line gives one sentence, a blank line an empty one. CoNLL-U to CoNLL-U keeps everything but the tag.
    What comes before a fault is written before its `DataError` is raised.
    """
    options = options or TagOptions()
    output = Output.choose(options, tagger.run)
    input_format = options.input_format or "text"
    _check_formats(input_format, output)
    items = _read_items(lines, input_format, output.format == "conllu")
    count = 0
    for group in group_arrived(items, lines, lambda item: len(_tokens_of(item))):
        scored = tagger.score_all([_tokens_of(item) for item in group], output.beta or 1.0)
        write(b"".join(_format_item(item, tags, output) for item, tags in zip(group, scored, strict=True)))
        count += len(group)
    return count


def _check_formats(input_format: str, output: Output) -> None:
    if input_format not in INPUT_FORMATS:
        raise UsageError(unknown_name("--input-format", input_format, INPUT_FORMATS))
    if output.format not in OUTPUT_FORMATS:
        raise UsageError(unknown_name("--format", output.format, OUTPUT_FORMATS))
    if output.format == "conllu" and column_index(output.column) < COLUMNS.index("LEMMA"):
        raise UsageError(f"--column {output.column} would replace the words; choose UPOS, XPOS, FEATS, MISC, ...")
    if output.format == "conllu" and (output.beta is not None or output.probabilities):
        raise UsageError("CoNLL-U has no column for probabilities; use --format json, columns or piped")
    if output.beta is not None and not 0 < output.beta <= 1:
        raise UsageError(f"--beta must lie above 0 and not above 1, found {output.beta}")


def _read_items(lines: Lines, input_format: str, keep_blocks: bool) -> Iterator[ConlluBlock | tuple[str, ...]]:
    """Sentences as tokens, or as CoNLL-U blocks where they are to be written back."""
    if input_format == "text":
        for _, text in lines:
            yield tuple(split_spaces(text))
    elif input_format == "columns":
        yield from (sentence.tokens for sentence in read_columns(lines, words_only=True))
    else:
        for block in read_conllu_blocks(lines):
            if keep_blocks:
                yield block
            elif block.sentence is not None:
                yield block.sentence.tokens


def _tokens_of(item: object) -> tuple[str, ...]:
    if isinstance(item, ConlluBlock):
        return item.sentence.tokens if item.sentence else ()
    assert isinstance(item, tuple)
    return item


def _format_item(item: ConlluBlock | tuple[str, ...], scored: Scored, output: Output) -> bytes:
    best = [tags[0][0] for tags in scored]
    if isinstance(item, ConlluBlock):
        return item.with_column(best, output.column) if item.sentence else b"".join(item.raw)
    if output.format == "json":
        return _format_json(item, scored, output)
    if output.format == "conllu":
        return _format_conllu(item, best, output.column)
    separator = "|" if output.format == "piped" else "\t"
    words = [separator.join([token, *_fields(tags, output)]) for token, tags in zip(item, scored, strict=True)]
    if output.format == "piped":
        return (" ".join(words) + "\n").encode("utf-8")
    return "".join(word + "\n" for word in [*words, ""]).encode("utf-8")


def _fields(tags: list[tuple[str, float]], output: Output) -> list[str]:
    """TAG, or TAG and probability by turns."""
    if output.beta is None and not output.probabilities:
        return [tags[0][0]]
    return [field for tag, probability in tags for field in (tag, f"{probability:.4f}")]


def _format_json(tokens: tuple[str, ...], scored: Scored, output: Output) -> bytes:
    record: dict[str, object] = {"tokens": tokens, "tags": [tags[0][0] for tags in scored]}
    if output.probabilities:
        record["probabilities"] = [round(tags[0][1], 6) for tags in scored]
    if output.beta is not None:
        record["likely_tags"] = [[[tag, round(p, 6)] for tag, p in tags] for tags in scored]
    return (json.dumps(record, ensure_ascii=False) + "\n").encode("utf-8")


def _format_conllu(tokens: tuple[str, ...], tags: list[str], column: str) -> bytes:
    """Ten columns, all but ID, FORM and the tag empty; an empty sentence is a lone comment."""
    if not tokens:
        return b"# empty\n\n"
    place = column_index(column)
    rows = []
    for number, (token, tag) in enumerate(zip(tokens, tags, strict=True), 1):
        fields = [str(number), token] + ["_"] * 8
        fields[place] = tag
        rows.append("\t".join(fields) + "\n")
    return ("".join(rows) + "\n").encode("utf-8")
