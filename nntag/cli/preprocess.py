"""`nntag preprocess`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from nntag.cli.flags import Json, Verbose, with_flags
from nntag.config.options.preprocess import PreprocessOptions
from nntag.config.tasks import TASKS
from nntag.corpora.formats import FORMATS, describe_columns
from nntag.tables import format_table


def _describe_corpora() -> str:
    """Each corpus beside the models that it is for by default."""
    corpora = {row.models: [f.name for f in FORMATS.values() if f.tasks[:1] == row.choices[:1]] for row in TASKS}
    return "; ".join(f"{', '.join(names)} ({models})" for models, names in corpora.items()) + "."


def _describe_choices() -> str:
    """What --task can be, for the corpora that leave a choice."""
    by_choice: dict[tuple[str, ...], list[str]] = {}
    for row in FORMATS.values():
        if len(row.tasks) > 1:
            by_choice.setdefault(row.tasks, []).append(row.name)
    parts = [f"{', '.join(names)}: {tasks[0]} (default), {', '.join(tasks[1:])}" for tasks, names in by_choice.items()]
    return "; ".join(parts) + "."


HELPS = {
    "corpus": _describe_corpora(),
    "task": _describe_choices(),
    "column": f"which tags: {describe_columns()}; repeat it for several in one model.",
}


@with_flags(PreprocessOptions, HELPS)
def preprocess_command(options: PreprocessOptions, json: Json = False, verbose: Verbose = False) -> None:
    """Turn a corpus into a data folder.

    It holds the text of the splits, vocabularies (from train alone) and counts; `nntag train` reads it.
    """
    from nntag.cli.printing import note, print_json, print_out
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.commands.preprocess import preprocess

    with ProgressReporter(verbose) as progress:
        result = preprocess(options, progress)
    for text in result.notes:
        note(text)
    if json:
        print_json({"data": str(result.data.path), **result.data.meta})
        return
    print_out(format_splits(result.data.meta))
    note(f"wrote {result.data.path}; next: nntag train --data {result.data.path}")


def format_splits(meta: Mapping[str, Any]) -> str:
    """The counts of the splits as a table; shares as percentages."""
    names = list(next(iter(meta["splits"].values())))
    rows = [
        [split, *(f"{100 * counts[name]:.2f} %" if isinstance(counts[name], float) else counts[name] for name in names)]
        for split, counts in meta["splits"].items()
    ]
    return format_table(rows, ["split", *(name.replace("_", " ") for name in names)])
