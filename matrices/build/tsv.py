"""One cell a line, for scripts: `adapter host attempt claim observed reason grade honesty`, separated by tabs, no
header."""

from __future__ import annotations

from collections.abc import Iterator

from matrices.build.model import Matrix
from matrices.text import visible


def lines(matrix: Matrix) -> Iterator[str]:
    """Sorted by adapter, host, attempt. A tab or line end in a foreign name is written out, so a line has eight
    fields."""
    for cell in sorted(matrix.cells, key=lambda c: (c.adapter, c.host, c.attempt.id)):
        fields = (
            cell.adapter,
            cell.host,
            cell.attempt.id,
            cell.claim.word,
            cell.observed,
            cell.reason,
            cell.grade,
            cell.honesty,
        )
        yield "\t".join(visible(field) for field in fields)
