"""Run files, read and checked before anything is judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from conformance.core.evidence import Evidence
from conformance.core.runfile import Header, Run, RunFileError, read_run
from conformance.core.words import WORD_OF, Observed
from matrices.errors import InputError
from sandbox.host import Host

_WITNESSED = (Observed.ENFORCED, Observed.ESCAPED)


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
    """Every line of evidence must belong to the header, once, and its words must fit. Raises InputError."""
    name, run = loaded.name, loaded.run
    _check_header(name, run.header)
    kinds = {attempt.id: attempt.violates for attempt in run.header.attempts}
    adapters = frozenset(adapter.variant for adapter in run.header.adapters)
    seen: set[tuple[str, str]] = set()
    for evidence in run.evidence:
        where = f"{name}: evidence of {evidence.adapter} for {evidence.attempt}"
        if evidence.attempt not in kinds or evidence.adapter not in adapters:
            raise InputError(f"{where}: expected an adapter and an attempt of the file's own header; this line is foreign")
        if evidence.host != run.header.host:
            raise InputError(f"{where}: expected host {run.header.host}; got {evidence.host}: a run file has one host")
        if (evidence.adapter, evidence.attempt) in seen:
            raise InputError(f"{where}: stands twice; a cell has one line of evidence")
        seen.add((evidence.adapter, evidence.attempt))
        _check_words(where, evidence, kinds[evidence.attempt])


def _check_header(name: str, header: Header) -> None:
    try:
        Host.parse(header.host)
    except ValueError as error:
        raise InputError(f"{name}: {error}") from None
    attempts = Counter(attempt.id for attempt in header.attempts)
    adapters = Counter(adapter.variant for adapter in header.adapters)
    for what, ids in (("attempt", attempts), ("adapter", adapters)):
        for double in (each for each, count in ids.items() if count > 1):
            raise InputError(f"{name}: expected every {what} once in the header; {double!r} stands twice")


def _check_words(where: str, evidence: Evidence, violates: str) -> None:
    verdict = evidence.verdict
    if evidence.rule and evidence.rule.partition(":")[0] != violates:
        raise InputError(f"{where}: expected a rule of kind {violates or 'none'}; got {evidence.rule!r}")
    if WORD_OF[verdict.reason] is not verdict.observed:
        raise InputError(f"{where}: reason {verdict.reason} means {WORD_OF[verdict.reason]}; got {verdict.observed}")
    if verdict.observed in _WITNESSED and not evidence.facts.grade.proves:
        raise InputError(f"{where}: grade {evidence.facts.grade} cannot carry {verdict.observed}")
