"""Refuses every policy before anything is started, and claims to enforce it all the same."""

from __future__ import annotations

from conformance.adapters.base import PlanSession
from conformance.core.adapter import AdapterRefused
from conformance.core.scene import Scene
from conformance.core.words import Reason
from conformance.miniatures.base import Miniature
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface


class RefusesPolitely(Miniature):
    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        raise AdapterRefused(Reason.ADAPTER_REFUSED, "this policy is not supported, sorry")


ADAPTER = RefusesPolitely()
