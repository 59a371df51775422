"""`nntag eval` of tree models: a split, or a file of labelled trees, in, the report on it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nntag.errors import DataError
from nntag.training.task import HeldOut, Run
from nntag.trees.corpus_files import guess_tree_format, read_labelled_trees
from nntag.trees.preprocess import choose_sentences


def evaluate_tree_model(run: Run, held_out: HeldOut) -> dict[str, Any]:
    """The report on `held_out`; raises `DataError`, `RunError`, `UsageError`."""
    if held_out.file is not None:
        return report_on_file(run, held_out.file, held_out.options.format)
    return run.task.evaluate(run.model, *held_out.open_split())


def report_on_file(run: Run, path: str | Path, format: str | None = None) -> dict[str, Any]:
    """The report on a file of labelled trees; without `format` its suffix decides.

    Raises `DataError`, also where there is nothing to judge, `RunError` for trees of a shape that the model cannot
    take, `UsageError` for a format without trees.
    """
    task: Any = run.task
    trees = choose_sentences(read_labelled_trees(path, format or guess_tree_format(path)), task.labels)
    if not any(tree.labels[-1] for tree in trees):
        raise DataError(str(path), None, "no labelled trees to evaluate on")
    forest = task.encode(trees)
    task.check_shape(forest, path)
    return task.score(run.model, trees, forest)
