"""`RUN/README.md`, the card of a trained model: what it was trained on and how, and how good it is on which data.

`nntag train` writes it and `nntag eval` adds a row to its scores. Two blocks are nntag's, each between marks that a
page does not show; whatever else stands in the file, the licence above all, is its owner's and stays. A README.md
without the marks is left alone.
"""

from __future__ import annotations

import datetime
import logging
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.config.settings import Settings
from nntag.encoding.data_folder import DataFolder, find_column
from nntag.errors import RunError
from nntag.files import replace_file
from nntag.json_files import read_small_file
from nntag.manifest import sha256_of
from nntag.training.checkpoint import WEIGHTS
from nntag.training.metric import Metric
from nntag.training.provenance import describe_command
from nntag.training.task import data_path

CARD = "README.md"
LARGEST = 1 << 20  # bytes of a card
MOST_SOURCES = 30  # rows of source files; of more, their number
_TRAINING, _SCORES = ("<!-- nntag: training -->", "<!-- /training -->"), ("<!-- nntag: scores", "<!-- /scores -->")
_ROW = re.compile(r"^\| (?P<data>.*?) \| .* \|$")
_HEADER = ["| data | scores | of | date |", "| --- | --- | --- | --- |"]
_FRAME = """# {title}

{training}

## Scores

{scores}

## Licence

To be filled in: under which licence the model may be used. The licences of the training data and of pre-trained parts
may bind it.
"""

logger = logging.getLogger("nntag")


@dataclass(frozen=True)
class Score:
    """A row of the scores."""

    data: str  # the data folder's name and the split, or the file's name
    values: str  # "accuracy 93.22 %, sentence accuracy 48.33 %"
    size: str  # "4,114 tokens"

    def line(self) -> str:
        """The row, of today."""
        return f"| {_cell(self.data)} | {self.values} | {self.size} | {datetime.date.today().isoformat()} |"


def describe_score(data: str, report: Mapping[str, Any], metrics: Sequence[Metric]) -> Score:
    """The figures of a report that a run can be judged by."""
    values = [
        f"{metric.name.replace('_', ' ')} {metric.format(report[metric.name])}"
        for metric in metrics
        if report.get(metric.name) is not None
    ]
    sizes = [f"{report[unit]:,} {unit}" for unit in ("sentences", "tokens") if report.get(unit)]
    return Score(data, ", ".join(values), ", ".join(sizes))


def write_card(run: Path, settings: Settings, config: Mapping[str, Any], data: DataFolder, dev: Score) -> None:
    """Writes the card of a run that has been trained, or brings it up to date: scores of other weights go."""
    path = run / CARD
    training = "\n".join([_TRAINING[0], *_describe_training(settings, config, data), _TRAINING[1]])
    scores = _scores_block(run, [dev.line()])
    old = _read_own(path)
    if old is None:
        if not path.exists():
            title = f"{settings.name} on {data.path.name}"
            _write(path, _FRAME.format(title=title, training=training, scores=scores))
        return
    kept = _rows_of(old, run)
    _write(path, _put(_put(old, _TRAINING, training), _SCORES, _scores_block(run, _merge(kept, dev))))


def add_score(run: Path, score: Score) -> None:
    """Adds a row to the scores, in the place of an older one on the same data; where there is no card, nothing."""
    path = run / CARD
    old = _read_own(path)
    if old is not None:
        _write(path, _put(old, _SCORES, _scores_block(run, _merge(_rows_of(old, run), score))))


def is_card(path: Path) -> bool:
    """Whether a file is one that nntag keeps."""
    return _read_own(path) is not None


def _describe_training(settings: Settings, config: Mapping[str, Any], data: DataFolder) -> list[str]:
    column = find_column(config)
    corpus = f"{config['corpus']}, column {column}" if column else str(config["corpus"])
    counts = {split: _list_counts(numbers) for split, numbers in data.meta["splits"].items()}
    lines = [
        f"{settings.row.summary} ({settings.row.citation}). Trained with nntag {config['nntag']}, seed "
        f"{settings.train.seed}, recipe {settings.recipe}; all settings are in `best/config.json`.",
        "",
        "    " + " ".join(describe_command(settings, data_path(config)).splitlines()),
        "",
        "## Training data",
        "",
        f"{data_path(config).name}: {corpus}."
        + (" The corpus was generated, as a sample." if data.meta.get("generated_sample") else ""),
        "",
        *(f"- {split}: {numbers}" for split, numbers in counts.items() if numbers),
    ]
    sources = _list_sources(data.meta.get("sources"))
    if sources:
        lines += ["", "| read from | SHA-256 |", "| --- | --- |", *sources[:MOST_SOURCES]]
        if len(sources) > MOST_SOURCES:
            lines.append(f"| and {len(sources) - MOST_SOURCES:,} more, in the data folder's `meta.json` | |")
    return lines


def _list_counts(numbers: Mapping[str, Any]) -> str:
    """The whole numbers that are counts: `12,544 sentences, 204,585 tokens`."""
    return ", ".join(
        f"{numbers[name]:,} {name}" for name in ("sentences", "trees", "tokens") if isinstance(numbers.get(name), int)
    )


def _list_sources(sources: Any) -> list[str]:
    """A row for each source file; a pipe has no SHA-256."""
    if not isinstance(sources, dict):
        return []
    files = [(split, file) for split, files in sources.items() for file in files]
    return [f"| {split}: {_cell(file['file'])} | {file['sha256'] or 'unknown: a pipe'} |" for split, file in files]


def _cell(text: str) -> str:
    """Text that a cell of a table can hold."""
    return " ".join(text.split()).replace("|", "\\|")


def _scores_block(run: Path, rows: Sequence[str]) -> str:
    """The table, in marks that say of which weights."""
    return "\n".join([f"{_SCORES[0]} of {_weights_of(run)} -->", *_HEADER, *rows, _SCORES[1]])


def _weights_of(run: Path) -> str:
    return (sha256_of(run / "best" / WEIGHTS) or "")[:16]


def _rows_of(card: str, run: Path) -> list[str]:
    """The rows of the scores, none where they are those of other weights."""
    block = _find(card, _SCORES)
    if not block or _weights_of(run) not in block.splitlines()[0]:
        return []
    return [line for line in block.splitlines() if _ROW.match(line) and line not in _HEADER]


def _merge(rows: Sequence[str], score: Score) -> list[str]:
    """The rows with a new one, which replaces that on the same data."""
    new = score.line()
    merged = [new if row.startswith(f"| {_cell(score.data)} |") else row for row in rows]
    return merged if new in merged else [*merged, new]


def _find(card: str, marks: tuple[str, str]) -> str:
    start, end = card.find(marks[0]), card.find(marks[1])
    return card[start : end + len(marks[1])] if 0 <= start < end else ""


def _put(card: str, marks: tuple[str, str], block: str) -> str:
    return card.replace(_find(card, marks), block, 1)


def _read_own(path: Path) -> str | None:
    """The text of a card that has both blocks; None for any other file, or none."""
    try:
        text = read_small_file(path, LARGEST).decode("utf-8")
    except (RunError, UnicodeDecodeError):
        return None
    return text if _find(text, _TRAINING) and _find(text, _SCORES) else None


def _write(path: Path, text: str) -> None:
    """A run folder that cannot be written to is no reason for a command to fail."""
    try:
        if _read_own(path) == text:
            return
        with replace_file(path) as partial:
            partial.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        logger.warning("%s: cannot be written, and is left as it was: %s", path, error.strerror)
