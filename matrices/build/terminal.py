"""The matrix for a terminal of a given width."""

from __future__ import annotations

import textwrap

from tabulate import tabulate

from matrices.build.model import Matrix
from matrices.build.tables import (
    NOTHING_TO_LOOK_AT,
    Table,
    headline,
    honesty_table,
    look_table,
    missing_notes,
    seen_table,
)
from matrices.text import cell, visible

_GAP = 2  # spaces that tabulate's "simple" format sets between columns, and at least beside every head


def render(matrix: Matrix, width: int) -> str:
    """Plain text without any control character but the line end. `width` in characters, at least 40 are used."""
    width = max(width, 40)
    parts = ["\n".join(textwrap.wrap(headline(matrix), width))]
    parts += [_titled(table, width) for table in (seen_table(matrix), honesty_table(matrix))]
    look = look_table(matrix)
    parts.append(_titled(look, width) if look.rows else textwrap.fill(NOTHING_TO_LOOK_AT, width))
    notes = [line for note in missing_notes(matrix) for line in textwrap.wrap(f"- {visible(note)}", width)]
    if notes:
        parts.append("\n".join(("Not there", *notes)))
    parts.append("One cell:  sandproof explain CELL\nAll cells: sandproof matrix --cells")
    return "\n\n".join(parts) + "\n"


def _titled(table: Table, width: int) -> str:
    return f"{table.title}\n{'=' * len(table.title)}\n{_table(table, width)}"


def _table(table: Table, width: int) -> str:
    """A table where it fits; its last column wraps; where even that does not fit, one short paragraph per row."""
    rows = [[cell(text) for text in row] for row in table.rows]
    sizes = [max(len(head) + _GAP, *(len(row[i]) for row in rows)) for i, head in enumerate(table.head)]
    room = width - sum(sizes[:-1]) - _GAP * (len(sizes) - 1)
    if room >= min(sizes[-1], 24):
        widths = [None] * (len(sizes) - 1) + [room]
        return tabulate(rows, headers=table.head, tablefmt="simple", disable_numparse=True, maxcolwidths=widths)
    return "\n".join(_paragraph(table.head, row, width) for row in rows)


def _paragraph(head: tuple[str, ...], row: list[str], width: int) -> str:
    """`native linux/root: escaped 0/86, enforced 60/86, …`"""
    text = f"{row[0]} {row[1]}: " + ", ".join(f"{name} {value}" for name, value in zip(head[2:], row[2:], strict=True))
    return "\n".join(textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False))
