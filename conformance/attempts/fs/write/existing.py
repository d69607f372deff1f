"""Changes to the content of a file outside that exists already."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import Twin, confine
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Step, reopen_write, splice, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import RuleKind


def _overwrite(path: str, nonce: str) -> Step:
    return write(path, nonce)


def _append(path: str, nonce: str) -> Step:
    return write(path, nonce, append=True)


def _reopen(path: str, nonce: str) -> Step:
    return reopen_write(path, nonce)


HOW: dict[str, tuple[Callable[[str, str], Step], str]] = {
    "overwrite": (_overwrite, "Truncate and overwrite"),
    "append": (_append, "Append to"),
    "reopen": (_reopen, "Open read-only, reopen through /proc/self/fd for writing, and write to"),
}


def _attempt(make: Callable[[str, str], Step], how: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce, inner = scene.nonce(), scene.nonce()
        scene.put("$HOME/data.txt", "old old old old old")
        scene.put("$WORK/data.txt", "old old old old old")
        twin: Twin = ((make("$WORK/data.txt", inner),), FileHolds(scene.host("$WORK/data.txt"), inner))
        return confine(scene, make("$HOME/data.txt", nonce), FileHolds(scene.host("$HOME/data.txt"), nonce), twin)

    return Attempt(
        title=f"{how} a file in the home directory.",
        requirement="Nothing outside the writable roots can be changed.",
        violates=RuleKind.FS_CONFINE,
        severity=Severity.CRITICAL,
        arm=arm,
        references=("open(2)", "proc(5)"),
    )


def _splice(scene: Scene) -> Armed:
    nonce, inner = scene.nonce(), scene.nonce()
    scene.put("$WORK/source.txt", nonce)
    scene.put("$WORK/source2.txt", inner)
    twin: Twin = ((splice("$WORK/source2.txt", "$WORK/copy.txt"),), FileHolds(scene.host("$WORK/copy.txt"), inner))
    return confine(scene, splice("$WORK/source.txt", "$HOME/copy.txt"), FileHolds(scene.host("$HOME/copy.txt"), nonce), twin)


FAMILY = {name: _attempt(make, how) for name, (make, how) in HOW.items()} | {
    "copy-file-range": Attempt(
        title="Copy a file into the home directory with copy_file_range(2).",
        requirement="Nothing outside the writable roots can be created, by whichever call.",
        violates=RuleKind.FS_CONFINE,
        severity=Severity.HIGH,
        arm=_splice,
        references=("copy_file_range(2)",),
    )
}
