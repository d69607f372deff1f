"""Other ways to the same secret: links, renames, /proc, copies by the kernel."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import escape, readable
from conformance.core.attempt import Armed, Attempt, Witness
from conformance.core.scene import Scene
from conformance.core.steps import Steps, link, read, rename, splice, symlink
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds, OutputHolds
from sandbox.policy.rules import Rule, RuleKind

KEY = "$HOME/.ssh/id_ed25519"

HOW: dict[str, tuple[Callable[[Scene], Steps], str]] = {
    "link": (lambda scene: (symlink(KEY, "$WORK/k"), read("$WORK/k")), "a link to the file"),
    "link-directory": (lambda scene: (symlink("$HOME/.ssh", "$WORK/d"), read("$WORK/d/id_ed25519")), "a link to its directory"),
    "rename-directory": (lambda scene: (rename("$HOME/.ssh", "$HOME/x"), read("$HOME/x/id_ed25519")), "its directory under a new name"),
    "rename-out": (lambda scene: (rename("$HOME/.ssh", "$WORK/x"), read("$WORK/x/id_ed25519")), "its directory moved to the work tree"),
    "hard-link": (lambda scene: (link(KEY, "$WORK/k"), read("$WORK/k")), "a hard link made inside"),
    "proc-root": (lambda scene: (read(f"/proc/self/root{scene.host(KEY)}"),), "/proc/self/root"),
    "copy-file-range": (lambda scene: (splice(KEY, "$WORK/copied"),), "copy_file_range into the work tree"),
}


def _attempt(name: str, make: Callable[[Scene], Steps], how: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        canary = scene.nonce()
        scene.put(KEY, f"secret {canary}\n", mode=0o600)
        copied = name == "copy-file-range"
        witness: Witness = FileHolds(scene.host("$WORK/copied"), canary) if copied else OutputHolds(canary)
        return escape(scene, Rule(RuleKind.FS_READ_DENY, "$HOME/.ssh"), make(scene), witness, readable(scene))

    return Attempt(
        title=f"Read a secret through {how}.",
        requirement="A denied file cannot be read by any other name.",
        violates=RuleKind.FS_READ_DENY,
        severity=Severity.CRITICAL,
        arm=arm,
        references=("symlink(7)", "rename(2)", "proc(5)"),
    )


FAMILY = {name: _attempt(name, make, how) for name, (make, how) in HOW.items()}
