"""The report on a tagger in, a picture of its confusions and of each tag's precision, recall and F1 out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nntag.training.confusion_plot import draw_confusion


def draw_tags(report: Mapping[str, Any], path: Path) -> None:
    """Of several columns each gets a picture of its own, with its name in that of the file. Raises `UsageError` where
    one cannot be written."""
    for name, own in report.get("columns", {"": report}).items():
        found = own["confusion_matrix"]
        counts = np.zeros((len(found["tags"]), len(found["tags"])), np.int64)
        for gold, predicted, number in found["pairs"]:
            counts[gold, predicted] = number
        draw_confusion(found["tags"], counts, path.with_stem(f"{path.stem}-{name}") if name else path)
