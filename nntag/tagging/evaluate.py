"""`nntag eval` of taggers: predictions made block by block, scored one by one or as sets of tags."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from nntag.config.columns import list_columns
from nntag.corpora.formats import guess_format
from nntag.encoding.labels import check_gold_tags
from nntag.encoding.vocabulary import count_all
from nntag.errors import DataError, UsageError
from nntag.figures import check_picture
from nntag.files import replace_output
from nntag.progress import Progress, ProgressCallback
from nntag.tagging.corpus_files import read_tagged_text
from nntag.tagging.items import make_items
from nntag.tagging.parsing.evaluate import evaluate_parses
from nntag.tagging.pictures import draw_tags
from nntag.tagging.score import MultitagScore
from nntag.tagging.score_columns import score_columns
from nntag.tagging.tag import use_precision
from nntag.tagging.text_files import TaggedText, read_columns_file, write_columns_file
from nntag.training.item_files import write_item_file
from nntag.training.task import HeldOut, Run

ITEMS = ".jsonl"  # of an output file with one JSON object a sentence; any other has a line a word
BLOCK = 2_000  # sentences predicted together, so that memory does not grow with the file


def evaluate_tagger(run: Run, held_out: HeldOut, progress: ProgressCallback) -> dict[str, Any]:
    """The tagging report on `held_out`. Raises `DataError`, `RunError`, `UsageError`."""
    options, task = held_out.options, run.task
    for beta in options.betas:
        if not 0 < beta <= 1:
            raise UsageError(f"every --beta must be above 0 and at most 1, found {beta}")
    if options.parses is not None:
        return evaluate_parses(options, run)
    if options.plots:
        check_picture(options.plots, "--plots")
    text = _read_text(held_out)
    for column, known in zip(text.columns, task.vocabularies.columns, strict=True):
        gold_counts = count_all([tag for tag in tags if tag is not None] for tags in column)
        check_gold_tags(gold_counts, known.tags, held_out.describe())
    use_precision(run, options.precision, options.device)
    multitag = [MultitagScore(beta) for beta in sorted(options.betas, reverse=True)]
    predicted: list[list[list[str]]] = []
    for start in range(0, len(text.tokens), BLOCK):
        sentences, gold = text.tokens[start : start + BLOCK], text.tags[start : start + BLOCK]
        if multitag:
            tables = task.predictor.log_probabilities(run.model, sentences)
            predicted += [task.predictor.best_columns(table) for table in tables]
            for score in multitag:
                for tags, table in zip(gold, tables, strict=True):
                    score.add(
                        tags, ([tag for tag, _ in word] for word in task.predictor.likely_tags(table, score.beta))
                    )
        else:
            predicted += task.predictor.predict_columns(run.model, sentences)
        progress(Progress("tagging", len(predicted), len(text.tokens), "sentences"))
    report = score_columns(task.vocabularies, text, predicted)
    if multitag:
        of_first = report["columns"][task.vocabularies.columns[0].name] if text.further else report
        of_first["multitagging"] = [score.report() for score in multitag]
    if options.plots:
        draw_tags(report, check_picture(options.plots, "--plots"))
    if options.output and Path(options.output).suffix == ITEMS:
        names = [column.name for column in task.vocabularies.columns]
        write_item_file(options.output, task.name, make_items(text, predicted, names))
    elif options.output:
        _write_predictions(Path(options.output), text, predicted)
    return report


def _read_text(held_out: HeldOut) -> TaggedText:
    """A corpus file, read as the run's training corpus was, or a split of a data folder."""
    file, options, columns = held_out.file, held_out.options, len(held_out.run.task.vocabularies.columns)
    if file is None:
        folder, split = held_out.open_split()
        return read_columns_file(folder.file(f"{split}.tsv"), columns)
    format = options.format or guess_format(file)
    column = options.column or held_out.run.trained_column(format)
    if len(list_columns(column)) != columns:
        raise UsageError(f"the run gives tags of {columns} columns; name as many of {file}, each with --column")
    text = read_tagged_text(file, format, column)
    if not text.tokens:
        raise DataError(file, None, "no sentences to evaluate on")
    return text


def _write_predictions(path: Path, text: TaggedText, predicted: list[list[list[str]]]) -> None:
    """WORD, gold tag (empty where missing) and predicted tag, tab-separated, both tags once more for each further
    column; a blank line after each sentence."""
    sentences: list[list[Sequence[str | None]]] = [[tokens] for tokens in text.tokens]
    for sentence, tags, *gold in zip(sentences, predicted, *text.columns, strict=True):
        for pair in zip(gold, tags, strict=True):
            sentence += pair
    try:
        with replace_output(path) as partial:
            write_columns_file(partial, sentences)
    except OSError as error:
        raise UsageError(f"{path}: cannot write --output: {error.strerror}") from None
