"""`nntag preprocess`: a corpus's files found or generated, and handed to the task that makes a data folder."""

from __future__ import annotations

import contextlib
import dataclasses
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from nntag.config.columns import join_columns
from nntag.config.fields import check_flags, refuse_flags, takes_options, unknown_name
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.tasks import task_of_choice
from nntag.corpora.formats import Format, find_corpus
from nntag.corpora.splits import find_splits
from nntag.encoding.data_folder import (
    CHANGED,
    PROCESSED,
    OtherDataError,
    check_replacement,
    compare_sources,
    open_data_folder,
)
from nntag.encoding.preprocessing import Corpus, Preprocessed, Sources
from nntag.errors import RunError, UsageError
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.runs import list_runs_on
from nntag.training.tasks import task_class

MOST_RUNS = 5  # that a message names
RAW = Path("data/raw")


@takes_options(PreprocessOptions)
def preprocess(options: PreprocessOptions, progress: ProgressCallback = ignore_progress) -> Preprocessed:
    """Makes the data folder of a corpus: from a folder, from single files or from a generated sample.

    Raises `UsageError`, `DataError`, `RunError`.
    """
    corpus = find_corpus(options.corpus)
    options = dataclasses.replace(options, task=_choose_task(corpus, options.task))
    _check_flags(options)
    if not options.sample and options.sample_size != PreprocessOptions.sample_size:
        raise UsageError("--sample-size is the size of a sample: give --sample too")
    if options.language is not None and (corpus.layout != "languages" or options.files or options.sample):
        raise UsageError(
            "--language chooses among the files of a folder of the corpus pmb, and is of no use for anything else"
        )
    if options.sample:
        if options.files or options.source:
            raise UsageError("--sample generates its own corpus; give it no folder and no files")
        from nntag.sample import write_sample

        with tempfile.TemporaryDirectory(prefix="nntag-sample-") as folder:
            labelled = task_of_choice(str(options.task)).labelled_phrases
            written = write_sample(corpus.name, Path(folder), options.sample_size, options.seed, labelled)
            return _make(corpus, {split: [file] for split, file in written.items()}, options, progress)
    if options.files and options.source:
        raise UsageError("give either a folder or --train, --dev and --test, not both")
    if options.files and not options.train:
        raise UsageError("--dev and --test need --train")
    if options.dev:
        refuse_flags(options, ("seed",), "is for a sample, and for a dev set that is split off; here --dev names one")
    raw = options.source or RAW / corpus.name
    sources = options.files or find_splits(corpus.name, raw, options.seed, options.language)
    return _make(corpus, sources, options, progress)


def _make(corpus: Format, sources: Sources, options: PreprocessOptions, progress: ProgressCallback) -> Preprocessed:
    assert options.task is not None
    parts = [corpus.name, options.task if options.task != corpus.tasks[0] else None, options.language]
    parts += ["sample"] if options.sample else []
    out = options.out or PROCESSED / "-".join(part for part in parts if part)
    task = task_class(task_of_choice(options.task).name)
    users = list_runs_on(out)
    new_folders = [parent for parent in Path(out).parents if not parent.exists()]  # the innermost first
    try:
        if not options.force:  # before the corpus is read, which may take minutes; its files are compared afterwards
            columns = join_columns(options.columns)
            check_replacement(out, {"task": task.name, "corpus": corpus.name, "column": columns})
        before = _read_meta(out)
        options = dataclasses.replace(options, in_use=bool(users))
        made = task.preprocess(Corpus.open(sources, options), out, progress)
    except OtherDataError as error:
        used = f"; runs trained on it: {_name_some(users)}" if users else ""
        raise UsageError(f"{error}{used}") from None
    finally:
        with contextlib.suppress(OSError):  # a failure leaves nothing behind; a folder that holds something stays
            for folder in new_folders:
                folder.rmdir()
    changes = [change for change in compare_sources(before, made.data.meta) if change.endswith(CHANGED)]
    made.notes.extend(f"{change} since the data folder was made" for change in changes)
    if users:
        made.notes.append(f"runs trained on the data folder that was replaced: {_name_some(users)}")
    return made


def _read_meta(data: Path) -> Mapping[str, Any]:
    """That of the data folder that lies there; {} where there is none, or one that is damaged."""
    try:
        return open_data_folder(data).meta
    except RunError:
        return {}


def _name_some(runs: Sequence[Path]) -> str:
    more = f" and {len(runs) - MOST_RUNS} more" if len(runs) > MOST_RUNS else ""
    return ", ".join(map(str, runs[:MOST_RUNS])) + more


def _choose_task(corpus: Format, task: str | None) -> str:
    """The task asked for, or the corpus's first; raises `UsageError` for one that the corpus is not for."""
    if task is not None and task not in corpus.tasks:
        raise UsageError(unknown_name(f"task for {corpus.name}", task, corpus.tasks))
    return task or corpus.tasks[0]


def _check_flags(options: PreprocessOptions) -> None:
    """Raises `UsageError` for a flag that would be ignored."""
    task = str(options.task)
    corpus = options.corpus
    check_flags(
        options, task_of_choice(task).name, lambda flag, _: f"{flag} has no meaning for {corpus} with the task {task}"
    )
