"""An attention report and some sentences in, one self-contained HTML page out, to hover over and to search."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from nntag.language_models.attention.collect import Guess
from nntag.language_models.attention.statistics import Attention
from nntag.language_models.streams import StreamVocabulary

MOST_PAIRS, MOST_PATHS = 2_000, 300
KEPT = (
    "positions",
    "samples",
    "distances",
    "examples",
    "relations",
    "training_counts",
    "far_pairs",
    "far_left_out",
    "memory",
)


def write_page(
    path: Path,
    report: Mapping[str, Any],
    attention: Attention,
    vocabulary: StreamVocabulary,
    guesses: Sequence[Sequence[Guess]],
) -> None:
    """Writes the page; `guesses` are the likeliest words at the first predictions, to the end of some sentence."""
    data: dict[str, Any] = {name: report[name] for name in KEPT if name in report}
    data["pairs"] = report["pairs"][:MOST_PAIRS]
    data["paths"] = report.get("paths", [])[:MOST_PATHS]
    data["sentences"] = [_pack(attention, vocabulary, guesses, n) for n in range(_whole(attention, len(guesses)))]
    title = f"Attention of {report['model']} on {report['data']}"
    about = (
        f"{report['sentences']:,} sentences, {report['predictions']:,} predictions; memory: {report['memory']} words; "
        f"{100 * report['unknown']:.1f} % unknown words; run {report['run']}"
    )
    source = files("nntag.language_models.attention")
    page = (source / "attention.html").read_text(encoding="utf-8")
    # "<" as an escape: no word of the corpus can end the script that holds the data
    packed = json.dumps(data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {
        "title": html.escape(title),
        "about": html.escape(about),
        "style": (source / "attention.css").read_text(encoding="utf-8"),
        "script": (source / "attention.js").read_text(encoding="utf-8"),
        "data": packed,
    }
    # in one pass, so that nothing that is put in can be taken for a placeholder
    path.write_text(re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], page), encoding="utf-8", newline="\n")


def _whole(attention: Attention, predictions: int) -> int:
    """The number of sentences within the first `predictions`."""
    return int(np.searchsorted(attention.stream.starts, predictions, side="right")) - 1


def _pack(
    attention: Attention, vocabulary: StreamVocabulary, guesses: Sequence[Sequence[Guess]], number: int
) -> dict[str, Any]:
    """One sentence: words and </s>; for each its weights in thousandths (oldest first), log-probability, guesses."""
    start, stop = int(attention.stream.starts[number]), int(attention.stream.starts[number + 1])
    steps = range(stop - start)
    weights = np.rint(1000 * attention.weights[start:stop]).astype(int)
    return {
        "words": [vocabulary.words[word] for word in attention.stream.ids[start:stop]],
        "weights": [weights[step, max(0, attention.memory - step - 1) :].tolist() for step in steps],
        "logs": [round(-float(nats), 2) for nats in attention.nats[start:stop]],
        "top": [[[word, round(log, 2)] for word, log in top] for top in guesses[start:stop]],
    }
