"""Swallows writes: what lies outside the work tree, and what is denied inside it, is a private copy. Writes succeed inside and never
reach the host. It hides no secret: a copy of one can be read as well as the original."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from conformance.adapters.base import PlanSession
from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, bwrap, ids
from sandbox.policy.rules import Policy, RuleKind
from sandbox.sessions import Surface


class Swallowing(PlanSession):
    copies: Path

    def close(self) -> None:
        PlanSession.close(self)
        shutil.rmtree(self.copies, ignore_errors=True)


class SwallowsWrites(Miniature):
    needs_bwrap = True

    def open(self, surface: Surface, policy: Policy, scene: Scene) -> Swallowing:
        copies = Path(tempfile.mkdtemp(prefix="copies-", dir=scene.base))
        denied = [scene.host(rule.target) for rule in policy.of(RuleKind.FS_WRITE_DENY) if rule.target.startswith("$")]
        work = scene.symbols["$WORK"]
        mounts = ["--bind", work, work]
        for place in (*(scene.host(symbol) for symbol in ("$HOME", "$OUT", "$STATE")), *denied):
            if place.is_dir():
                copy = copies / str(len(mounts))
                shutil.copytree(place, copy, symlinks=True)
                mounts += ["--bind", str(copy), str(place)]
        session = Swallowing(plan=bwrap(scene, *mounts), paths=scene.symbols | {"$TMP": "/tmp"}, sent=ids(policy))
        session.copies = copies
        return session


ADAPTER = SwallowsWrites()
