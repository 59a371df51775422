"""`nntag eval --parses`: gold and predicted derivations in, the report on them out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nntag.config.fields import refuse_flags
from nntag.config.options.use import EvaluateOptions
from nntag.encoding.data_folder import is_corpus_file
from nntag.errors import UsageError
from nntag.tables import format_table, percent
from nntag.tagging.parsing.files import pair_parses
from nntag.tagging.parsing.score import ParseScore
from nntag.training.task import Run


def evaluate_parses(options: EvaluateOptions, run: Run | None = None) -> dict[str, Any]:
    """See `ParseScore.report`; the tags before parsing are those of `run`. Raises `UsageError`, `DataError`."""
    if not is_corpus_file(options.data):
        raise UsageError("--parses needs the gold derivations: give an AUTO file with --data")
    assert options.data is not None and options.parses is not None
    refuse_flags(options, ("betas", "output", "plots", "split", "format", "column"), "has no meaning with --parses")
    pairs = list(pair_parses(options.data, options.parses))
    tags = run.task.predictor.predict(run.model, [gold.tokens for gold, _ in pairs]) if run else [None] * len(pairs)
    score = ParseScore()
    for (gold, predicted), before in zip(pairs, tags, strict=True):
        score.add(gold, predicted, before)
    return score.report()


def format_parse_report(report: Mapping[str, Any]) -> str:
    """The report as two tables."""
    brackets = [
        [
            kind,
            *(_share(figures[name]) for name in ("precision", "recall", "f1")),
            figures["gold"],
            figures["predicted"],
        ]
        for kind, figures in report["brackets"].items()
    ]
    rows: list[list[object]] = [["parsed", _share(report["coverage"]), report["sentences"], "sentences"]]
    for name, unit in (("supertags", "tokens"), ("whole_sentences", "sentences")):
        for when in ("before", "after"):
            if (share := report[f"{name}_{when}"]) is not None:
                rows.append([f"{name.replace('_', ' ')} {when} parsing", _share(share), report[unit], unit])
    rows.append(["exact derivations", _share(report["exact_derivations"]), report["sentences"], "sentences"])
    header = ["brackets", "precision", "recall", "F1", "gold", "predicted"]
    return f"{format_table(brackets, header)}\n\n{format_table(rows)}"


def _share(value: float | None) -> str:
    return "" if value is None else f"{percent(value):.2f} %"
