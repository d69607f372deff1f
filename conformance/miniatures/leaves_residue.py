"""Leaves residue: it confines, and when it closes it leaves a file of its own in the person's work tree."""

from __future__ import annotations

from pathlib import Path

from conformance.adapters.base import PlanSession
from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, confined, ids
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface

LEFT = "sandbox.log"


class Littering(PlanSession):
    def close(self) -> None:
        PlanSession.close(self)
        Path(self.paths["$WORK"], LEFT).write_text("done\n", encoding="utf-8")


class LeavesResidue(Miniature):
    needs_bwrap = True

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> Littering:
        return Littering(plan=confined(policy, scene), paths=scene.symbols | {"$TMP": "/tmp"}, sent=ids(policy))


ADAPTER = LeavesResidue()
