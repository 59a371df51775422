"""`nntag train`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nntag.cli.app import app
from nntag.cli.options import Device, Json, Threads, Verbose

if TYPE_CHECKING:
    from nntag.commands.train_seeds import RunsResult


@app.command("train")
def train_command(
    model: Annotated[
        str | None, typer.Option("--model", help="The model; `nntag models` lists them [default: skip-gated].")
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", help="Data folder that `nntag preprocess` wrote [default: the newest].")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Run folder to write [default: runs/MODEL-DATA].")] = None,
    recipe: Annotated[
        str | None,
        typer.Option("--recipe", help="Hyper-parameters: default (ours) or a paper's: wu2016, ... [default: default]."),
    ] = None,
    layers: Annotated[int | None, typer.Option("--layers", help="Depth L of the stack.")] = None,
    hidden: Annotated[int | None, typer.Option("--hidden", help="Hidden size n (in each direction).")] = None,
    epochs: Annotated[int | None, typer.Option("--epochs", help="Most passes over the training data.")] = None,
    batch_size: Annotated[int | None, typer.Option("--batch-size", help="Sentences or trees in a batch.")] = None,
    lr: Annotated[float | None, typer.Option("--lr", help="Learning rate.")] = None,
    dropout: Annotated[float | None, typer.Option("--dropout", help="Dropout between the layers.")] = None,
    seed: Annotated[int | None, typer.Option("--seed", help="Seed of everything random [default: 1].")] = None,
    word_vectors: Annotated[
        str | None,
        typer.Option("--word-vectors", help="Pre-trained vectors: GloVe, word2vec or fastText text format (.gz too)."),
    ] = None,
    tune_word_vectors: Annotated[
        bool | None,
        typer.Option(
            "--tune-word-vectors/--fix-word-vectors",
            help="Go on training the vectors, or not [default: taggers do, tree models do not].",
            show_default=False,
        ),
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="TOML file with [model], [input] and [train].")
    ] = None,
    assignments: Annotated[
        list[str] | None,
        typer.Option("--set", help="NAME=VALUE for any other setting (repeatable); `nntag models NAME` lists them."),
    ] = None,
    runs: Annotated[
        int,
        typer.Option("--runs", help="Train with so many seeds, into OUT-s1, OUT-s2, ...; report mean and deviation."),
    ] = 1,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run in --out, from its last epoch.")] = False,
    device: Device = "cpu",
    threads: Threads = 1,
    json: Json = False,
    verbose: Verbose = False,
) -> None:
    """Train a model on a data folder.

    The epoch that is best on dev is kept. The run folder holds best/ and last/ (weights, settings and vocabularies) and
    log.jsonl (a line an epoch). An interrupted run loses the current epoch only: go on with --resume.
    """
    from nntag.cli.report import ProgressReporter, format_table, note, print_json, print_out
    from nntag.commands.train import train
    from nntag.commands.train_seeds import train_runs
    from nntag.config.settings import parse_assignments, read_settings_file
    from nntag.training.device import use_threads

    use_threads(threads)
    flags = {
        "model.layers": layers,
        "model.hidden": hidden,
        "model.dropout": dropout,
        "train.epochs": epochs,
        "train.batch_size": batch_size,
        "train.lr": lr,
        "train.seed": seed,
        "input.word_vectors": word_vectors,
        "input.tune_vectors": tune_word_vectors,
    }
    layers_of_values = (
        read_settings_file(config) if config else {},
        parse_assignments(assignments or []),
        {name: value for name, value in flags.items() if value is not None},
    )
    if runs != 1:
        with ProgressReporter(verbose) as progress:
            several = train_runs(runs, model, data, out, recipe, layers_of_values, device, resume, progress)
        _print_runs(several, json)
        return
    with ProgressReporter(verbose) as progress:
        result = train(model, data, out, recipe, layers_of_values, device, resume, progress)
    if json:
        print_json({**dataclasses.asdict(result), "run": str(result.run), "data": str(result.data)})
        return
    note(f"trained {result.settings.name} ({result.parameters:,} parameters); run folder: {result.run}")
    seconds = sum(entry["seconds"] for entry in result.log)
    score = f"{100 * result.best_score:.2f} %" if result.score_name.endswith("accuracy") else f"{result.best_score:.2f}"
    print_out(
        format_table(
            [
                ["epochs", f"{result.epochs} ({seconds / 60:.1f} minutes)"],
                ["best", f"epoch {result.best_epoch}, dev {result.score_name} {score}"],
            ]
        )
    )
    note(f"next: nntag eval --model {result.run}")


def _print_runs(several: RunsResult, json: bool) -> None:
    """A line a run, then mean and standard deviation; shares as percent."""
    from nntag.cli.report import format_table, note, print_json, print_out

    if json:
        runs = [str(result.run) for result in several.runs]
        print_json(
            {"runs": runs, "seeds": several.seeds, "parameters": several.runs[0].parameters, **several.summary()}
        )
        return
    scale = 100.0 if several.runs[0].score_name.endswith("accuracy") else 1.0
    test: list[float | None] = [*several.test] or [None] * len(several.runs)
    rows: list[list[object]] = [
        [str(seed), scale * dev, None if score is None else scale * score, result.best_epoch, str(result.run)]
        for seed, dev, score, result in zip(several.seeds, several.dev, test, several.runs, strict=True)
    ]
    summary = several.summary()
    for key, label in (("mean", "mean"), ("standard_deviation", "deviation")):
        values = [summary.get(split, {}).get(key) for split in ("dev", "test")]
        rows.append([label, *(None if value is None else scale * value for value in values), None, ""])
    print_out(format_table(rows, ["seed", f"dev {several.runs[0].score_name}", "test", "best epoch", "run"]))
    note(f"next: nntag plot {' '.join(str(result.run) for result in several.runs)}")
