"""Writes that leave the root through a symbolic link planted in it."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import beside, confine
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Steps, symlink, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import RuleKind


def _existing(scene: Scene, nonce: str) -> tuple[Steps, str]:
    scene.put("$OUT/target.txt", "old")
    return (symlink("$OUT/target.txt", "$WORK/a"), write("$WORK/a", nonce)), "$OUT/target.txt"


def _dangling(scene: Scene, nonce: str) -> tuple[Steps, str]:
    return (symlink("$OUT/new.txt", "$WORK/a"), write("$WORK/a", nonce)), "$OUT/new.txt"


def _parent(scene: Scene, nonce: str) -> tuple[Steps, str]:
    return (symlink("$OUT", "$WORK/a"), write("$WORK/a/new.txt", nonce)), "$OUT/new.txt"


def _relative(scene: Scene, nonce: str) -> tuple[Steps, str]:
    return (symlink("../out/new.txt", "$WORK/a"), write("$WORK/a", nonce)), "$OUT/new.txt"


def _chain(scene: Scene, nonce: str) -> tuple[Steps, str]:
    links = tuple(symlink(f"a{i + 1}", f"$WORK/a{i}") for i in range(12))
    return (*links, symlink("$OUT/new.txt", "$WORK/a12"), write("$WORK/a0", nonce)), "$OUT/new.txt"


def _planted(scene: Scene, nonce: str) -> tuple[Steps, str]:
    scene.host("$WORK/assets").symlink_to(scene.host("$OUT"))
    return (write("$WORK/assets/new.txt", nonce),), "$OUT/new.txt"


HOW: dict[str, tuple[Callable[[Scene, str], tuple[Steps, str]], str]] = {
    "existing": (_existing, "a link to an existing outside file"),
    "dangling": (_dangling, "a link to an outside name that does not exist yet"),
    "parent": (_parent, "a link in the middle of the path"),
    "relative": (_relative, "a relative link that climbs out"),
    "chain": (_chain, "a chain of thirteen links"),
    "already-there": (_planted, "a link that lay in the tree before the run"),
}


def _attempt(make: Callable[[Scene, str], tuple[Steps, str]], what: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        steps, target = make(scene, nonce)
        inner, witness = beside(scene, "$WORK/inside.txt")
        twin = ((symlink("inside.txt", "$WORK/b"), write("$WORK/b", inner[0].args["data"]))), witness  # type: ignore[arg-type]
        return confine(scene, steps, FileHolds(scene.host(target), nonce), twin, touches=("$WORK/inside.txt", target))

    return Attempt(
        title=f"Write through {what}.",
        requirement="A link inside a writable root does not make what it points at writable.",
        violates=RuleKind.FS_CONFINE,
        severity=Severity.CRITICAL,
        arm=arm,
        references=("symlink(7)", "path_resolution(7)"),
    )


FAMILY = {name: _attempt(make, what) for name, (make, what) in HOW.items()}
