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
    side_table,
)
from matrices.text import cell

_GAP = 2  # spaces that tabulate sets between columns
_LONGEST_LIST = 4000  # characters of the attempts with one side effect
_LONGEST = 500  # characters of a note
_NARROWEST = 24  # a last column narrower than this is no help to anyone


def render(matrix: Matrix, width: int, program: str = "sandproof") -> str:
    """Plain text without any control character but the line end. `width` in characters, at least 40 are used; `program`: how ours is
    typed here."""
    width = max(width, 40)
    parts = ["\n".join(textwrap.wrap(headline(matrix), width))]
    parts += [_titled(table, width) for table in (seen_table(matrix), honesty_table(matrix))]
    look = look_table(matrix)
    parts.append(_titled(look, width) if look.rows else textwrap.fill(NOTHING_TO_LOOK_AT, width))
    side = side_table(matrix)
    if side.rows:
        parts.append(_titled(side, width, limit=_LONGEST_LIST))
    notes = [line for note in missing_notes(matrix) for line in textwrap.wrap(f"- {cell(note, _LONGEST)}", width)]
    if notes:
        parts.append("\n".join(("Not there", *notes)))
    parts.append(f"One cell:  {cell(program)} explain CELL\nAll cells: {cell(program)} matrix --cells")
    return "\n\n".join(parts) + "\n"


def _titled(table: Table, width: int, limit: int = 200) -> str:
    return f"{table.title}\n{'=' * len(table.title)}\n{_table(table, width, limit)}"


def _table(table: Table, width: int, limit: int) -> str:
    """A table where it fits; its last column wraps; where even that does not fit, one short paragraph per row."""
    rows = [[cell(text, limit) for text in row] for row in table.rows]
    sizes = [max(len(row[i]) for row in (table.head, *rows)) for i in range(len(table.head))]
    room = width - sum(sizes[:-1]) - _GAP * (len(sizes) - 1)
    if room < min(sizes[-1], _NARROWEST):
        return "\n".join(_paragraph(table.head, row, width) for row in rows)
    # The head goes in as a row: tabulate would pad a real head, and leave less room.
    head = [list(table.head), ["-" * size for size in (*sizes[:-1], min(sizes[-1], room))]]
    widths = [None] * (len(sizes) - 1) + [room]
    return tabulate([*head, *rows], tablefmt="plain", disable_numparse=True, maxcolwidths=widths)


def _paragraph(head: tuple[str, ...], row: list[str], width: int) -> str:
    """`native linux/root: enforced 60/86, works 12/14`. What was never seen is left out, or nobody would read it."""
    pairs = zip(head[2:], row[2:], strict=True)
    text = f"{row[0]} {row[1]}: " + ", ".join(f"{name} {value}" for name, value in pairs if not value.startswith("0/"))
    return "\n".join(textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False))
