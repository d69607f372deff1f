"""Run files, read and checked before anything is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.core.evidence import Evidence
from conformance.core.judge import judge
from conformance.core.runfile import Header, Run, RunFileError, read_run
from matrices.errors import InputError
from matrices.validate import check_types
from sandbox.host import Host


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadedRun:
    """A run and the name of the file it came from, for messages."""

    name: str
    run: Run


def load_runs(paths: Iterable[Path]) -> tuple[LoadedRun, ...]:
    """Raises InputError for a file that is missing, foreign, damaged, or contradicts itself. A truncated run is no
    error."""
    runs = []
    for path in paths:
        try:
            runs.append(LoadedRun(name=str(path), run=read_run(path)))
        except RunFileError as error:
            raise InputError(f"{error}; give a file that `sandproof run` wrote") from error
        check(runs[-1])
    return tuple(runs)


def check(loaded: LoadedRun) -> None:
    """Every field must be of its type; every line of evidence must belong to the header, once; its words must be those that the judge
    gives its facts. Raises InputError with file, line, what was expected and what came."""
    name, run = loaded.name, loaded.run
    _check_header(name, run.header)
    kinds = {attempt.id: attempt.violates for attempt in run.header.attempts}
    adapters = frozenset(adapter.variant for adapter in run.header.adapters)
    seen: set[tuple[str, str]] = set()
    for number, evidence in enumerate(run.evidence, start=2):  # the header is line 1, and only evidence follows
        check_types(f"{name}:{number}: evidence", evidence)
        where = f"{name}:{number}: evidence of {evidence.adapter} for {evidence.attempt}"
        if evidence.attempt not in kinds or evidence.adapter not in adapters:
            raise InputError(f"{where}: expected an adapter and an attempt of the file's own header; this line is foreign")
        if evidence.host != run.header.host:
            raise InputError(f"{where}: expected host {run.header.host}; got {evidence.host}: a run file has one host")
        if (evidence.adapter, evidence.attempt) in seen:
            raise InputError(f"{where}: stands twice; a cell has one line of evidence")
        seen.add((evidence.adapter, evidence.attempt))
        _check_facts(where, evidence, kinds[evidence.attempt])


def _check_header(name: str, header: Header) -> None:
    check_types(f"{name}:1: header", header)
    try:
        Host.parse(header.host)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None
    attempts = Counter(attempt.id for attempt in header.attempts)
    adapters = Counter(adapter.variant for adapter in header.adapters)
    for what, ids in (("attempt", attempts), ("adapter", adapters)):
        for double in (each for each, count in ids.items() if count > 1):
            raise InputError(f"{name}: expected every {what} once in the header; {double!r} stands twice")


def _check_facts(where: str, evidence: Evidence, violates: str) -> None:
    facts, verdict = evidence.facts, evidence.verdict
    if evidence.rule and evidence.rule.partition(":")[0] != violates:
        raise InputError(f"{where}: expected a rule of kind {violates or 'none'}; got {evidence.rule!r}")
    if facts.work is bool(violates):
        raise InputError(f"{where}: expected facts.work {not violates}, as in the header; got {facts.work}")
    if facts.landed > facts.shots:
        raise InputError(f"{where}: expected at most {facts.shots} landings, one for each shot; got {facts.landed}")
    expected = judge(facts)
    if verdict != expected:
        said = f"{verdict.observed} ({verdict.reason})"
        raise InputError(f"{where}: expected {expected.observed} ({expected.reason}), which is what its facts mean; got {said}")
