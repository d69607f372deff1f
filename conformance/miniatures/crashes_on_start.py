"""Dies by a signal before it has started anything."""

from __future__ import annotations

from dataclasses import replace

from conformance.adapters.base import PlanSession
from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, free, free_paths, ids
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface


class CrashesOnStart(Miniature):
    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        plan = replace(free(scene), argv=("/bin/sh", "-c", "ulimit -c 0; kill -SEGV $$", "sandbox"))
        return PlanSession(plan=plan, paths=free_paths(scene), sent=ids(policy))


ADAPTER = CrashesOnStart()
