"""`nntag eval` of language models: perplexity of a model or a mixture, and the completion questions of its data."""

from __future__ import annotations

import itertools
from typing import Any

from nntag.errors import DataError
from nntag.language_models.completion.complete import answer_questions
from nntag.language_models.completion.questions import QUESTIONS, open_questions
from nntag.language_models.items import make_question_items, make_sentence_items
from nntag.language_models.mixture import LanguageModel, open_model, read_stream, report_language_model
from nntag.progress import ProgressCallback
from nntag.training.device import choose_device
from nntag.training.ensemble import members_of
from nntag.training.item_files import write_item_file
from nntag.training.runs import load_run
from nntag.training.task import HeldOut, Run


def evaluate_language_model(run: Run, held_out: HeldOut, progress: ProgressCallback) -> dict[str, Any]:
    """The perplexity report on `held_out`; on a data folder with questions also how many of them are answered.

    Raises `DataError`, `RunError`, `UsageError`.
    """
    options = held_out.options
    device = choose_device(options.device)
    members = members_of(run)
    runs = [*members, *(load_run(other, device, run.task.name) for other in options.mix_with)]
    model = LanguageModel(runs) if options.mix_with else open_model(run)
    folder = None if held_out.file else held_out.open_folder()
    dev = model.open_split(folder or run.open_data(), "dev") if options.mix_with else None
    if folder is None:
        stream = read_stream(model, str(held_out.file), options.format)
        if not len(stream):
            raise DataError(str(held_out.file), None, "no sentences to evaluate on")
    else:
        stream = model.open_split(*held_out.open_split())
    report, nats = report_language_model(model, stream, dev, progress)
    questions = open_questions(folder.path / QUESTIONS) if folder else []
    if questions:
        scores, report["completion"] = answer_questions(runs, questions, list(model.weights), progress=progress)
    if options.output:
        items = make_sentence_items(model.vocabulary, stream, nats, "pseudo" in report)
        answers = make_question_items(questions, scores) if questions else ()
        write_item_file(options.output, run.task.name, itertools.chain(items, answers))
    return report
