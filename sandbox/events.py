"""The event stream of one session: closed set of events, in order, on the session that caused them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sandbox.spec import SandboxViolation


class KillCause(StrEnum):
    """Why a session's processes were ended by somebody else."""

    OUT_OF_MEMORY = "out-of-memory"
    TIMEOUT = "timeout"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Starting:
    pass


@dataclass(frozen=True, slots=True)
class Ready:
    pass


@dataclass(frozen=True, slots=True)
class Stdout:
    data: bytes


@dataclass(frozen=True, slots=True)
class Stderr:
    data: bytes


@dataclass(frozen=True, slots=True)
class Exit:
    """`code` as a shell sees it: 0..255, 128 + N for death by signal N."""

    code: int


@dataclass(frozen=True, slots=True)
class Killed:
    cause: KillCause


@dataclass(frozen=True, slots=True)
class Violation:
    violation: SandboxViolation


Event = Starting | Ready | Stdout | Stderr | Exit | Killed | Violation


class EventStream(Protocol):
    """What a session offers its owner: events in the order in which they happened; iteration ends after `Exit` or `Killed`."""

    def __iter__(self) -> Iterator[Event]: ...
