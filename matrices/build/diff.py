"""What changed between two matrices, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.build.model import Cell, Matrix
from matrices.text import visible


def lines(before: Matrix, after: Matrix) -> Iterator[str]:
    """One changed cell a line, separated by tabs: cell, `old → new` in words and reasons; `-` where a side has no such
    cell."""
    old, new = ({cell.name: cell for cell in matrix.cells} for matrix in (before, after))
    for name in sorted(old.keys() | new.keys()):
        was, now = _words(old.get(name)), _words(new.get(name))
        if was != now:
            yield f"{visible(name)}\t{was} → {now}"


def _words(cell: Cell | None) -> str:
    if cell is None:
        return "-"
    return f"claim {cell.claim.word}, {cell.observed} ({cell.reason}), {cell.grade}, {cell.honesty}"
