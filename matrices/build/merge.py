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
    """The matrix of these runs, with every cell.

    Raises InputError for no run at all, different suites, runs of one suite that list different attempts, and an
    adapter that took part on one host in two runs (`newest_wins` takes the later one, a complete one before a truncated
    one).
    """
    attempts = _attempts(runs)
    ordered = sorted(runs, key=lambda r: (r.run.complete, r.run.header.started, r.name)) if newest_wins else list(runs)
    chosen = _choose(ordered, newest_wins)
    present = sorted({host for _, host in chosen})
    hosts = (*present, *(host for host in dict.fromkeys(expected.hosts) if host not in present))
    by_host = sorted(runs, key=lambda r: (r.run.header.host, r.run.header.started))
    adapters = tuple(dict.fromkeys(record.variant for r in by_host for record in r.run.header.adapters))
    return Matrix(
        suite=runs[0].run.header.suite,
        runs=tuple(_note(r) for r in by_host if r in chosen.values()),
        adapters=adapters,
        hosts=hosts,
        attempts=attempts,
        columns=tuple(
            column(adapter, host, attempts, chosen.get((adapter, host)), took_part=host in present)
            for adapter in adapters
            for host in hosts
        ),
    )


def _attempts(runs: Sequence[LoadedRun]) -> tuple[AttemptRecord, ...]:
    if not runs:
        raise InputError("expected at least one run file; got none; next: sandproof run")
    first = runs[0]
    attempts = {attempt.id: attempt for attempt in first.run.header.attempts}
    for other in runs[1:]:
        if other.run.header.suite != first.run.header.suite:
            raise InputError(
                f"{other.name}: expected suite {first.run.header.suite[:12]} as in {first.name}; got {other.run.header.suite[:12]}:"
                " runs of different suites cannot be merged; run again with one suite"
            )
        if {attempt.id: attempt for attempt in other.run.header.attempts} != attempts:
            raise InputError(
                f"{other.name}: expected the attempts of {first.name}; its header has others, which would leave holes"
            )
    return tuple(attempts[i] for i in sorted(attempts))


def _choose(runs: Sequence[LoadedRun], newest_wins: bool) -> Chosen:
    chosen: Chosen = {}
    for loaded in runs:
        for record in loaded.run.header.adapters:
            key = (record.variant, loaded.run.header.host)
            if key in chosen and not newest_wins:
                raise InputError(
                    f"{loaded.name}: {key[0]} on {key[1]} is already in {chosen[key].name}; leave one of the two files out"
                )
            chosen[key] = loaded
    return chosen


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
