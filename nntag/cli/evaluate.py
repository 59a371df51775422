"""`nntag eval`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated, Any

import typer

from nntag.cli.flags import Json, Threads, with_flags
from nntag.config.options.use import EvaluateOptions


@with_flags(EvaluateOptions)
def eval_command(
    options: EvaluateOptions,
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            help="The run to evaluate, as --model names one; with --interpolate the runs to mix.", show_default=False
        ),
    ] = None,
    interpolate: Annotated[
        bool,
        typer.Option("--interpolate", help="Language models: mix the runs RUN RUN ..., with weights fitted on dev."),
    ] = False,
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """Evaluate a trained model.

    By default on the test split of the data it was trained on; --data names other data.
    """
    from nntag.cli.printing import note, print_json, print_out
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.commands.evaluate import evaluate
    from nntag.errors import UsageError
    from nntag.training.device import use_threads
    from nntag.training.tasks import task_class

    use_threads(threads)
    if interpolate and (not runs or options.model is not None):
        raise UsageError("--interpolate must be followed by runs: nntag eval --interpolate RUN RUN")
    if runs and options.model is not None:
        raise UsageError(f"a run is named twice, as {runs[0]} and by --model; name it once")
    if runs and len(runs) > 1 and not interpolate:
        raise UsageError(
            "expected one run; several together are --model RUN --model RUN, or, of language models whose weights are "
            "fitted on dev, --interpolate RUN RUN"
        )
    if runs:
        options = dataclasses.replace(options, model=runs[0], mix_with=tuple(runs[1:]))
    with ProgressReporter() as progress:
        found = evaluate(options, progress)
    if json:
        about: dict[str, Any] = {"run": str(found.run) if found.run else None, "data": found.source}
        if found.runs:
            about |= {"runs": [str(run) for run in found.runs]}
        print_json({**about, **found.report, "words_per_second": round(found.words_per_second)})
        return
    what = " + ".join(map(str, found.runs)) or found.run or options.parses
    note(f"evaluated {what} on {found.source}: {found.words_per_second:,.0f} words per second")
    print_out(task_class(found.task).format_report(found.report))
