"""Secrets that lie in the work tree itself."""

from __future__ import annotations

from conformance.attempts.common import readable, secret
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Steps, link, read, rename
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

FILE, DIRECTORY = "$WORK/conf/secret.env", "$WORK/conf/secrets"

HOW: dict[str, tuple[str, Steps, str]] = {
    "file": (FILE, (read(FILE),), "a file"),
    "directory": (DIRECTORY, (read(f"{DIRECTORY}/token"),), "a file in a hidden directory"),
    "rename-parent": (FILE, (rename("$WORK/conf", "$WORK/conf2"), read("$WORK/conf2/secret.env")), "a file after renaming its parent"),
    "rename-directory": (DIRECTORY, (rename(DIRECTORY, "$WORK/s"), read("$WORK/s/token")), "a file after renaming the hidden directory"),
    "hard-link": (FILE, (link(FILE, "$WORK/k"), read("$WORK/k")), "a file by a hard link made inside"),
}


def _attempt(target: str, attack: Steps, what: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        canary = scene.nonce()
        scene.put(FILE, f"secret {canary}\n")
        scene.put(f"{DIRECTORY}/token", f"secret {canary}\n")
        return secret(scene, target, attack, canary, readable(scene, "$WORK/conf/plain.txt"))

    return Attempt(
        title=f"Read {what} that is hidden inside the writable root.",
        requirement="A read-denied path inside a writable root stays hidden, whatever is renamed around it.",
        violates=RuleKind.FS_READ_DENY,
        severity=Severity.HIGH,
        arm=arm,
        references=("rename(2)",),
    )


FAMILY: dict[str, Attempt] = {name: _attempt(*how) for name, how in HOW.items()}
