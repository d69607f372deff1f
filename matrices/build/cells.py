"""The cells of one adapter on one host. None is ever missing: what was not run says why."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.core.evidence import Evidence
from conformance.core.runfile import AdapterRecord, AttemptRecord
from conformance.core.words import WORD_OF, Grade, Reason
from matrices.build.load import LoadedRun
from matrices.build.model import Cell, Column
from matrices.claims.honesty import honesty
from matrices.claims.model import ClaimTable
from matrices.claims.of_record import claims_of
from matrices.errors import InputError


def column(adapter: str, host: str, attempts: Sequence[AttemptRecord], loaded: LoadedRun | None, *, took_part: bool) -> Column:
    """`loaded` is the run of this adapter on this host, if there is one; `took_part`: the host ran at least
    something."""
    if loaded is None:
        # An adapter that was left out on this host, or a host that was not there: nothing was said of it either.
        reason = Reason.DESELECTED if took_part else Reason.HOST_MISSING
        cells = tuple(_cell(adapter, host, attempt, ClaimTable(), None, reason) for attempt in attempts)
        return Column(adapter=adapter, host=host, record=None, cells=cells)
    record = next(r for r in loaded.run.header.adapters if r.variant == adapter)
    try:
        claims = claims_of(record)
    except InputError as error:
        raise InputError(f"{loaded.name}: {error}") from None
    evidence = {e.attempt: e for e in loaded.run.evidence if e.adapter == adapter}
    absent = _absent(record, loaded.run.complete)
    cells = tuple(_cell(adapter, host, attempt, claims, evidence.get(attempt.id), absent) for attempt in attempts)
    return Column(adapter=adapter, host=host, record=record, cells=cells)


def _absent(record: AdapterRecord, complete: bool) -> Reason:
    """Why there is no evidence for an attempt of a run that this adapter was in."""
    if record.unavailable:
        return Reason.ADAPTER_UNAVAILABLE
    return Reason.DESELECTED if complete else Reason.RUN_TRUNCATED


def _cell(adapter: str, host: str, attempt: AttemptRecord, claims: ClaimTable, evidence: Evidence | None, absent: Reason) -> Cell:
    claim = claims.of(attempt.violates, evidence.rule if evidence else "")
    reason = evidence.verdict.reason if evidence else absent
    return Cell(
        adapter=adapter,
        host=host,
        attempt=attempt,
        claim=claim,
        observed=WORD_OF[reason],
        reason=reason,
        # Nobody looked, so nothing better than a declaration stands behind a cell without evidence.
        grade=evidence.facts.grade if evidence else Grade.DECLARED,
        honesty=honesty(claim.word, WORD_OF[reason], reason),
        evidence=evidence,
    )
