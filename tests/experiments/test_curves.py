"""Learning curves of systems: what stands in the pictures."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from nntag.experiments.curves import RunCurve, TrainedSystem, draw_learning_curves

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("epochs", [(1,), (1, 2)])
def test_learning_curves_are_seen_and_epochs_are_whole_numbers(tmp_path: Path, epochs: tuple[int, ...]) -> None:
    run = RunCurve(epochs, (61.0, 62.0)[: len(epochs)], (1.5, 1.25)[: len(epochs)], 62.0)
    draw_learning_curves([TrainedSystem("GRU", "GRU", {}, (run,))], "Cells", "dev accuracy", tmp_path / "curves")
    svg = ElementTree.parse(tmp_path / "curves.svg").getroot()
    groups = [group for group in svg.iter() if group.get("id", "").startswith("line2d_")]
    drawn = [group for group in groups if any("#0072b2" in str(part.get("style")) for part in group.iter())]
    assert len(drawn) == 2  # the score and the loss
    if len(epochs) == 1:  # a lone point is a marker, as a line through it has no length
        assert all(any(part.tag.endswith("use") for part in group.iter()) for group in drawn)
    axes = [group for group in svg.iter() if group.get("id", "").startswith("matplotlib.axis_")]
    ticks = {text.text for axis in axes[::2] for text in axis.iter() if text.tag.endswith("text")} - {"epoch"}
    assert ticks == {str(epoch) for epoch in epochs}
