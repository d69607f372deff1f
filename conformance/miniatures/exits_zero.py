"""Exits zero and runs nothing: where an exit code is the oracle, nothing is safer."""

from __future__ import annotations

from dataclasses import replace

from conformance.adapters.base import PlanSession
from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, free, free_paths, ids
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface


class ExitsZero(Miniature):
    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        plan = replace(free(scene), argv=("/bin/sh", "-c", "exit 0", "sandbox"))
        return PlanSession(plan=plan, paths=free_paths(scene), sent=ids(policy))


ADAPTER = ExitsZero()
