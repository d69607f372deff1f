"""What is put to the test. An adapter gets a policy and a scene; it learns nothing of the attempt, its role or its witness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from conformance.core.runfile import AdapterRecord
from conformance.core.words import WORD_OF, Observed, Reason
from sandbox.host import Host
from sandbox.policy.rules import Policy
from sandbox.sessions import ExecSession, Surface

if TYPE_CHECKING:
    from conformance.core.scene import Scene


class AdapterRefused(Exception):
    """The sandbox declined to run this policy; nothing was started. `reason` is one of the reasons of `refused-to-run`; another one
    is a ValueError, as no adapter may choose its own word."""

    def __init__(self, reason: Reason, note: str) -> None:
        if WORD_OF[reason] is not Observed.REFUSED:
            raise ValueError(f"AdapterRefused: expected a reason of refused-to-run; got {reason}")
        super().__init__(note)
        self.reason = reason
        self.note = note


class Adapter(Protocol):
    """`id` is the column's text (a `Variant`). `reference`: one of our own backends, held to the second gate."""

    id: str
    reference: bool
    surfaces: frozenset[Surface]

    def describe(self) -> str:
        """One line for a person."""
        ...

    def availability(self, host: Host) -> str:
        """Why it cannot be used here, or ""."""
        ...

    def record(self, host: Host) -> AdapterRecord:
        """How it takes part in a run: version, coverage or claims."""
        ...

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> ExecSession:
        """Raises AdapterRefused."""
        ...
