"""`nntag score`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nntag.cli.app import app
from nntag.cli.options import Device, Threads


@app.command("score")
def score_command(
    file: Annotated[str, typer.Argument(help="File to score; - is standard input.")] = "-",
    model: Annotated[
        list[Path] | None,
        typer.Option("--model", help="Run of a language model; several are mixed [default: the newest]."),
    ] = None,
    per_token: Annotated[
        bool, typer.Option("--per-token", help="A line for each token and for </s>, with its log-probability.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    device: Device = "cpu",
    threads: Threads = 1,
) -> None:
    """Score text with a language model.

    A line in gives its log-probability (nats), perplexity, tokens and unknown words out.

    A tokenised sentence a line in; </s> is predicted and counted as a token. Totals go to stderr.
    """
    from nntag.cli.report import note, write_out
    from nntag.corpora.lines import open_lines
    from nntag.language_models.mixture import load_language_model
    from nntag.language_models.score import score_lines
    from nntag.training.device import use_threads

    use_threads(threads)
    loaded = load_language_model(model or (), device)
    if not model:
        note(f"scoring with {loaded.runs[0].path.parent.parent}")
    if file == "-" and sys.stdin.isatty():
        note("reading from the terminal: type one tokenised sentence a line, Ctrl-D to end")
    totals = score_lines(loaded, open_lines(file), write_out, per_token, json)
    if totals.sentences:
        note(
            f"{totals.sentences:,} sentences, {totals.tokens:,} predicted tokens ({totals.unknown:,} unknown words), "
            f"log-probability {totals.log_probability:.2f} nats, perplexity {totals.perplexity:.2f}"
        )
