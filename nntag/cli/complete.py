"""`nntag complete`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from nntag.cli.app import app
from nntag.cli.options import Device, Json, SkipBad, Threads


@app.command("complete")
def complete_command(
    questions: Annotated[
        str, typer.Argument(help="Questions: lines `12b) ... [word] ...`, or CSV with the gap _____; - is stdin.")
    ],
    answers: Annotated[
        Path | None, typer.Option("--answers", help="The right answers, in either format: gives accuracies.")
    ] = None,
    model: Annotated[
        list[Path] | None,
        typer.Option("--model", help="Run of a language model; the scores of several are added [default: the newest]."),
    ] = None,
    weight: Annotated[
        list[float] | None, typer.Option("--weight", help="Weight of each run's scores, in their order [default: 1].")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", help="File for the choices, like the official answers; CSV if it ends with .csv."),
    ] = None,
    device: Device = "cpu",
    threads: Threads = 1,
    skip_bad: SkipBad = False,
    json: Json = False,
) -> None:
    """Answer sentence-completion questions.

    A language model chooses the word for the gap of each question.

    A line a question out: number, letter, word, lead over the second best in nats, right or wrong; then accuracies.
    """
    from nntag.cli.report import ProgressReporter, format_completion_report, note, print_json, print_out
    from nntag.corpora.faults import SkippedItems, raise_bad
    from nntag.language_models.completion.complete import complete
    from nntag.training.device import use_threads

    use_threads(threads)
    on_bad = SkippedItems() if skip_bad else raise_bad
    with ProgressReporter() as progress:
        found = complete(questions, answers, model or (), weight, output, device, on_bad, progress)
    note(f"completed with {', '.join(str(run) for run in found.runs)}")
    if json:
        print_json({"runs": [str(run) for run in found.runs], "report": found.report, "questions": found.rows()})
        return
    for row in found.rows():
        verdict = "" if row["right"] is None else "\tright" if row["right"] else "\twrong"
        print_out(f"{row['number']}\t{row['choice']}\t{row['word']}\t{row['margin']:.2f}{verdict}")
    print_out()
    print_out(format_completion_report(found.report))
