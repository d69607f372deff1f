"""The tables that the terminal and the Markdown page have in common, as rows of plain text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from conformance.core.evidence import Evidence
from conformance.core.words import Observed, Reason
from matrices.build.meaning import REASON
from matrices.build.model import Cell, Column, Matrix
from matrices.build.summary import beside, needs_a_look, shots, sort_key, summarise
from matrices.claims.words import Honesty

NOTHING_TO_LOOK_AT = "No cell overclaims, escapes silently, is unproven, or denies ordinary work."
SIDE_TITLE = "Beside the words: collateral damage and residue"
_MODELLED = (Observed.MODELLED_ALLOW, Observed.MODELLED_DENY, Observed.MODELLED_UNKNOWN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """`foreign` are the columns whose text was written by strangers."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    foreign: frozenset[int] = frozenset()


def seen_table(matrix: Matrix) -> Table:
    """What was seen, per adapter and host. Every attempt that must not succeed is in one column of each row; those for another kind
    of host have their own, as nobody left them out."""
    rows = []
    for column in _present(matrix):
        s = summarise(column)
        rows.append(
            (
                s.adapter,
                s.host,
                s.seen(Observed.ESCAPED),
                s.seen(Observed.ENFORCED),
                s.seen(Observed.REFUSED),
                s.seen(Observed.INCONCLUSIVE, *_MODELLED),
                s.seen(Observed.NOT_RUN),
                s.seen(Observed.NOT_APPLICABLE),
                s.seen(Observed.WORKS),
                s.seen(Observed.FALSE_DENIAL),
            )
        )
    head = ("adapter", "host", "escaped", "enforced", "refused", "unclear", "not run", "other host", "works", "denied")
    return Table(title="What was seen", head=head, rows=tuple(rows), foreign=frozenset((0, 1)))


def honesty_table(matrix: Matrix) -> Table:
    """How the claims stood up, per adapter and host."""
    words = (
        Honesty.OVERCLAIMS,
        Honesty.SILENT_ESCAPE,
        Honesty.UNPROVEN,
        Honesty.HONEST_GAP,
        Honesty.UNDERCLAIMS,
        Honesty.HONEST,
    )
    summaries = [summarise(column) for column in _present(matrix)]
    rows = tuple((s.adapter, s.host, str(s.worst), *(s.judged(word) for word in words)) for s in summaries)
    head = ("adapter", "host", "worst word", "overclaims", "silent", "unproven", "gap", "under", "honest")
    return Table(title="How the claims stood up", head=head, rows=rows, foreign=frozenset((0, 1)))


def look_table(matrix: Matrix) -> Table:
    """The cells that are not plainly honest, worst first."""
    cells = sorted((cell for cell in matrix.cells if needs_a_look(cell)), key=sort_key)
    rows = tuple((cell.adapter, cell.host, cell.attempt.id, str(cell.honesty), _claim(cell), _seen(cell), _why(cell)) for cell in cells)
    head = ("adapter", "host", "attempt", "honesty", "claim", "observed", "why")
    return Table(title="Cells that are not plainly honest", head=head, rows=rows, foreign=frozenset((0, 1, 2, 6)))


def side_effects(matrix: Matrix) -> list[tuple[Column, str, tuple[str, ...]]]:
    """What was seen beside the words, with the attempts in which it was seen: allowed siblings refused as well, and every path that
    an adapter itself left on the host."""
    found: dict[tuple[int, str], list[str]] = {}
    for number, column in enumerate(matrix.columns):
        for cell in column.cells:
            evidence = cell.evidence
            for what in (*(["collateral"] if evidence and evidence.collateral else []), *_residue(evidence)):
                found.setdefault((number, what), []).append(cell.attempt.id)
    return [(matrix.columns[number], what, tuple(attempts)) for (number, what), attempts in found.items()]


def _residue(evidence: Evidence | None) -> list[str]:
    return [f"residue: {path}" for path in evidence.residue] if evidence else []


def side_table(matrix: Matrix) -> Table:
    rows = tuple(
        (column.adapter, column.host, what, f"{len(attempts)}/{len(column.cells)}", ", ".join(attempts))
        for column, what, attempts in side_effects(matrix)
    )
    return Table(title=SIDE_TITLE, head=("adapter", "host", "what", "cells", "attempts"), rows=rows, foreign=frozenset((0, 1, 2, 4)))


def missing_notes(matrix: Matrix) -> list[str]:
    """Who did not take part, and why, one line each; truncated runs too."""
    notes = [f"{run.host}: the run of {run.started} is truncated" for run in matrix.runs if not run.complete]
    present = {run.host for run in matrix.runs}
    notes += [f"{host}: not-run: host-missing" for host in matrix.hosts if host not in present]
    notes += [
        f"{column.adapter} on {column.host}: not-run: adapter-unavailable: {column.record.unavailable}"
        for column in matrix.columns
        if column.record and column.record.unavailable
    ]
    notes += [
        f"{column.adapter} on {column.host}: started nothing: no attempt got as far as its first beacon"
        for column in matrix.columns
        if column.cells and all(cell.reason is Reason.NO_READY_BEACON for cell in column.cells)
    ]
    return notes


def headline(matrix: Matrix) -> str:
    """The whole matrix in one line: its size, and each word of honesty out of the cells that took part."""
    cells = [cell for column in _present(matrix) for cell in column.cells if not cell.is_work]
    counts = Counter(cell.honesty for cell in cells)
    parts = [f"{word} {counts[word]}/{len(cells)}" for word in Honesty if word is not Honesty.NOT_JUDGED]
    return f"{size(matrix)}: {', '.join(parts)}"


def size(matrix: Matrix) -> str:
    """`110 attempts × 3 adapters × 2 of 4 hosts`"""
    present = len({run.host for run in matrix.runs})
    return f"{len(matrix.attempts)} attempts × {len(matrix.adapters)} adapters × {present} of {len(matrix.hosts)} hosts"


def _present(matrix: Matrix) -> list[Column]:
    """Columns that took part; the others are named once, not counted as rows of noughts."""
    return [column for column in matrix.columns if column.record]


def _claim(cell: Cell) -> str:
    return f"{cell.claim.word} ({cell.claim.source})" if cell.claim.source else str(cell.claim.word)


def _seen(cell: Cell) -> str:
    times = shots(cell)
    return ", ".join((f"{cell.observed} {times}" if times else str(cell.observed), *beside(cell)))


def _why(cell: Cell) -> str:
    """The reason, and the most telling sentence of the evidence."""
    evidence = cell.evidence
    detail = (evidence.saw or evidence.note) if evidence else ""
    return f"{REASON[cell.reason]}; {detail}" if detail else REASON[cell.reason]
