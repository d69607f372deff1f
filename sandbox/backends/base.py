"""The questions that every backend answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from sandbox.backends.plan import LaunchPlan
from sandbox.host import Host
from sandbox.policy.rules import Policy, Rule
from sandbox.spec import SandboxBackend


@dataclass(frozen=True, kw_only=True, slots=True)
class Trial:
    """What really happened when the backend was started once. `held`: an allowed write landed and a denied one did not."""

    held: bool
    saw: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Probe:
    """Whether a backend can be used here. `note` and `hint` are for a person; `trial` is None where nothing could be tried."""

    available: bool
    note: str
    requires_install: bool = False
    hint: str | None = None
    trial: Trial | None = None


class Level(StrEnum):
    """`partial` holds against everything that runs inside; what it leaves open is said in so many words and shown beside the claim."""

    ENFORCED = "enforced"
    PARTIAL = "partial"
    CANNOT = "cannot"


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a backend says of one rule on this host. `why` is one sentence for `partial` and `cannot`."""

    level: Level
    why: str = ""


class Backend(Protocol):
    """A way to confine a process."""

    @property
    def name(self) -> SandboxBackend: ...

    def probe(self, host: Host) -> Probe:
        """Really start the backend once and look. Never raises for a host that lacks it."""
        ...

    def coverage(self, rule: Rule, policy: Policy, host: Host) -> Coverage:
        """What would happen to this rule of this policy here."""
        ...

    def compile(self, policy: Policy, host: Host, environ: Mapping[str, str]) -> LaunchPlan:
        """Raises UnenforceableRule, naming the rule, for a required rule that is `cannot`."""
        ...
