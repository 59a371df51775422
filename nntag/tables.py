"""Figures as text: rows as aligned columns, shares as percentages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def format_table(rows: Iterable[Sequence[object]], header: Sequence[str] = (), indent: str = "") -> str:
    """Rows as aligned columns: text to the left, numbers to the right; nothing is ever cut off."""
    texts = [[_cell(cell) for cell in row] for row in rows]
    right = [[_is_figure(cell) for cell in row] for row in rows] if isinstance(rows, list) else []
    table = [list(header), *texts] if header else texts
    if not table:
        return ""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    numeric = [all(row[column] for row in right) if right else False for column in range(len(widths))]
    lines = []
    for row in table:
        cells = [
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(row, widths, numeric, strict=True)
        ]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)


def _is_figure(value: object) -> bool:
    """A number, or the mark of a missing one."""
    return isinstance(value, int | float) or value in (None, "-")


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def percent(share: float | None) -> float | str:
    """A share between 0 and 1 as a percentage, `-` where there is none."""
    return "-" if share is None else 100 * share
