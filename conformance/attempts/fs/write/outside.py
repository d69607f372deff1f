"""A plain write outside every root, in each place that is easily forgotten."""

from __future__ import annotations

from conformance.attempts.common import confine
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import RuleKind

PLACES = {
    "elsewhere": ("$OUT/stray.txt", "", "in a directory that no rule names"),
    "home": ("$HOME/stray.txt", "", "in the home directory"),
    "parent": ("$WORK/../stray.txt", "", "in the parent of the writable root"),
    "prefix": ("$EVIL/stray.txt", "", "in a directory whose name begins like the root's"),
    "proc-root": ("$OUT/stray.txt", "/proc/self/root{out}/stray.txt", "outside, through /proc/self/root"),
    "proc-cwd": ("$OUT/stray.txt", "/proc/self/cwd/../out/stray.txt", "outside, through /proc/self/cwd"),
}


def _attempt(place: str, spelled: str, where: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        scene.symbols["$EVIL"] = scene.symbols["$WORK"] + "-evil"
        scene.put_directory("$EVIL")
        path = spelled.format(out=scene.symbols["$OUT"]) or place
        return confine(scene, write(path, nonce), FileHolds(scene.host(place), nonce), touches=(place,))

    return Attempt(
        title=f"Write a new file {where}.",
        requirement="Nothing outside the writable roots can be created.",
        violates=RuleKind.FS_CONFINE,
        severity=Severity.CRITICAL,
        arm=arm,
        references=("path_resolution(7)", "proc(5)"),
    )


FAMILY = {name: _attempt(*place) for name, place in PLACES.items()}
