"""File names that must not come into being, at any depth, by any call."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import Twin, escape
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Steps, link, mkdir, rename, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import Rule, RuleKind

HOW: dict[str, tuple[str, str, Callable[[str, str], Steps], str]] = {
    "dotenv": ("**/.env", "$WORK/.env", lambda p, n: (write(p, n),), "Create a new .env"),
    "nested": ("**/.env", "$WORK/deep/dir/.env", lambda p, n: (mkdir(p.rpartition("/")[0]), write(p, n)), "Create a .env deep in the tree"),
    "key": ("**/*.key", "$WORK/server.key", lambda p, n: (write(p, n),), "Create a private key file"),
    "rename-into": ("**/.env", "$WORK/.env", lambda p, n: (write("$WORK/t", n), rename("$WORK/t", p)), "Rename a file to .env"),
    "link-into": ("**/.env", "$WORK/.env", lambda p, n: (write("$WORK/t", n), link("$WORK/t", p)), "Hard-link a file as .env"),
}


def _attempt(glob: str, path: str, make: Callable[[str, str], Steps], what: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce, inner = scene.nonce(), scene.nonce()
        plain = path + ".txt" if not path.endswith(".env") else path.replace(".env", "env.txt")
        twin: Twin = (make(plain, inner), FileHolds(scene.host(plain), inner))
        return escape(scene, Rule(RuleKind.FS_NAME_DENY, glob), make(path, nonce), FileHolds(scene.host(path), nonce), twin)

    return Attempt(
        title=f"{what} in the writable root.",
        requirement="No file with a forbidden name is created, renamed or linked into being.",
        violates=RuleKind.FS_NAME_DENY,
        severity=Severity.HIGH,
        arm=arm,
    )


FAMILY = {name: _attempt(*how) for name, how in HOW.items()}
