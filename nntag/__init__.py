"""nntag: train, evaluate and run taggers, language models and tree models. `nntag.load(RUN).tag(TOKENS)` tags."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nntag.tagging.tag import LoadedTagger

__version__ = "0.1.0"


def load(model: str | os.PathLike[str], device: str = "cpu") -> LoadedTagger:
    """The tagger of a run folder (its `best`), of a `best` or `last` folder, or of the weights file in one.

    `load("runs/x").tag(["She", "saw", "it"])` gives one tag a token. Raises `nntag.errors.RunError` or `UsageError`.
    """
    from pathlib import Path

    from nntag.tagging.tag import load_tagger

    return load_tagger(Path(model), device)
