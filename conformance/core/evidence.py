"""What is recorded of one cell: facts for the judge, and what a person needs to follow them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from conformance.core.words import Grade, Observed, Reason


class BeaconName(StrEnum):
    READY = "ready"
    TWIN = "twin"
    ACTING = "acting"
    ACTED = "acted"
    DONE = "done"


@dataclass(frozen=True, kw_only=True, slots=True)
class Beacon:
    """One line of the in-guest agent. `errno` is a symbolic name (`EROFS`), None for success; `verb` is the step's verb."""

    name: BeaconName
    verb: str = ""
    errno: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """Everything the judge may look at; nothing here tells which adapter it was.

    `not_run`, `refused`: a reason found before or at start. `control_landed`: None where no control was made. `shots` is how often
    the attempt was made, `landed` how often the witness saw it. `ready`, `twin_acted`, `twin_landed`, `acted`, `phases_done` hold for
    *every* shot; `any_beacon` for at least one. `inside_success`: the agent reported success for an attacking step though nothing
    landed. `elsewhere`: a connection was made and nobody here heard it, so it ended somewhere that no witness watches. `killed`: the
    policy's own signal (SIGSYS) ended the agent after `acting`. `profile`: a modelled answer, else None.
    """

    work: bool = False
    applicable: bool = True
    grade: Grade = Grade.EXECUTED
    not_run: Reason | None = None
    refused: Reason | None = None
    control_landed: bool | None = None
    shots: int = 1
    landed: int = 0
    any_beacon: bool = False
    ready: bool = False
    twin_acted: bool = False
    twin_landed: bool = False
    acted: bool = False
    killed: bool = False
    deadline: bool = False
    phases_done: bool = False
    inside_success: bool = False
    elsewhere: bool = False
    profile: Reason | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    observed: Observed
    reason: Reason


@dataclass(frozen=True, kw_only=True, slots=True)
class Evidence:
    """One cell as it goes into the run file. All text uses symbolic roots and is capped; nothing names the machine or its user.

    `adapter` is the text form of a `Variant`, `host` a host label. `rule` is the attacked rule's id ("" for ordinary work).
    `policy` are the ids of all rules in force as sent, `not_sent` those the adapter cannot express. `saw` is the witness's sentence,
    `twin_saw` the twin's; `output` what the agent said of its steps and any other line;
    `exit` how it ended (`exit:0`, `signal:9`, `deadline`, `not-started`);
    `residue` are paths the adapter itself left; `collateral`: the twin acted and was refused; `note` explains a reason;
    `seconds` is wall-clock time of all shots of this cell.
    """

    attempt: str
    adapter: str
    host: str
    verdict: Verdict
    facts: Facts
    rule: str = ""
    policy: tuple[str, ...] = ()
    not_sent: tuple[str, ...] = ()
    beacons: tuple[Beacon, ...] = ()
    saw: str = ""
    twin_saw: str = ""
    output: str = ""
    exit: str = "not-started"
    residue: tuple[str, ...] = ()
    collateral: bool = False
    note: str = ""
    seconds: float = 0.0
