"""One cell, told in full, for a terminal."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from conformance.core.evidence import Beacon, Evidence
from matrices.build.meaning import CLAIM, HONESTY, OBSERVED, REASON, SOURCE
from matrices.build.model import Cell
from matrices.build.summary import shots
from matrices.text import visible
from sandbox.policy.rules import DEMANDS, RuleKind


def reproduce_line(cell: Cell) -> str:
    """A command that can be pasted into a shell, also where the names come from a foreign file."""
    return f"sandproof reproduce {shlex.quote(visible(cell.name))}"


def demand(kind: str) -> str:
    """The sentence that a rule kind stands for; "" for ordinary work and for kinds of other suites."""
    return DEMANDS[RuleKind(kind)] if kind in tuple(RuleKind) else ""


def beacon_text(beacon: Beacon) -> str:
    """`acted write EROFS`."""
    return " ".join(part for part in (beacon.name.value, beacon.verb, beacon.errno or "") if part)


def lines(cell: Cell) -> Iterator[str]:
    """Labelled lines without control characters."""
    for label, text in (*_about(cell), *(_seen(cell.evidence) if cell.evidence else ())):
        if text:
            yield f"{label + ':':<14}{visible(text)}"
    if cell.evidence and cell.evidence.output:
        yield "output:"
        yield from (f"    {visible(line)}" for line in cell.evidence.output.splitlines())
    yield f"{'reproduce:':<14}{reproduce_line(cell)}"


def _about(cell: Cell) -> Iterator[tuple[str, str]]:
    attempt, claim = cell.attempt, cell.claim
    yield "cell", cell.name
    yield "attempt", attempt.title
    yield "must hold", attempt.requirement
    yield "rule kind", f"{attempt.violates}: {demand(attempt.violates)}" if attempt.violates else "none: ordinary work"
    yield "severity", attempt.severity
    yield "references", ", ".join(attempt.references)
    yield "claim", f"{claim.word}: {CLAIM[claim.word]}"
    yield "source", SOURCE[claim.source] if claim.source else ""
    yield "quote", claim.quote
    yield "why", claim.why
    yield "versions", claim.versions
    yield "observed", f"{cell.observed} {shots(cell)}: {OBSERVED[cell.observed]}".replace(" :", ":")
    yield "reason", f"{cell.reason}: {REASON[cell.reason]}"
    yield "grade", str(cell.grade)
    yield "honesty", f"{cell.honesty}: {HONESTY[cell.honesty]}"


def _seen(evidence: Evidence) -> Iterator[tuple[str, str]]:
    yield "rule", evidence.rule
    yield "not sent", ", ".join(evidence.not_sent)
    yield "beacons", ", ".join(beacon_text(beacon) for beacon in evidence.beacons) or "none"
    yield "witness saw", evidence.saw
    yield "twin", evidence.twin_saw
    yield "collateral", "the allowed twin was refused as well" if evidence.collateral else ""
    yield "residue", ", ".join(evidence.residue)
    yield "exit", evidence.exit
    yield "note", evidence.note
    yield "seconds", f"{evidence.seconds:.3f}"
