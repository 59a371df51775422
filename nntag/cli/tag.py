"""`nntag tag`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from nntag.cli.app import app
from nntag.cli.options import Device, Threads


@app.command("tag")
def tag_command(
    file: Annotated[str, typer.Argument(help="File to tag; - is standard input.")] = "-",
    model: Annotated[
        Path | None,
        typer.Option("--model", help="Run folder, its best or last, or a weights file [default: the newest run]."),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            "--format", help="Output: piped (word|TAG), columns, conllu, json; trees: trees, table, json, picture, svg."
        ),
    ] = None,
    input_format: Annotated[
        str | None,
        typer.Option(
            "--input-format", help="Input: text (a tokenised sentence a line), columns, conllu; trees: trees, conllu."
        ),
    ] = None,
    probabilities: Annotated[bool, typer.Option("--probabilities", help="A probability behind each tag.")] = False,
    beta: Annotated[
        float | None, typer.Option("--beta", help="Every tag with p >= beta * p_best, each with its probability.")
    ] = None,
    column: Annotated[
        str, typer.Option("--column", help="CoNLL-U column that the tags go to [default: as trained, or UPOS].")
    ] = "",
    batch_size: Annotated[int, typer.Option("--batch-size", help="Most sentences computed together.")] = 64,
    device: Device = "cpu",
    threads: Threads = 1,
) -> None:
    """Tag text, line by line.

    One sentence a line in, one line out, in the same order, as it arrives; a blank line stays blank.
    """
    from nntag.cli.report import note, write_out
    from nntag.corpora.lines import open_lines
    from nntag.errors import UsageError
    from nntag.tagging.tag import Output, load_tagger, tag_lines
    from nntag.training.device import use_threads
    from nntag.training.runs import task_of_run
    from nntag.trees.tag import load_tree_model, tag_trees

    use_threads(threads)
    if model is not None and task_of_run(model) == "sentiment":
        flags = {"--probabilities": probabilities, "--beta": beta is not None, "--column": column}
        for flag in (flag for flag, given in flags.items() if given):
            raise UsageError(f"{flag} is for taggers, and {model} is a tree model")
        trees = load_tree_model(model, device)
        tag_trees(trees, open_lines(file), write_out, input_format or "trees", format or "trees")
        return
    output = Output(format or "piped", beta, probabilities, column)  # type: ignore[arg-type]
    tagger = load_tagger(model, device, batch_size)
    if model is None:
        note(f"tagging with {tagger.run.path.parent.parent}")
    if file == "-" and sys.stdin.isatty():
        note("reading from the terminal: type one tokenised sentence a line, Ctrl-D to end")
    tag_lines(tagger, open_lines(file), write_out, input_format or "text", output)  # type: ignore[arg-type]
