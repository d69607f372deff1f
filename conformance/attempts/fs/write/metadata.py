"""Changes that carry no content: mode, times, size, extended attributes."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import Twin, confine
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Step, chmod, setxattr, truncate, utime
from conformance.core.words import Severity
from conformance.witnesses.files import TreeChanged
from sandbox.policy.rules import RuleKind

HOW: dict[str, tuple[Callable[[str], Step], str, Severity]] = {
    "chmod": (lambda path: chmod(path, 0o600), "Change the mode of", Severity.MEDIUM),
    "utime": (lambda path: utime(path, 1_000_000_000), "Back-date", Severity.LOW),
    "truncate": (lambda path: truncate(path, 3), "Truncate by path", Severity.HIGH),
    "xattr": (lambda path: setxattr(path, "x"), "Set an extended attribute of", Severity.MEDIUM),
}


def _attempt(make: Callable[[str], Step], how: str, severity: Severity) -> Attempt:
    def arm(scene: Scene) -> Armed:
        outside, inside = scene.put("$HOME/data.txt", "old old old"), scene.put("$WORK/data.txt", "old old old")
        twin: Twin = ((make("$WORK/data.txt"),), TreeChanged(inside))
        return confine(scene, make("$HOME/data.txt"), TreeChanged(outside), twin)

    return Attempt(
        title=f"{how} a file in the home directory.",
        requirement="Nothing about a file outside the writable roots can be changed.",
        violates=RuleKind.FS_CONFINE,
        severity=severity,
        arm=arm,
        references=("inode(7)",),
    )


FAMILY = {name: _attempt(make, how, severity) for name, (make, how, severity) in HOW.items()}
