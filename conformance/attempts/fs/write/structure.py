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

HOW: dict[str, tuple[Callable[[str], Step], str, Severity]] = {
    "mkdir": (lambda place: mkdir(f"{place}/made"), "Make a directory", Severity.HIGH),
    "mkfifo": (lambda place: mkfifo(f"{place}/made"), "Make a FIFO", Severity.MEDIUM),
    "symlink": (lambda place: symlink("/nonexistent", f"{place}/made"), "Make a symbolic link", Severity.HIGH),
    "unlink": (lambda place: unlink(f"{place}/victim.txt"), "Remove a file", Severity.CRITICAL),
    "rmtree": (lambda place: rmtree(f"{place}/tree"), "Remove a small tree", Severity.CRITICAL),
    "rename": (lambda place: rename(f"{place}/victim.txt", f"{place}/moved.txt"), "Rename a file", Severity.HIGH),
    "rename-into": (lambda place: rename("$WORK/own.txt", f"{place}/moved.txt"), "Move a file of the work tree", Severity.CRITICAL),
    "link-into": (lambda place: link("$WORK/own.txt", f"{place}/linked.txt"), "Hard-link a file of the work tree", Severity.HIGH),
    "otmpfile": (lambda place: otmpfile(place, f"{place}/made.txt", "x"), "Give a nameless file a name", Severity.HIGH),
}


def _attempt(make: Callable[[str], Step], how: str, severity: Severity) -> Attempt:
    def arm(scene: Scene) -> Armed:
        for place in ("$HOME/place", "$WORK/place"):
            scene.put(f"{place}/victim.txt", "x")
            scene.put(f"{place}/tree/leaf.txt", "x")
        scene.put("$WORK/own.txt", "x")
        scene.put("$WORK/place/own.txt", "x")
        twin: Twin = ((make("$WORK/place"),), TreeChanged(scene.host("$WORK/place")))
        # The twin may use up the file that the attack moves.
        again = (link("$WORK/place/own.txt", "$WORK/own.txt"),) if "own.txt" in str(twin[0][0].args) else ()
        return confine(scene, (*again, make("$HOME/place")), TreeChanged(scene.host("$HOME/place")), twin)

    return Attempt(
        title=f"{how} outside the roots.",
        requirement="Nothing outside the writable roots can be created, renamed or removed.",
        violates=RuleKind.FS_CONFINE,
        severity=severity,
        arm=arm,
        references=("rename(2)", "link(2)", "unlink(2)", "open(2)"),
    )


FAMILY = {name: _attempt(make, how, severity) for name, (make, how, severity) in HOW.items()}
