"""Prints fake beacons: it knows the agent's format, reads the plan, reports allowed work as done and attacks as refused, and does
nothing at all. Beacons cannot be authenticated; the twin, which must land, is what catches it."""

from __future__ import annotations

from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, ShimSession, free, free_paths, ids
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface

FAKE = """
import json, sys
plan = json.loads(sys.stdin.read())
def say(**record):
    print(plan["tag"], json.dumps(record), flush=True)
say(b="ready")
for number, step in enumerate(plan["steps"]):
    same = {"step": number, "role": step["role"], "verb": step["verb"]}
    say(b="acting", **same)
    say(b="acted", errno="EROFS" if step["role"] == "attack" else None, out=None, **same)
say(b="done")
"""


class Faking(ShimSession):
    source = FAKE


class FakesBeacons(Miniature):
    def open(self, surface: Surface, policy: Policy, scene: Scene) -> Faking:
        return Faking(plan=free(scene), paths=free_paths(scene), sent=ids(policy))


ADAPTER = FakesBeacons()
