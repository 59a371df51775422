"""What a run folder holds of its encoder, in `encoder/`: a copy that was asked for, or the outline of a tuned one."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from nntag.config.settings import Settings
from nntag.encoding.contextual.files import CONFIG, copy_files, encoder_files, find_encoder, outline_files
from nntag.encoding.contextual.source import ENCODER


def keep_encoder(settings: Any, run: Path) -> None:
    """Copies into a new run folder what its input settings ask for; nothing where they name no encoder.

    Of a tuned encoder configuration and tokenizer are always kept, as its weights are the run's own. Raises `RunError`.
    """
    name, target = getattr(settings, "contextual", None), run / ENCODER
    if not name or target.exists() or not (settings.contextual_tune or settings.contextual_embed):
        return
    partial = run / f".{ENCODER}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    folder = find_encoder(name)
    copy_files(outline_files(folder) if settings.contextual_tune else encoder_files(folder), partial)
    partial.rename(target)


def use_own_encoder(settings: Settings, run: Path) -> Settings:
    """The settings with the run folder's own encoder in the place of the one that they name, where it has one."""
    own = run / ENCODER
    if getattr(settings.input, "contextual", None) and (own / CONFIG).is_file():
        return settings.with_input(contextual=str(own))
    return settings
