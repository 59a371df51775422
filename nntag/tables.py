"""Figures as text: rows as aligned columns, shares as percentages."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence

NARROWEST = 24  # columns into which text is still wrapped


def format_table(
    rows: Iterable[Sequence[object]], header: Sequence[str] = (), indent: str = "", width: int | None = None
) -> str:
    """Rows as aligned columns: text to the left, numbers to the right; nothing is ever cut off.

    A table wider than `width` has its widest column wrapped at blanks, as far as that helps.
    """
    texts = [[_cell(cell) for cell in row] for row in rows]
    right = [[_is_figure(cell) for cell in row] for row in rows] if isinstance(rows, list) else []
    table = [list(header), *texts] if header else texts
    if not table:
        return ""
    if width is not None:
        table, right = _wrap(table, right, width - len(indent))
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


def _wrap(table: list[list[str]], right: list[list[bool]], width: int) -> tuple[list[list[str]], list[list[bool]]]:
    """The same table with more rows where the widest column is wrapped; `right` belongs to its last rows."""
    widths = [max(len(row[column]) for row in table) for column in range(len(table[0]))]
    widest = widths.index(max(widths))
    room = max(NARROWEST, width - sum(widths) - 2 * (len(widths) - 1) + widths[widest])
    wrapped: list[list[str]] = []
    figures: list[list[bool]] = []
    for number, row in enumerate(table):
        pieces = textwrap.wrap(row[widest], room, break_long_words=False, break_on_hyphens=False) or [""]
        for piece in pieces:
            cells = row if piece is pieces[0] else [""] * len(row)
            wrapped.append([*cells[:widest], piece, *cells[widest + 1 :]])
            if (place := number - len(table) + len(right)) >= 0:
                figures.append(right[place])
    return wrapped, figures


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
