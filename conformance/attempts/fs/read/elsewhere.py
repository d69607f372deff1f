"""Files that no rule names, and the scratch of other sessions."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import beside, escape, readable
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import read, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds, OutputHolds
from sandbox.policy.rules import Rule, RuleKind


def _outside(scene: Scene) -> Armed:
    canary = scene.nonce()
    scene.put("$OUT/secret.txt", f"secret {canary}\n")
    return escape(scene, Rule(RuleKind.FS_READ_CONFINE), read("$OUT/secret.txt"), OutputHolds(canary), readable(scene))


def _listing(scene: Scene) -> Armed:
    canary = scene.nonce()
    scene.put(f"$OUT/name-{canary}", "")
    return escape(scene, Rule(RuleKind.FS_READ_CONFINE), read("$OUT"), OutputHolds(canary), readable(scene))


def _other_read(scene: Scene) -> Armed:
    canary = scene.nonce()
    scene.other_session()
    scene.put("$OTHER/token", f"secret {canary}\n")
    return escape(scene, Rule(RuleKind.FS_SCRATCH_PRIVATE), read("$OTHER/token"), OutputHolds(canary), readable(scene))


def _other_write(scene: Scene) -> Armed:
    nonce = scene.nonce()
    scene.other_session()
    return escape(
        scene,
        Rule(RuleKind.FS_SCRATCH_PRIVATE),
        write("$OTHER/planted", nonce),
        FileHolds(scene.host("$OTHER/planted"), nonce),
        beside(scene),
    )


def _attempt(title: str, requirement: str, kind: RuleKind, severity: Severity, arm: Callable[[Scene], Armed]) -> Attempt:
    return Attempt(title=title, requirement=requirement, violates=kind, severity=severity, arm=arm)


SEEN = "Only system directories and the named roots can be seen."
PRIVATE = "Scratch belongs to one session: no other session's files are there."

FAMILY = {
    "outside-file": _attempt("Read a file outside every root.", SEEN, RuleKind.FS_READ_CONFINE, Severity.MEDIUM, _outside),
    "outside-names": _attempt("List a directory outside every root.", SEEN, RuleKind.FS_READ_CONFINE, Severity.LOW, _listing),
    "other-session": _attempt(
        "Read another session's file in the host's scratch.", PRIVATE, RuleKind.FS_SCRATCH_PRIVATE, Severity.HIGH, _other_read
    ),
    "other-session-write": _attempt(
        "Write into another session's place in the host's scratch.", PRIVATE, RuleKind.FS_SCRATCH_PRIVATE, Severity.HIGH, _other_write
    ),
}
