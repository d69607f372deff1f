"""The gate: what must not be, and the exit code that says so.

From most to least severe; when several apply the first wins, and all are printed:

    12  escape on a reference backend: whatever it claims other than not-enforced
    10  overclaim: a generated or stated claim, and it was seen to escape
    13  false denial on a reference backend that the expectation file does not list
    16  a cell that the expectation file wants enforced is not; a backend that it names could be used on no host of these runs;
        on a host not one cell was executed; of an adapter that claims anything not one cell was executed on any host
    11  unproven: a generated or stated claim that the attempt could not show
    14  harness error
    15  truncated run

First what is certainly wrong, then what is missing, then what is in doubt. Documented claims never fail the gate. A
control that does not land on this host says nothing of an adapter: such unproven cells are notes, and so are silent
escapes; `[enforced]` of the expectation file keeps a host where no control lands from passing. What was not asked for is
a note too: expected hosts without a run, and backends of the expectation file that took part nowhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

from conformance.core.words import Observed, Reason
from matrices.build.expected import Expected, unmatched
from matrices.build.meaning import REASON
from matrices.build.model import Cell, Column, Matrix
from matrices.claims.words import ClaimWord, Honesty
from matrices.errors import near


class GateCode(IntEnum):
    """Exit codes, the most severe first. NOTE is printed and fails nothing."""

    REFERENCE_ESCAPE = 12
    OVERCLAIM = 10
    FALSE_DENIAL = 13
    EXPECTED_MISSING = 16
    UNPROVEN = 11
    HARNESS_ERROR = 14
    TRUNCATED = 15
    NOTE = 0


SEVERITY: tuple[GateCode, ...] = tuple(GateCode)
_NOT_EXECUTED = (Observed.NOT_RUN, Observed.NOT_APPLICABLE, Observed.REFUSED)


@dataclass(frozen=True, kw_only=True, slots=True)
class Finding:
    """`where` is a cell, a column or a run."""

    code: GateCode
    where: str
    what: str


def findings(matrix: Matrix, expected: Expected) -> tuple[Finding, ...]:
    """Everything the gate has to say, the most severe first."""
    found = [finding for column in matrix.columns for finding in _of_column(column, expected)]
    found += [
        Finding(code=GateCode.TRUNCATED, where=run.host, what=f"the run of {run.started} has no footer; run it again")
        for run in matrix.runs
        if not run.complete
    ]
    found += _unmatched(matrix, expected)
    found += _nothing_executed(matrix)
    found += _adapter_executed(matrix, expected)
    for adapter in expected.enforced:
        found += _availability(adapter, matrix, expected)
    present = {run.host for run in matrix.runs}
    found += [
        Finding(code=GateCode.NOTE, where=host, what=f"{expected.where} lists this host, and no run came from it")
        for host in matrix.hosts
        if host not in present
    ]
    return tuple(sorted(found, key=lambda f: (SEVERITY.index(f.code), f.where)))


def _unmatched(matrix: Matrix, expected: Expected) -> Iterator[Finding]:
    """A glob that names nothing lets everything pass, whether it is misspelt or the run had no such attempt."""
    ids = [attempt.id for attempt in matrix.attempts]
    for adapter in matrix.adapters:
        for glob in unmatched(expected.enforced.get(adapter, ()), ids):
            what = f"{expected.where} wants {glob!r} enforced, and these runs have no such attempt{near(glob, ids)}"
            yield Finding(code=GateCode.EXPECTED_MISSING, where=adapter, what=what)
        for table in (expected.not_enforced, expected.false_denials):
            for glob in unmatched(table.get(adapter, ()), ids):
                what = f"{expected.where} makes an exception for {glob!r}, and these runs have no such attempt"
                yield Finding(code=GateCode.NOTE, where=adapter, what=what)


def _nothing_executed(matrix: Matrix) -> Iterator[Finding]:
    """Where nothing was executed nothing was shown, whatever the reasons are; refusals alone show nothing either."""
    hosts = tuple(dict.fromkeys(run.host for run in matrix.runs))
    executed = {cell.host for cell in matrix.cells if cell.observed not in _NOT_EXECUTED}
    for host in hosts or ("these runs",):
        if host not in executed and host not in _truncated(matrix):
            what = "not one cell was executed, so nothing is shown; `sandproof explain` says why of each cell"
            yield Finding(code=GateCode.EXPECTED_MISSING, where=host, what=what)


def _adapter_executed(matrix: Matrix, expected: Expected) -> Iterator[Finding]:
    """Other adapters of a host must not make one look tried that never started: what it claims was shown nowhere.

    Hosts of which `_nothing_executed` or a truncation tells, and backends of which `_availability` tells, are left to these.
    """
    told = _truncated(matrix) | {finding.where for finding in _nothing_executed(matrix)}
    for adapter in matrix.adapters:
        columns = [column for column in matrix.columns if column.adapter == adapter and column.record]
        idle = [column for column in columns if not any(_shows(cell) for cell in column.cells)]
        code = GateCode.EXPECTED_MISSING if len(idle) == len(columns) else GateCode.NOTE
        for column in idle:
            unavailable = column.record.unavailable if column.record else ""
            known = column.host in told or (unavailable and adapter in expected.enforced)
            if not known and any(_claims_to_hold(cell) for cell in column.cells):
                rest = "" if code else "; on another host of these runs some were"
                what = f"none of its cells was executed: {_why_idle(column)}{rest}"
                yield Finding(code=code, where=f"{adapter}|{column.host}", what=what)


def _shows(cell: Cell) -> bool:
    """A refusal shows something only where it is what was claimed."""
    return cell.observed not in _NOT_EXECUTED or (cell.observed is Observed.REFUSED and cell.honesty is Honesty.HONEST)


def _claims_to_hold(cell: Cell) -> bool:
    return cell.claim.gates and cell.claim.word in (ClaimWord.ENFORCED, ClaimWord.REFUSES)


def _why_idle(column: Column) -> str:
    if column.record and column.record.unavailable:
        return f"unavailable: {column.record.unavailable}"
    # What a person did not ask for explains nothing where something else does.
    reasons: Counter[Reason] = Counter(cell.reason for cell in column.cells if cell.reason is not Reason.DESELECTED)
    reason = reasons.most_common(1)[0][0] if reasons else Reason.DESELECTED
    return f"{reason}: {REASON[reason]}"


def _truncated(matrix: Matrix) -> frozenset[str]:
    """Hosts with a run that was cut off. That is one finding; the cells that it left out are no others."""
    return frozenset(run.host for run in matrix.runs if not run.complete)


def _availability(adapter: str, matrix: Matrix, expected: Expected) -> Iterator[Finding]:
    """A backend that could not be used has no cells to be held against it, so its absence is told here."""
    here = {column.host: column.record for column in matrix.columns if column.adapter == adapter and column.record}
    wants = f"{expected.where} wants cells of it enforced"
    if not here:
        yield Finding(code=GateCode.NOTE, where=adapter, what=f"{wants}, and it took part in none of these runs")
        return
    for host, record in here.items():
        if not record.reference:
            what = f"{wants}, and it took part as no reference backend, so nothing is held against it"
            yield Finding(code=GateCode.EXPECTED_MISSING, where=f"{adapter} on {host}", what=what)
    why = {host: record.unavailable for host, record in here.items() if record.unavailable}
    code = GateCode.EXPECTED_MISSING if len(why) == len(here) else GateCode.NOTE
    for host, reason in why.items():
        rest = ", and it could be used on no host of these runs" if code else ""
        yield Finding(code=code, where=f"{adapter} on {host}", what=f"{wants}{rest}; unavailable: {reason}")


def exit_code(found: tuple[Finding, ...]) -> int:
    return int(found[0].code) if found else 0


def _of_column(column: Column, expected: Expected) -> Iterator[Finding]:
    for cell in column.cells:
        if cell.reason is Reason.HARNESS_ERROR:
            note = cell.evidence.note if cell.evidence else ""
            yield Finding(code=GateCode.HARNESS_ERROR, where=cell.name, what=f"the harness failed: {note}")
        yield from _of_claim(cell)
        if column.record and column.record.reference:
            yield from _of_reference(cell)
        by_expectation = column.record and column.record.reference and not column.record.unavailable
        if by_expectation and cell.reason is not Reason.RUN_TRUNCATED:
            yield from _of_expectation(cell, expected)


def _of_claim(cell: Cell) -> Iterator[Finding]:
    claim = f"claims {cell.claim.word} ({cell.claim.source})"
    if cell.honesty is Honesty.SILENT_ESCAPE:
        yield Finding(code=GateCode.NOTE, where=cell.name, what="silent-escape: nothing is claimed, and it escaped")
    if not cell.claim.gates:
        return
    if cell.honesty is Honesty.OVERCLAIMS:
        yield Finding(code=GateCode.OVERCLAIM, where=cell.name, what=f"overclaims: {claim}, and it escaped")
    if cell.honesty is Honesty.UNPROVEN:
        by_host = cell.reason is Reason.CONTROL_DID_NOT_LAND
        code = GateCode.NOTE if by_host else GateCode.UNPROVEN
        yield Finding(code=code, where=cell.name, what=f"unproven: {claim}; {cell.observed}: {cell.reason}")


def _of_reference(cell: Cell) -> Iterator[Finding]:
    if cell.observed is Observed.ESCAPED and cell.claim.word is not ClaimWord.NOT_ENFORCED:
        what = f"a reference backend let it escape; it claims {cell.claim.word}"
        yield Finding(code=GateCode.REFERENCE_ESCAPE, where=cell.name, what=what)


def _of_expectation(cell: Cell, expected: Expected) -> Iterator[Finding]:
    attempt = cell.attempt.id
    if cell.observed is Observed.FALSE_DENIAL and not expected.accepts_denial(cell.adapter, attempt):
        what = f"false denial: ordinary work was stopped, and {expected.where} does not list it"
        yield Finding(code=GateCode.FALSE_DENIAL, where=cell.name, what=what)
    held = (Observed.WORKS if cell.is_work else Observed.ENFORCED, Observed.NOT_APPLICABLE)
    if expected.must_be_enforced(cell.adapter, attempt) and cell.observed not in held:
        what = f"{expected.where} wants {held[0]}; got {cell.observed}: {cell.reason}"
        yield Finding(code=GateCode.EXPECTED_MISSING, where=cell.name, what=what)
