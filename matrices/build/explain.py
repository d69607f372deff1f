"""One cell, told in full, for a terminal."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from conformance.adapters.registry import BUILT_IN
from conformance.core.evidence import Beacon, Evidence
from conformance.core.words import Observed
from matrices.build.meaning import CLAIM, HONESTY, OBSERVED, REASON, SOURCE
from matrices.build.model import Cell
from matrices.build.summary import shots
from matrices.text import counted, visible
from sandbox.policy.rules import DEMANDS, RuleKind

LOOK = (
    "reproduce keeps the scene, the files as the attempt left them, and says where it lies, as sandproof run --keep-scene does;"
    " FILE.toml, where it stands in the command, is the file that describes the adapter"
)
_NOT_MADE = (Observed.NOT_RUN, Observed.NOT_APPLICABLE)
OUTPUT = "what the program inside said: whose step, the step, and its answer"
_OLD_STEP = re.compile(r"(twin|attack) ([a-z-]+) (ok|[A-Z0-9]+)(?=:|$)")


def reproduce_line(cell: Cell) -> str:
    """A command that can be pasted into a shell, also where the names come from a foreign file; "" where there was nothing that could
    be made again. A run does not say how an adapter that is not built in was named, so its file is left to the reader."""
    if cell.observed in _NOT_MADE:
        return ""
    command = f"sandproof reproduce {shlex.quote(visible(cell.name))}"
    return command if cell.adapter in BUILT_IN else f"{command} --adapter FILE.toml"


def output_lines(output: str) -> Iterator[str]:
    """Each line of the transcript. Runs of the first version wrote `twin read ENOENT: …`; it is told in the words of today."""
    for line in output.splitlines():
        yield visible(_OLD_STEP.sub(r"\1 step: \2 → \3", line, count=1) if _OLD_STEP.match(line) else line)


def not_sent_text(evidence: Evidence) -> str:
    """Of many rules, which every adapter with few terms has, it matters whether the attacked one is among them."""
    this, number = evidence.rule in evidence.not_sent, len(evidence.not_sent)
    others = counted(number - this, "other")
    which = ("this one" if number == 1 else f"this one and {others}") if this else f"{others}, and not this one"
    return f"rules the adapter was given no words for: {which}" if number else ""


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
        yield f"output:       {OUTPUT}"
        yield from (f"    {line}" for line in output_lines(cell.evidence.output))
    if again := reproduce_line(cell):
        yield f"{'reproduce:':<14}{again}"
        yield f"{'look:':<14}{LOOK}"


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
    yield "not sent", not_sent_text(evidence)
    yield "beacons", ", ".join(beacon_text(beacon) for beacon in evidence.beacons) or "none"
    yield "witness saw", evidence.saw
    yield "twin", evidence.twin_saw
    yield "collateral", "the allowed twin was refused as well" if evidence.collateral else ""
    yield "residue", ", ".join(evidence.residue)
    yield "exit", evidence.exit
    yield "note", evidence.note
    yield "seconds", f"{evidence.seconds:.3f}"
