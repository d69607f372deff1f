"""Names that appear, move or vanish outside the roots."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import Twin, confine
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Step, link, mkdir, mkfifo, otmpfile, rename, rmtree, symlink, unlink
from conformance.core.words import Severity
from conformance.witnesses.files import TreeChanged
from sandbox.policy.rules import RuleKind

HOW: dict[str, tuple[Callable[[str, str], Step], str, Severity]] = {
    "mkdir": (lambda place, own: mkdir(f"{place}/made"), "Make a directory", Severity.HIGH),
    "mkfifo": (lambda place, own: mkfifo(f"{place}/made"), "Make a FIFO", Severity.MEDIUM),
    "symlink": (lambda place, own: symlink("/nonexistent", f"{place}/made"), "Make a symbolic link", Severity.HIGH),
    "unlink": (lambda place, own: unlink(f"{place}/victim.txt"), "Remove a file", Severity.CRITICAL),
    "rmtree": (lambda place, own: rmtree(f"{place}/tree"), "Remove a small tree", Severity.CRITICAL),
    "rename": (lambda place, own: rename(f"{place}/victim.txt", f"{place}/moved.txt"), "Rename a file", Severity.HIGH),
    "rename-into": (lambda place, own: rename(own, f"{place}/moved.txt"), "Move a file of the work tree", Severity.CRITICAL),
    "link-into": (lambda place, own: link(own, f"{place}/linked.txt"), "Hard-link a file of the work tree", Severity.HIGH),
    "otmpfile": (lambda place, own: otmpfile(place, f"{place}/made.txt", "x"), "Give a nameless file a name", Severity.HIGH),
}


def _attempt(make: Callable[[str, str], Step], how: str, severity: Severity) -> Attempt:
    def arm(scene: Scene) -> Armed:
        for place in ("$HOME/place", "$WORK/place"):
            scene.put(f"{place}/victim.txt", "x")
            scene.put(f"{place}/tree/leaf.txt", "x")
        for own in ("$WORK/own-twin.txt", "$WORK/own.txt"):
            scene.put(own, "x")
        twin: Twin = ((make("$WORK/place", "$WORK/own-twin.txt"),), TreeChanged(scene.host("$WORK/place")))
        return confine(scene, make("$HOME/place", "$WORK/own.txt"), TreeChanged(scene.host("$HOME/place")), twin)

    return Attempt(
        title=f"{how} outside the roots.",
        requirement="Nothing outside the writable roots can be created, renamed or removed.",
        violates=RuleKind.FS_CONFINE,
        severity=severity,
        arm=arm,
        references=("rename(2)", "link(2)", "unlink(2)", "open(2)"),
    )


FAMILY = {name: _attempt(make, how, severity) for name, (make, how, severity) in HOW.items()}
