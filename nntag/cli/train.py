"""`nntag train`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import typer

from nntag.cli.flags import Json, Threads, Verbose, with_flags
from nntag.config.options.train import TrainOptions
from nntag.errors import UsageError
from nntag.tables import format_table

if TYPE_CHECKING:
    from nntag.commands.train import TrainResult
    from nntag.commands.train_seeds import SeedsResult


@with_flags(TrainOptions)
def train_command(options: TrainOptions, threads: Threads = 1, json: Json = False, verbose: Verbose = False) -> None:
    """Train a model on a data folder.

    The epoch that is best on dev is kept. The run folder holds best/ and last/ (weights, settings and vocabularies) and
    log.jsonl (one line per epoch). Ctrl-C and SIGTERM save what has been trained; --resume continues the run, and its
    results are those of a run that was never stopped. After a crash it loses some minutes: see --checkpoint-minutes.
    """
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.commands.launch import end_with_parent, run_processes
    from nntag.commands.train import train
    from nntag.commands.train_seeds import train_seeds
    from nntag.training.device import use_threads
    from nntag.training.processes import count_processes, is_first

    use_threads(threads)
    if options.processes > 1 and count_processes() == 1:
        if options.runs != 1:
            raise UsageError("--processes trains one run; give it without --runs")
        raise typer.Exit(run_processes(sys.argv[1:], options.processes))
    end_with_parent()
    with ProgressReporter(verbose) as progress:
        if options.runs != 1:
            several = train_seeds(options, progress)
        else:
            result = train(options, progress)
    if not is_first():
        return
    if options.runs != 1:
        _print_seeds(several, json)
    else:
        _print_run(result, json)


def _print_run(result: TrainResult, json: bool) -> None:
    from nntag.cli.printing import note, print_json, print_out

    if json:
        print_json(result.to_json())
        return
    note(f"trained {result.settings.name} ({result.parameters:,} parameters); run folder: {result.run}")
    seconds = result.seconds
    best = f"epoch {result.best_epoch}, dev {result.metric.name} {result.metric.format(result.best_score)}"
    print_out(format_table([["epochs", f"{result.epochs} ({seconds / 60:.1f} minutes)"], ["best", best]]))
    note(f"next: nntag eval --model {result.run}")


def _print_seeds(several: SeedsResult, json: bool) -> None:
    """One line per run, then mean and standard deviation; shares as percentages."""
    from nntag.cli.printing import note, print_json, print_out

    if json:
        runs = [str(result.run) for result in several.runs]
        print_json(
            {"runs": runs, "seeds": several.seeds, "parameters": several.runs[0].parameters, **several.summary()}
        )
        return
    metric = several.runs[0].metric
    scale = metric.scale
    test: list[float | None] = [*several.test] or [None] * len(several.runs)
    rows: list[list[object]] = [
        [str(seed), scale * dev, None if score is None else scale * score, result.best_epoch, str(result.run)]
        for seed, dev, score, result in zip(several.seeds, several.dev, test, several.runs, strict=True)
    ]
    summary = several.summary()
    for key, label in (("mean", "mean"), ("standard_deviation", "deviation")):
        values = [summary.get(split, {}).get(key) for split in ("dev", "test")]
        rows.append([label, *(None if value is None else scale * value for value in values), None, ""])
    print_out(format_table(rows, ["seed", f"dev {metric.name}", "test", "best epoch", "run"]))
    if len(several.runs) > 1:
        note(f"together, as an ensemble: nntag eval {' '.join(f'--model {result.run}' for result in several.runs)}")
    note(f"next: nntag plot {' '.join(str(result.run) for result in several.runs)}")
