"""`nntag arpa`: a run of the n-gram model to an ARPA file, and an ARPA file of any toolkit to a run."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from nntag.config.settings import resolve_settings
from nntag.errors import RunError, UsageError
from nntag.language_models.ngram.arpa import write_arpa
from nntag.language_models.ngram.arpa_reader import read_arpa
from nntag.language_models.ngram.model import NgramModel
from nntag.language_models.ngram.renumber import renumber
from nntag.language_models.streams import SENTENCE_END, SENTENCE_START, UNKNOWN_WORD, StreamVocabulary
from nntag.progress import ProgressCallback, ignore_progress
from nntag.training.checkpoint import WEIGHTS, write_identity
from nntag.training.runs import load_run, lock_run, newest_run


def export_arpa(
    path: str | Path, model: str | Path | None = None, progress: ProgressCallback = ignore_progress
) -> Path:
    """Writes the n-gram model of a run (the newest language model) to `path`; gives the run. Raises `UsageError`."""
    run = load_run(model or newest_run("lm"), task="lm")
    if not isinstance(run.model, NgramModel):
        raise UsageError(f"{run.path}: a run of {run.settings.name}, but only an n-gram model can be written as ARPA")
    try:
        write_arpa(run.model, path, run.task.vocabulary.words, progress)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from None
    return run.path


def import_arpa(
    path: str | os.PathLike[str],
    out: str | Path,
    lowercase: bool = False,
    progress: ProgressCallback = ignore_progress,
) -> Path:
    """Makes the run folder `out` from an ARPA file, for `eval --data FILE`, `score` and mixtures; gives the weights.

    `lowercase`: text is lowercased before its words are looked up. Raises `DataError`, `UsageError`.
    """
    folder = Path(out) / "best"
    if (folder / WEIGHTS).exists():
        raise UsageError(f"{out} already holds a trained run; give another --out")
    model, words = read_arpa(path, progress)
    ordinary = [word for word in words if word not in (SENTENCE_START, SENTENCE_END, UNKNOWN_WORD)]
    vocabulary = StreamVocabulary(ordinary, lowercase)
    places = {word: number for number, word in enumerate(vocabulary.words)} | {SENTENCE_START: len(vocabulary)}
    new_ids = np.array([places[word] for word in words] + [len(vocabulary)] * (model.base - len(words)), np.int64)
    settings = resolve_settings("ngram", "default", {"model.order": model.order})
    config = {"task": settings.row.task, "data": None, "settings": settings.to_json()}
    with lock_run(Path(out)):
        write_identity(folder, config, vocabulary.to_json())
        try:
            renumber(model, new_ids).save(folder)
        except OSError as error:
            raise RunError(f"{error.filename or folder}: cannot write the run folder: {error.strerror}") from None
    return folder / WEIGHTS
