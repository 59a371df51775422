"""`nntag analyse attention`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from nntag.cli.app import app
from nntag.cli.options import Device, Json, Threads

analyse = typer.Typer(no_args_is_help=True, help="Look into trained models.", rich_markup_mode=None)
app.add_typer(analyse, name="analyse")


@analyse.callback()
def _analyse() -> None:
    """Look into trained models."""


@analyse.command("attention")
def attention_command(
    model: Annotated[
        Path | None, typer.Option("--model", help="Run of rm, rmr or memn [default: the newest language model].")
    ] = None,
    text: Annotated[
        str | None, typer.Option("--text", help="Show one tokenised sentence in the terminal, and write nothing.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Data folder or corpus file; CoNLL-U with heads gives dependencies [default: its own]."
        ),
    ] = None,
    split: Annotated[str | None, typer.Option("--split", help="train, dev or test [default: test, or dev].")] = None,
    treebank: Annotated[
        Path | None,
        typer.Option("--treebank", help="CoNLL-U file for the dependency part, where --data is no such file."),
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", help="Folder to write [default: RUN/attention].")] = None,
    samples: Annotated[int, typer.Option("--samples", min=0, help="Words in the heat map.")] = 100,
    sentences: Annotated[int, typer.Option("--sentences", min=0, help="Sentences in the page.")] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the sampled words.")] = 1,
    device: Device = "cpu",
    threads: Threads = 1,
    json: Json = False,
) -> None:
    """What a memory block attends to, as in section 5 of Tran 2016: numbers, figures and a page for the browser."""
    from nntag.cli.report import ProgressReporter, format_table, note, print_json, print_out
    from nntag.language_models.attention.analyse import analyse_attention, explain_text
    from nntag.training.device import use_threads

    use_threads(threads)
    if text is not None:
        rows = explain_text(model, text, device)
        if json:
            print_json({"predictions": rows})
        else:
            print_out(_format_rows(rows))
        return
    with ProgressReporter() as progress:
        found = analyse_attention(model, data, split, out, treebank, samples, sentences, seed, device, progress)
    if json:
        print_json(found.report)
        return
    positions = [[row["position"], row["mean"], row["mean_full_window"]] for row in found.report["positions"]]
    print_out("Mean attention by position")
    print_out(format_table(_rounded(positions), ["position", "all", "full window"], "  "))
    if found.report["distances"]:
        distances = [[row[name] for name in _DISTANCE] for row in found.report["distances"]]
        print_out("\nMost attended word more than six positions back")
        print_out(format_table(distances, [name.replace("_", " ") for name in _DISTANCE], "  "))
    note(f"analysed {found.report['run']} on {found.report['data']}")
    note(f"wrote {found.folder}; open {found.page}")


_DISTANCE = ("distance", "pairs", "occurrences", "mean_count", "mean_count_any")
_BLOCKS = " ▁▂▃▄▅▆▇█"


def _rounded(rows: list[list[Any]]) -> list[list[Any]]:
    return [[f"{value:.4f}" if isinstance(value, float) else value for value in row] for row in rows]


def _format_rows(rows: list[dict[str, Any]], most: int = 4) -> str:
    """A line for each word to predict: the weights as blocks (oldest first), what is attended to most and expected."""
    from nntag.cli.report import format_table

    memory = max(len(row["weights"]) for row in rows)
    table = []
    for row in rows:
        blocks = "".join(_BLOCKS[min(8, round(8 * weight))] for weight in row["weights"]).rjust(memory)
        ranked = sorted(zip(row["weights"], row["history"], strict=True), key=lambda item: -item[0])[:most]
        attended = " ".join(f"{word} {weight:.2f}" for weight, word in ranked)
        expected = " ".join(guess["word"] for guess in row["top"])
        table.append([row["predicted"], f"{row['log_probability']:.2f}", f"|{blocks}|", attended, expected])
    return format_table(table, ["to predict", "log p", "attention", "most attended", "expected"])
