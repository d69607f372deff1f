"""The matrix as a Markdown page. Every text of a stranger stands in a code span that it cannot leave."""

from __future__ import annotations

from matrices.build.meaning import CLAIM, HONESTY, OBSERVED
from matrices.build.model import Matrix
from matrices.build.tables import (
    NOTHING_TO_LOOK_AT,
    SIDE_TITLE,
    Table,
    headline,
    honesty_table,
    look_table,
    missing_notes,
    seen_table,
    side_effects,
)
from matrices.claims.words import Honesty
from matrices.text import code


def render(matrix: Matrix) -> str:
    parts = ["# Claimed and observed", headline(matrix) + "."]
    parts += [_titled(table) for table in (honesty_table(matrix), seen_table(matrix))]
    look = look_table(matrix)
    parts.append(_titled(look) if look.rows else NOTHING_TO_LOOK_AT)
    parts += _listed(matrix, Honesty.HONEST_GAP, "Honest gaps")
    parts += _listed(matrix, Honesty.UNDERCLAIMS, "Held more than is claimed")
    parts += [*_side(matrix), *_missing(matrix), _sources(matrix), _legend()]
    return "\n\n".join(parts) + "\n"


def _titled(table: Table) -> str:
    return f"## {table.title}\n\n{table_text(table)}"


def table_text(table: Table) -> str:
    rows = [tuple(code(text) if i in table.foreign else text for i, text in enumerate(row)) for row in table.rows]
    lines = [table.head, tuple("---" for _ in table.head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _listed(matrix: Matrix, word: Honesty, title: str) -> list[str]:
    """One line per adapter and host with the attempts of one honesty word."""
    lines = []
    for column in matrix.columns:
        attempts = [cell.attempt.id for cell in column.cells if cell.honesty is word]
        if attempts:
            total = sum(not cell.is_work for cell in column.cells)
            where = f"{code(column.adapter)} on {code(column.host)}, {len(attempts)}/{total}"
            lines.append(f"- {where}: {', '.join(map(code, attempts))}")
    return [f"## {title}", "\n".join(lines)] if lines else []


def _side(matrix: Matrix) -> list[str]:
    """One line per adapter, host and side effect, with its attempts."""
    lines = []
    for column, what, attempts in side_effects(matrix):
        where = f"{code(column.adapter)} on {code(column.host)}, {code(what)}, {len(attempts)}/{len(column.cells)}"
        lines.append(f"- {where}: {', '.join(map(code, attempts))}")
    return [f"## {SIDE_TITLE}", "\n".join(lines)] if lines else []


def _missing(matrix: Matrix) -> list[str]:
    notes = missing_notes(matrix)
    return ["## Not there", "\n".join(f"- {code(note)}" for note in notes)] if notes else []


def _sources(matrix: Matrix) -> str:
    lines = [
        f"- {code(run.host)} of {code(run.started)}, {run.repeat} time(s), "
        f"{'complete' if run.complete else 'truncated'}: {', '.join(map(code, run.adapters))}; "
        + ", ".join(code(f"{name} {value}") for name, value in sorted(run.facts.items()))
        for run in matrix.runs
    ]
    return "\n".join(["## Where this comes from", "", f"Suite {code(matrix.suite)}.", "", *lines])


def _legend() -> str:
    lines = ["## What the words mean"]
    for title, words in (("Honesty", HONESTY), ("Observed", OBSERVED), ("Claim", CLAIM)):
        lines += ["", f"**{title}**", "", *(f"- *{word}*: {means}" for word, means in words.items())]
    return "\n".join(lines)
