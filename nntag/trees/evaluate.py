"""`nntag eval` of tree models: a split, or a file of labelled trees, in, the report on it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from nntag.corpora.records import Tree
from nntag.errors import DataError
from nntag.figures import check_picture
from nntag.training.confusion_plot import draw_confusion
from nntag.training.item_files import write_item_file
from nntag.training.task import HeldOut, Run
from nntag.trees.batches import Forest
from nntag.trees.corpus_files import guess_tree_format, read_labelled_trees
from nntag.trees.items import make_items
from nntag.trees.preprocess import choose_sentences
from nntag.trees.score import report_sentiment


def evaluate_tree_model(run: Run, held_out: HeldOut) -> dict[str, Any]:
    """The report on `held_out`; raises `DataError`, `RunError`, `UsageError`."""
    task: Any = run.task
    plots = held_out.options.plots and check_picture(held_out.options.plots, "--plots")
    if held_out.file is not None:
        trees, forest = read_file(run, held_out.file, held_out.options.format)
    else:
        trees, forest = task.encode_with_leaves(*held_out.open_split())
    table = task.score_trees(run.model, trees, forest)
    report = report_sentiment(forest, trees, table, task.classes)
    if plots:
        draw_confusion(report["classes"], np.array(report["confusion"]), plots)
    if held_out.options.output:
        write_item_file(held_out.options.output, task.name, make_items(trees, forest, table, task.classes))
    return report


def read_file(run: Run, path: str | Path, format: str | None = None) -> tuple[list[Tree], Forest]:
    """A file of labelled trees, as they are and encoded; without `format` its suffix decides.

    Raises `DataError`, also where there is nothing to judge, `RunError` for trees of a shape that the model cannot
    take, `UsageError` for a format without trees.
    """
    task: Any = run.task
    trees = choose_sentences(read_labelled_trees(path, format or guess_tree_format(path)), task.labels)
    if not any(tree.labels[-1] for tree in trees):
        raise DataError(str(path), None, "no labelled trees to evaluate on")
    forest = task.encode(trees)
    task.check_shape(forest, path)
    return trees, forest
