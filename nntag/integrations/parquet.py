"""Parquet files with a column of text -> row groups as parts, and the same rows with one more column."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nntag.errors import DataError, UsageError
from nntag.manifest import sha256_of

PARQUET = ".parquet"
COLUMNS = {"tag": "tagged", "score": "scored", "parse": "parsed"}  # what the new column is called
MISSING = "Parquet files need the package pyarrow, which is not installed; install it with: pip install 'nntag[ray]'"


@dataclass(frozen=True)
class RowGroups:
    """The row groups `first` to `end` of a Parquet file."""

    path: str
    first: int
    end: int


def cut_parquet(path: Path, size: int, column: str) -> tuple[list[RowGroups], str]:
    """Parts of row groups of about `size` bytes, and the file's SHA-256.

    Row groups are the smallest parts that can be read alone. Raises `DataError`, also where `column` is no text.
    """
    file = _open(path)
    schema = file.schema_arrow
    if column not in schema.names or not _is_text(schema.field(column).type):
        texts = [field.name for field in schema if _is_text(field.type)]
        raise DataError(path, None, f"no column of text called {column}; name one with --text-column: {texts}")
    parts, first, held = [], 0, 0
    for number in range(file.metadata.num_row_groups):
        held += file.metadata.row_group(number).total_byte_size
        if held >= size or number == file.metadata.num_row_groups - 1:
            parts.append(RowGroups(str(path), first, number + 1))
            first, held = number + 1, 0
    return parts or [RowGroups(str(path), 0, 0)], sha256_of(path) or ""


def annotate_parquet(
    part: RowGroups, target: Path, column: str, into: str, annotate: Callable[[Sequence[str | None]], list[str | None]]
) -> int:
    """Writes the part's rows with all their columns and the new one; returns how many. Raises `DataError`."""
    import pyarrow
    import pyarrow.parquet

    file = _open(Path(part.path))
    if into in file.schema_arrow.names:
        raise DataError(part.path, None, f"has a column {into} already, which the new one would be called")
    groups = list(range(part.first, part.end))
    table = file.read_row_groups(groups) if groups else file.schema_arrow.empty_table()
    texts = annotate(table.column(column).to_pylist())
    table = table.append_column(into, pyarrow.array(texts, pyarrow.large_string()))
    pyarrow.parquet.write_table(table, target, compression="zstd")
    return int(table.num_rows)


def _is_text(kind: Any) -> bool:
    import pyarrow

    return bool(pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind))


def _open(path: Path) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise UsageError(MISSING) from None
    try:
        return pyarrow.parquet.ParquetFile(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError(path, None, f"cannot be read as Parquet: {error}") from None
