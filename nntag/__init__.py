"""nntag: train, evaluate and run taggers, language models and tree models. `nntag.load(RUN).tag(TOKENS)` tags."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nntag.language_models.mixture import LanguageModel
    from nntag.tagging.tag import Tagger
    from nntag.trees.tag import TreeModel

__version__ = "0.1.0"


def load(
    model: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    device: str = "cpu",
    weights: Sequence[float] = (),
) -> Tagger | LanguageModel | TreeModel:
    """The trained model of a run folder (its `best`), of a `best` or `last` folder, or of the weights file in one.

    A list of several is an ensemble: the mean of their probabilities, weighted with `weights`, one for each.

    A tagger tags sentences (`tag`, `likely_tags`), a language model scores them and says how they go on
    (`score_words`, `next_words`), a tree model gives trees and all their nodes classes (`read`, `classify`, `score`):
    see the classes `Tagger`, `LanguageModel` and `TreeModel`. Raises `nntag.errors.RunError` or `UsageError`.
    """
    from nntag.training.device import choose_device
    from nntag.training.ensemble import load_runs

    models = [model] if isinstance(model, str | os.PathLike) else list(model)
    run = load_runs(models, weights, choose_device(device))
    return run.task.load(run)
