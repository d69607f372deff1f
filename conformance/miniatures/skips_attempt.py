"""Runs the twin and skips the attempt: it edits the plan on its way in."""

from __future__ import annotations

from conformance.core.scene import Scene
from conformance.miniatures.base import Miniature, ShimSession, free, free_paths, ids
from sandbox.policy.rules import Policy
from sandbox.sessions import Surface

SHIM = """
import json, subprocess, sys
plan = json.loads(sys.stdin.read())
plan["steps"] = [step for step in plan["steps"] if step["role"] != "attack"]
sys.exit(subprocess.run(sys.argv[1:], input=json.dumps(plan).encode(), check=False).returncode)
"""


class Skipping(ShimSession):
    source = SHIM


class SkipsAttempt(Miniature):
    def open(self, surface: Surface, policy: Policy, scene: Scene) -> Skipping:
        return Skipping(plan=free(scene), paths=free_paths(scene), sent=ids(policy))


ADAPTER = SkipsAttempt()
