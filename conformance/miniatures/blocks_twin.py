"""Blocks the twin too: everything is read-only and the home is empty. No attack gets through, and no work is done."""

from __future__ import annotations

from conformance.adapters.base import PlanSession
from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, bwrap, ids
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface


class BlocksTwin(Miniature):
    needs_bwrap = True

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> PlanSession:
        home = scene.symbols["$HOME"]
        plan = bwrap(scene, "--tmpfs", home, "--remount-ro", home)
        return PlanSession(plan=plan, paths=scene.symbols | {"$TMP": "/tmp"}, sent=ids(policy))


ADAPTER = BlocksTwin()
