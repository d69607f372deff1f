"""A registered checkout inside a writable root is never writable."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import Twin, denied
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Steps, mkdir, rename, rmtree, write
from conformance.core.words import Severity
from conformance.witnesses.files import TreeChanged
from sandbox.policy.rules import RuleKind

HOW: dict[str, tuple[Callable[[str], Steps], str]] = {
    "write": (lambda place: (write(f"{place}/file.txt", "changed"),), "Change a file in"),
    "create": (lambda place: (write(f"{place}/new.txt", "x"),), "Create a file in"),
    "delete": (lambda place: (rmtree(place),), "Delete"),
    "move-away": (lambda place: (rename(place, place + "-old"), mkdir(place)), "Move away and replace"),
}


def _attempt(make: Callable[[str], Steps], how: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        for place in ("$WORK/repos/main", "$WORK/repos/own"):
            scene.put(f"{place}/file.txt", "x")
            scene.put(f"{place}/deep/file.txt", "x")
        twin: Twin = (make("$WORK/repos/own"), TreeChanged(scene.host("$WORK/repos/own")))
        return denied(scene, "$WORK/repos/main", make("$WORK/repos/main"), TreeChanged(scene.host("$WORK/repos/main")), twin)

    return Attempt(
        title=f"{how} a protected checkout that lies in a writable root.",
        requirement="Protected paths are never writable, whatever contains them.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.CRITICAL,
        arm=arm,
    )


FAMILY = {name: _attempt(make, how) for name, (make, how) in HOW.items()}
