"""In a reviewing mode the work tree is read-only; only the runner's own state may be written."""

from __future__ import annotations

from conformance.attempts.common import beside, escape
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import Rule, RuleKind


def arm(scene: Scene) -> Armed:
    nonce = scene.nonce()
    return escape(
        scene,
        Rule(RuleKind.FS_CONFINE),
        write("$WORK/src/main.py", nonce),
        FileHolds(scene.host("$WORK/src/main.py"), nonce),
        beside(scene, "$STATE/state.json"),
        policy=scene.policy(writable=("$STATE",)),
    )


ATTEMPT = Attempt(
    title="Change a source file in a mode whose work tree is read-only.",
    requirement="In review, plan and orchestrate the bind mounts are read-only, the runner's state is not.",
    violates=RuleKind.FS_CONFINE,
    severity=Severity.HIGH,
    arm=arm,
)
