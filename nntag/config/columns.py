"""The columns of tags that `--column` names: what options and JSON files hold in, a tuple out."""

from __future__ import annotations

from collections.abc import Sequence

ColumnNames = str | Sequence[str] | None  # one, several, or the first that the format has


def list_columns(column: ColumnNames) -> tuple[str | None, ...]:
    """The columns one by one; `(None,)` where none is named."""
    return (column,) if column is None or isinstance(column, str) else tuple(column) or (None,)


def join_columns(columns: Sequence[str | None]) -> str | list[str] | None:
    """What JSON files hold: one name or null as ever, a list for several."""
    return columns[0] if len(columns) == 1 else [str(column) for column in columns]
