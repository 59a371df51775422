"""The models by name: one torch-free row each, from which help texts, configs and modules are made."""

from __future__ import annotations

from nntag.config import language_models, tagging, trees
from nntag.config.fields import unknown_name
from nntag.config.model_row import ModelRow
from nntag.errors import UsageError

MODELS: tuple[ModelRow, ...] = (*tagging.ROWS, *language_models.ROWS, *trees.ROWS)


def find_model(name: str) -> ModelRow:
    """The row called `name`; raises `UsageError` with the choices."""
    rows = {row.name: row for row in MODELS}
    if name not in rows:
        raise UsageError(unknown_name("model", name, rows))
    return rows[name]
