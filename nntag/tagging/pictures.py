"""The report on a tagger in, a picture of its confusions and of each tag's precision, recall and F1 out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from nntag.training.confusion_plot import draw_confusion


def draw_tags(report: Mapping[str, Any], path: Path) -> None:
    """Raises `UsageError` where the picture cannot be written."""
    found = report["confusion_matrix"]
    counts = np.zeros((len(found["tags"]), len(found["tags"])), np.int64)
    for gold, predicted, number in found["pairs"]:
        counts[gold, predicted] = number
    draw_confusion(found["tags"], counts, path)
