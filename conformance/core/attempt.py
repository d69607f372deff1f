"""What an attempt is: a sentence that must hold, and a short function that arms a scene to see whether it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from conformance.core.runfile import AttemptRecord
from conformance.core.steps import Steps
from conformance.core.words import Severity
from sandbox.host import Host
from sandbox.policy.rules import Policy, Rule, RuleKind

if TYPE_CHECKING:
    from conformance.core.scene import Scene


class PhaseKind(StrEnum):
    """What happens, in order. `guest` runs in the sandbox; `host-trigger` is what a person or tool does on the host afterwards;
    `close` ends the session; a second `guest` is a second run on what the first one left."""

    GUEST = "guest"
    HOST_TRIGGER = "host-trigger"
    CLOSE = "close"


class Need(StrEnum):
    """What must be there, or the attempt is not run: a tool, a terminal, an isolated network."""

    GIT = "git"
    BASH = "bash"
    NETWORK = "isolated-network"


@dataclass(frozen=True, kw_only=True, slots=True)
class Guest:
    """Steps inside: `prepare` is neither twin nor attack. `kill_launcher`: SIGKILL to what started the sandbox as soon as a background
    process beats."""

    twin: Steps = ()
    attack: Steps = ()
    prepare: Steps = ()
    kill_launcher: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class HostTrigger:
    """A command on the host, with a scrubbed environment whose HOME is the scene's. Its words may be symbolic paths. It must end with 0
    when nothing was planted: one that does not work fires nothing, and then the phase is missing."""

    argv: tuple[str, ...]
    cwd: str = "$WORK"
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Close:
    pass


Phase = Guest | HostTrigger | Close


@dataclass(frozen=True, slots=True)
class Landing:
    """What a witness saw, and whether that means that the effect landed."""

    landed: bool
    saw: str


class Witness(Protocol):
    """Looks from outside. `output` is everything that came out of the sandbox."""

    def look(self, output: bytes) -> Landing: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Armed:
    """An attempt made concrete in one scene. `rule` is the one attacked (None for ordinary work); `policy` the smallest that has it.
    `touches`: symbolic paths that the attempt itself may leave behind, beyond those that its steps name."""

    policy: Policy
    phases: tuple[Phase, ...]
    witness: Witness
    twin: Witness
    rule: Rule | None = None
    touches: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Attempt:
    """`id` comes from the path of the file that defines it. `violates` is None for ordinary work that must keep working.
    `root_only`: needs powers of root to mean anything. `shots`: how often it is made in an ordinary run."""

    title: str
    requirement: str
    violates: RuleKind | None
    severity: Severity
    arm: Callable[[Scene], Armed]
    phases: tuple[PhaseKind, ...] = (PhaseKind.GUEST,)
    needs: frozenset[Need] = frozenset()
    references: tuple[str, ...] = ()
    root_only: bool = False
    platforms: tuple[str, ...] = ("linux", "wsl2")
    shots: int = 1
    id: str = ""

    @property
    def work(self) -> bool:
        return self.violates is None

    @property
    def boundary(self) -> str:
        """`fs`, `proc`, `env`, `net` or `work`."""
        return self.id.split("/", 1)[0]

    @property
    def hosts(self) -> tuple[str, ...]:
        return tuple(f"{p}/root" if self.root_only else p for p in self.platforms)

    def applies_to(self, host: Host) -> bool:
        return host.platform in self.platforms and (host.root or not self.root_only)

    def named(self, attempt_id: str) -> Attempt:
        return replace(self, id=attempt_id)

    def record(self) -> AttemptRecord:
        return AttemptRecord(
            id=self.id,
            title=self.title,
            requirement=self.requirement,
            violates=self.violates or "",
            boundary=self.boundary,
            severity=self.severity,
            references=self.references,
            phases=self.phases,
        )
