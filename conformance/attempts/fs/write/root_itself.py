"""Move the writable root itself out of the way."""

from __future__ import annotations

from conformance.attempts.common import Twin, confine
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import mkdir, rename
from conformance.core.words import Severity
from conformance.witnesses.files import Exists
from sandbox.policy.rules import RuleKind


def arm(scene: Scene) -> Armed:
    scene.symbols["$MOVED"] = str(scene.base / "moved")
    twin: Twin = ((mkdir("$WORK/pkg"), rename("$WORK/pkg", "$WORK/pkg2")), Exists(scene.host("$WORK/pkg2")))
    return confine(scene, rename("$WORK", "$MOVED"), Exists(scene.host("$MOVED")), twin)


ATTEMPT = Attempt(
    title="Rename the writable root.",
    requirement="The root stays where the host put it: a later launch would bind whatever lies there.",
    violates=RuleKind.FS_CONFINE,
    severity=Severity.HIGH,
    arm=arm,
    references=("rename(2)",),
)
