"""`nntag analyse attention`."""

from __future__ import annotations

from typing import Any

from nntag.cli.flags import Json, Threads, with_flags
from nntag.config.options.use import AnalyseOptions
from nntag.tables import format_table


@with_flags(AnalyseOptions)
def attention_command(options: AnalyseOptions, threads: Threads = 1, json: Json = False) -> None:
    """What a memory block attends to, as in section 5 of Tran 2016: numbers, figures and a page for the browser."""
    from nntag.cli.printing import note, print_json, print_out
    from nntag.cli.progress_bar import ProgressReporter
    from nntag.language_models.attention.analyse import analyse_attention, explain_text
    from nntag.training.device import use_threads

    use_threads(threads)
    if options.text is not None:
        rows = explain_text(options)
        if json:
            print_json({"predictions": rows})
        else:
            print_out(_format_rows(rows))
        return
    with ProgressReporter() as progress:
        found = analyse_attention(options, progress)
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
    memory = max(len(row["weights"]) for row in rows)
    table = []
    for row in rows:
        blocks = "".join(_BLOCKS[min(8, round(8 * weight))] for weight in row["weights"]).rjust(memory)
        ranked = sorted(zip(row["weights"], row["history"], strict=True), key=lambda item: -item[0])[:most]
        attended = " ".join(f"{word} {weight:.2f}" for weight, word in ranked)
        expected = " ".join(guess["word"] for guess in row["top"])
        table.append([row["predicted"], f"{row['log_probability']:.2f}", f"|{blocks}|", attended, expected])
    return format_table(table, ["to predict", "log p", "attention", "most attended", "expected"])
