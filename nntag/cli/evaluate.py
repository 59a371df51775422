"""`nntag eval`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nntag.cli.app import app
from nntag.cli.options import Device, Json, Threads


@app.command("eval")
def eval_command(
    runs: Annotated[
        list[Path] | None, typer.Argument(help="With --interpolate: the runs to mix.", show_default=False)
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option("--model", help="Run folder, its best or last, or a weights file [default: the newest run]."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", help="Data folder or corpus file [default: the data the run was trained on]."),
    ] = None,
    split: Annotated[str | None, typer.Option("--split", help="train, dev or test [default: test, or dev].")] = None,
    format: Annotated[
        str | None, typer.Option("--format", help="Format of a corpus file [default: by its suffix].")
    ] = None,
    column: Annotated[
        str | None, typer.Option("--column", help="Which tags of the file: UPOS, XPOS, pos, a column number, ...")
    ] = None,
    beta: Annotated[
        str | None, typer.Option("--beta", help="Comma-separated betas: also score all tags with p >= beta * p_best.")
    ] = None,
    interpolate: Annotated[
        bool,
        typer.Option("--interpolate", help="Language models: mix the runs RUN RUN ..., weights fitted on dev."),
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", help="File to write: word, gold tag, predicted tag between tabs.")
    ] = None,
    device: Device = "cpu",
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """Evaluate a trained model."""
    from nntag.cli.report import ProgressReporter, format_report, note, print_json, print_out
    from nntag.commands.evaluate import evaluate, parse_betas
    from nntag.errors import UsageError
    from nntag.training.device import use_threads

    use_threads(threads)
    mixed = list(runs or [])
    if interpolate != (len(mixed) > 0) or (interpolate and model is not None):
        raise UsageError("--interpolate wants runs behind it: nntag eval --interpolate RUN RUN")
    if interpolate:
        model = mixed.pop(0)
    with ProgressReporter() as progress:
        found = evaluate(model, data, split, format, column, parse_betas(beta), output, device, progress, mixed)
    if json:
        print_json(
            {
                "run": str(found.run),
                "data": found.source,
                **found.report,
                "words_per_second": round(found.words_per_second),
            }
        )
        return
    note(f"evaluated {found.run} on {found.source}: {found.words_per_second:,.0f} words per second")
    print_out(format_report(found.report))
