"""Claims everything and enforces nothing."""

from __future__ import annotations

from conformance.adapters.base import PlanSession
from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, free, free_paths, ids
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface


class EnforcesNothing(Miniature):
    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        return PlanSession(plan=free(scene), paths=free_paths(scene), sent=ids(policy))


ADAPTER = EnforcesNothing()
