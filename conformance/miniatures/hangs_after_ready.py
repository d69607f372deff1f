"""Hangs after ready: the guest starts, says so, and then nothing happens until the deadline."""

from __future__ import annotations

from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, ShimSession, free, free_paths, ids
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface

HANG = """
import json, sys, time
plan = json.loads(sys.stdin.read())
print(plan["tag"], json.dumps({"b": "ready"}), flush=True)
time.sleep(60)
"""


class Hanging(ShimSession):
    source = HANG


class HangsAfterReady(Miniature):
    def open(self, surface: Surface, policy: Policy, scene: Scene) -> Hanging:
        return Hanging(plan=free(scene), paths=free_paths(scene), sent=ids(policy))


ADAPTER = HangsAfterReady()
