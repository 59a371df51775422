"""What the commands show: reports as aligned text or JSON on stdout, progress, notes and warnings on stderr."""

from __future__ import annotations

import json
import logging
import sys
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from nntag.progress import Progress


def write_out(data: bytes) -> None:
    """Writes bytes to stdout at once."""
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def print_out(text: str = "") -> None:
    """Prints one result line to stdout."""
    write_out(f"{text}\n".encode("utf-8", "surrogateescape"))


def print_json(value: Any) -> None:
    """Prints one JSON object to stdout."""
    print_out(json.dumps(value, ensure_ascii=False, indent=1))


def note(text: str) -> None:
    """Prints a remark to stderr: which run was taken, what was written where."""
    print(f"nntag: {text}", file=sys.stderr)


class WarningHandler(logging.Handler):
    """Prints the package's remarks to stderr as `nntag: ...`, its warnings as `nntag: warning: ...`."""

    def emit(self, record: logging.LogRecord) -> None:
        level = f"{record.levelname.lower()}: " if record.levelno > logging.INFO else ""
        note(f"{level}{record.getMessage()}")


def format_table(rows: Iterable[Sequence[object]], header: Sequence[str] = (), indent: str = "") -> str:
    """Rows as aligned columns: text to the left, numbers to the right; nothing is ever cut off."""
    texts = [[_cell(cell) for cell in row] for row in rows]
    right = [[_is_figure(cell) for cell in row] for row in rows] if isinstance(rows, list) else []
    table = [list(header), *texts] if header else texts
    if not table:
        return ""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    numeric = [all(row[column] for row in right) if right else False for column in range(len(widths))]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, numeric, strict=True)
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def _is_figure(value: object) -> bool:
    """A number, or the mark of a missing one."""
    return isinstance(value, int | float) or value in (None, "-")


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def percent(share: float | None) -> float | str:
    """A share between 0 and 1 as percent, `-` where there is none."""
    return "-" if share is None else 100 * share


def format_tagging_report(report: Mapping[str, Any], most_tags: int = 20) -> str:
    """The tagging report, the headline last so that it stays in sight; the per-tag table shows `most_tags` rows."""
    parts = []
    confusions = [[c["count"], c["gold"], c["predicted"]] for c in report["confusions"][:10]]
    if confusions:
        parts.append("Most frequent confusions\n" + format_table(confusions, ["count", "gold", "predicted"], "  "))
    tags = [
        [tag, percent(s["precision"]), percent(s["recall"]), percent(s["f1"]), s["gold"]]
        for tag, s in list(report["per_tag"].items())[:most_tags]
    ]
    more = len(report["per_tag"]) - len(tags)
    title = "Tags" + (f" (the {len(tags)} most frequent; {more} more with --json)" if more > 0 else "")
    parts.append(f"{title}\n" + format_table(tags, ["tag", "precision", "recall", "F1", "gold"], "  "))
    bands = [
        [name, percent(band["accuracy"]), band["tokens"]] for name, band in report["by_training_frequency"].items()
    ]
    parts.append(
        "Accuracy by how often training has the gold tag\n"
        + format_table(bands, ["training", "accuracy", "tokens"], "  ")
    )
    if "multitagging" in report:
        rows = [
            [f"{m['beta']:g}", m["tags_per_word"], percent(m["word_accuracy"]), percent(m["sentence_accuracy"])]
            for m in report["multitagging"]
        ]
        header = ["beta", "tags/word", "word accuracy", "sentence accuracy"]
        parts.append("Tags with p >= beta * p_best\n" + format_table(rows, header, "  "))
    parts.append(format_table(_headline(report)))
    return "\n\n".join(parts)


def format_report(report: Mapping[str, Any]) -> str:
    """The report of any task as text."""
    if "perplexity" in report:
        return format_perplexity_report(report)
    return format_sentiment_report(report) if "negation" in report else format_tagging_report(report)


def format_sentiment_report(report: Mapping[str, Any]) -> str:
    """The report on a tree model, the headline last."""
    rows: list[list[object]] = [[name, *row] for name, row in zip(report["classes"], report["confusion"], strict=True)]
    title = "Sentences by gold class (rows) and predicted class (columns)"
    parts = [f"{title}\n" + format_table(rows, ["", *report["classes"]], "  ")]
    for key, what in (("by_height", "height of the tree"), ("by_length", "number of words")):
        filled = {name: band for name, band in report[key].items() if band["count"]}
        bands = [[name, percent(band["accuracy"]), band["count"]] for name, band in filled.items()]
        header = ["", "accuracy", "sentences"]
        parts.append(f"Accuracy by {what}\n" + format_table(bands, header, "  "))
    negation = report["negation"]
    headline = [
        ["negated positive phrases", negation["negated_positive"], "phrases"],
        ["negated negative phrases", negation["negated_negative"], "phrases"],
        ["accuracy of all nodes", report["nodes"], "nodes"],
        *([["binary accuracy (p3 + p4 > p0 + p1)", report["binary"], "sentences"]] if "binary" in report else []),
        ["accuracy", {"accuracy": report["accuracy"], "count": report["sentences"]}, "sentences"],
    ]
    shares = [
        [name, "-" if share["accuracy"] is None else f"{100 * share['accuracy']:.2f} %", share["count"], unit]
        for name, share, unit in headline
    ]
    parts.append(format_table(shares))
    return "\n\n".join(parts)


def format_perplexity_report(report: Mapping[str, Any]) -> str:
    """The report on a language model, the headline last."""
    parts = []
    if "mixture" in report:
        rows = [[part["weight"], part["perplexity"], part["run"]] for part in report["mixture"]]
        parts.append(
            "Mixture, weights fitted on dev\n" + format_table(rows, ["weight", "perplexity alone", "run"], "  ")
        )
    bands = [[name, b["perplexity"], b["tokens"], b["sentences"]] for name, b in report["by_length"].items()]
    title = "Perplexity by sentence length (tokens with </s>)"
    parts.append(f"{title}\n" + format_table(bands, ["length", "perplexity", "tokens", "sentences"], "  "))
    known, unknown = report["without_unknown"], report["unknown"]
    rows = [
        ["<unk>", f"{100 * unknown['share']:.2f} %", unknown["tokens"], "tokens"],
        ["perplexity without <unk>", known["perplexity"], known["tokens"], "tokens"],
        ["perplexity", report["perplexity"], report["tokens"], "tokens, </s> counted"],
    ]
    parts.append(format_table(rows))
    if "pseudo" in report:
        parts.append("The model sees words on both sides: these are pseudo-perplexities, not comparable with others")
    if "completion" in report:
        parts.append(format_completion_report(report["completion"]))
    return "\n\n".join(parts)


def format_completion_report(report: Mapping[str, Any]) -> str:
    """The report on completion questions, the accuracy of all of them last."""
    parts = []
    if "runs" in report:
        rows = [[percent(run["accuracy"]), "backward" if run["backward"] else "", run["run"]] for run in report["runs"]]
        parts.append("Each run alone\n" + format_table(rows, ["accuracy %", "", "run"], "  "))
    unknown, questions = report["unknown_candidates"], report["questions"]
    if "accuracy" not in report:
        parts.append(f"{questions:,} questions, {unknown:,} candidates unknown; no answers were given")
        return "\n\n".join(parts)
    groups = {
        "all candidates known": report["all_candidates_known"],
        "some candidate unknown": report["some_candidate_unknown"],
        "the answer unknown": report["answer_unknown"],
        "first half": report["first_half"],
        "last half": report["last_half"],
        "completion accuracy": report,
    }
    rows = []
    for name, group in groups.items():
        interval = "-".join(f"{100 * bound:.1f}" for bound in group["interval"] or ()) or "-"
        rows.append([name, percent(group["accuracy"]), interval, group["questions"]])
    parts.append(format_table(rows, ["", "accuracy %", "95 % interval", "questions"]))
    return "\n\n".join(parts)


def _headline(report: Mapping[str, Any]) -> list[list[object]]:
    rows: list[list[object]] = []
    if report["tokens_without_gold_tag"]:
        rows.append(["without gold tag (not counted)", "", report["tokens_without_gold_tag"], "tokens"])
    rows += [
        ["sentence accuracy", percent(report["sentence_accuracy"]), report["sentences"], "sentences"],
        ["on unseen words", percent(report["unseen_words"]["accuracy"]), report["unseen_words"]["tokens"], "tokens"],
        ["on known words", percent(report["known_words"]["accuracy"]), report["known_words"]["tokens"], "tokens"],
        ["accuracy", percent(report["accuracy"]), report["tokens"], "tokens"],
    ]
    return [[name, f"{value:.2f} %" if isinstance(value, float) else value, of, unit] for name, value, of, unit in rows]


class ProgressReporter:
    """Shows progress on stderr: a bar on a terminal; elsewhere nothing, or a line a finished stage (`verbose`)."""

    def __init__(self, verbose: bool = False):
        self._terminal = sys.stderr.isatty()
        self._verbose = verbose
        self._bar: Any = None
        self._task: Any = None
        self._stage = ""
        self._started = 0.0

    def __enter__(self) -> ProgressReporter:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, progress: Progress) -> None:
        if progress.finished and progress.values:
            self._print_line(progress)
        if not self._terminal:
            return
        if self._bar is None:
            self._start_bar()
        if progress.stage != self._stage:
            self._stage, self._started = progress.stage, time.monotonic()
            self._bar.reset(self._task, total=progress.total, description=progress.stage)
        seconds = max(time.monotonic() - self._started, 1e-9)
        values = [f"{progress.done / seconds:,.0f} {progress.unit}/s"]
        values += [f"{name} {value:.4g}" for name, value in progress.values.items() if not progress.finished]
        self._bar.update(self._task, completed=progress.done, total=progress.total, values="  ".join(values))

    def _start_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        console = Console(stderr=True, markup=False, highlight=False)
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=30),
            TextColumn("{task.fields[values]}", markup=False),
            TimeRemainingColumn(),
        )
        self._bar = Progress(*columns, console=console, transient=True)
        self._task = self._bar.add_task("", total=None, values="")
        self._bar.start()

    def _print_line(self, progress: Progress) -> None:
        if not (self._terminal or self._verbose):
            return
        values = ", ".join(_name_value(name, value) for name, value in progress.values.items() if name != "epoch")
        line = f"{progress.stage}: {values}"
        if self._bar is not None:
            self._bar.console.print(line, soft_wrap=True)
        else:
            print(line, file=sys.stderr, flush=True)


def _name_value(name: str, value: object) -> str:
    """`dev_accuracy` 0.9 as `dev accuracy 90.00 %`, other figures as they are."""
    if isinstance(value, float):
        value = f"{100 * value:.2f} %" if name.endswith("accuracy") else f"{value:.4g}"
    return f"{name.replace('_', ' ')} {value}"
