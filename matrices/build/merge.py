"""Several runs become one matrix: each adapter on each host from exactly one run."""

from __future__ import annotations

from collections.abc import Sequence

from conformance.core.runfile import AttemptRecord
from matrices.build.cells import column
from matrices.build.expected import NOTHING_EXPECTED, Expected
from matrices.build.load import LoadedRun
from matrices.build.model import Matrix, RunNote
from matrices.errors import InputError

Chosen = dict[tuple[str, str], LoadedRun]


def merge(runs: Sequence[LoadedRun], expected: Expected = NOTHING_EXPECTED, *, newest_wins: bool = False) -> Matrix:
    """The matrix of these runs, with every cell; an attempt that a run left out is `deselected` there.

    Raises InputError for no run at all, different suites, one attempt told in two ways, and an adapter that took part on one host
    in two runs. `newest_wins` takes the latest of these instead: of the complete ones, and of those the ones with every attempt.
    """
    attempts = _attempts(runs)
    chosen = _newest(runs, len(attempts)) if newest_wins else _only(runs)
    present = sorted({host for _, host in chosen})
    hosts = (*present, *(host for host in dict.fromkeys(expected.hosts) if host not in present))
    by_host = sorted(runs, key=lambda r: (r.run.header.host, r.run.header.started))
    adapters = tuple(dict.fromkeys(record.variant for r in by_host for record in r.run.header.adapters))
    return Matrix(
        suite=runs[0].run.header.suite,
        runs=tuple(_note(r) for r in by_host if any(r is each for each in chosen.values())),
        adapters=adapters,
        hosts=hosts,
        attempts=attempts,
        columns=tuple(
            column(adapter, host, attempts, chosen.get((adapter, host)), took_part=host in present)
            for adapter in adapters
            for host in hosts
        ),
    )


def check_no_holes(runs: Sequence[LoadedRun]) -> None:
    """Raises InputError for a truncated run, and for runs that do not all have the same attempts."""
    for loaded in runs:
        if not loaded.run.complete:
            raise InputError(f"{loaded.name}: expected a complete run; it is truncated, which would leave holes; run it again")
        missing = sorted(_ids(runs[0]) ^ _ids(loaded))
        if missing:
            raise InputError(
                f"{loaded.name}: expected the attempts of {runs[0].name}; only one of them has {missing[0]!r}, which would leave"
                " holes; run both with the same attempts"
            )


def _ids(loaded: LoadedRun) -> frozenset[str]:
    return frozenset(attempt.id for attempt in loaded.run.header.attempts)


def _attempts(runs: Sequence[LoadedRun]) -> tuple[AttemptRecord, ...]:
    """All attempts of all runs, by id."""
    if not runs:
        raise InputError("expected at least one run file; got none; next: sandproof run")
    first = runs[0]
    attempts: dict[str, AttemptRecord] = {}
    for each in runs:
        if each.run.header.suite != first.run.header.suite:
            raise InputError(
                f"{each.name}: expected suite {first.run.header.suite[:16]} as in {first.name}; got"
                f" {each.run.header.suite[:16]}: runs of different suites cannot be merged; run again with one suite"
            )
        for attempt in each.run.header.attempts:
            if attempts.setdefault(attempt.id, attempt) != attempt:
                raise InputError(f"{each.name}: expected attempt {attempt.id!r} as in the other runs; this header is foreign")
    return tuple(attempts[i] for i in sorted(attempts))


def _only(runs: Sequence[LoadedRun]) -> Chosen:
    chosen: Chosen = {}
    for loaded in runs:
        for record in loaded.run.header.adapters:
            key = (record.variant, loaded.run.header.host)
            if key in chosen:
                raise InputError(f"{loaded.name}: {key[0]} on {key[1]} is already in {chosen[key].name}; leave one of the two files out")
            chosen[key] = loaded
    return chosen


def _newest(runs: Sequence[LoadedRun], attempts: int) -> Chosen:
    """A whole run goes before a newer one of a few attempts, which a person made to look at these."""
    chosen: Chosen = {}
    for loaded in runs:
        for record in loaded.run.header.adapters:
            key = (record.variant, loaded.run.header.host)
            before = chosen.get(key)
            if before is None or _rank(loaded, key[0], attempts) > _rank(before, key[0], attempts):
                chosen[key] = loaded
    return chosen


def _rank(loaded: LoadedRun, adapter: str, attempts: int) -> tuple[bool, bool, str, str]:
    count = sum(evidence.adapter == adapter for evidence in loaded.run.evidence)
    return loaded.run.complete, count == attempts, loaded.run.header.started, loaded.name


def _note(loaded: LoadedRun) -> RunNote:
    header = loaded.run.header
    return RunNote(
        host=header.host,
        started=header.started,
        complete=loaded.run.complete,
        repeat=header.repeat,
        facts=header.facts,
        adapters=tuple(record.variant for record in header.adapters),
    )
