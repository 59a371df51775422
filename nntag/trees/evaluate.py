"""`nntag eval` of tree models: a split, or a file of labelled trees, in, the report on it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nntag.corpora.dependency_trees import read_dependency_trees
from nntag.corpora.formats import guess_format
from nntag.corpora.lines import open_lines
from nntag.corpora.sst import read_sst
from nntag.errors import DataError, UsageError
from nntag.training.task import HeldOut, Run
from nntag.trees.preprocess import choose_sentences


def evaluate_tree_model(run: Run, held_out: HeldOut) -> dict[str, Any]:
    """The report on `held_out`; raises `DataError`, `RunError`, `UsageError`."""
    if held_out.file is not None:
        return report_on_file(run, held_out.file)
    return run.task.evaluate(run.model, *held_out.open_split())


def report_on_file(run: Run, path: str | Path) -> dict[str, Any]:
    """The sentiment report on a file of labelled binary trees, or of dependency trees where its name ends in .conllu.

    Raises DataError, also where there is nothing to judge.
    """
    task: Any = run.task
    lines = open_lines(path)
    read = (found.tree for found in read_dependency_trees(lines)) if _is_conllu(path) else read_sst(lines)
    trees = choose_sentences(read, task.labels)
    if not any(tree.labels[-1] for tree in trees):
        raise DataError(str(path), None, "no labelled trees to evaluate on")
    forest = task.encode(trees)
    task.check_shape(forest, path)
    return task.score(run.model, trees, forest)


def _is_conllu(path: str | Path) -> bool:
    try:
        return guess_format(path) == "conllu"
    except UsageError:
        return False
