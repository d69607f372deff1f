"""A denied file that exists: every way to change what the host will read there."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import Twin, denied
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Steps, chmod, link, rename, truncate, unlink, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds, TreeChanged
from sandbox.policy.rules import RuleKind

FILE = "$WORK/.mcp.json"

CONTENT: dict[str, tuple[Callable[[str, str], Steps], str]] = {
    "overwrite": (lambda path, nonce: (write(path, nonce),), "Overwrite"),
    "append": (lambda path, nonce: (write(path, nonce, append=True),), "Append to"),
    "rename-over": (lambda path, nonce: (write("$WORK/t.tmp", nonce), rename("$WORK/t.tmp", path)), "Save atomically over"),
    "unlink-create": (lambda path, nonce: (unlink(path), write(path, nonce)), "Remove and create again"),
    "new-alias": (lambda path, nonce: (link(path, path + "2"), write(path + "2", nonce)), "Hard-link and write through the link to"),
}

BARE: dict[str, tuple[Callable[[str], Steps], str]] = {
    "chmod": (lambda path: (chmod(path, 0o755),), "Change the mode of"),
    "truncate": (lambda path: (truncate(path, 1),), "Truncate"),
    "unlink": (lambda path: (unlink(path),), "Remove"),
    "rename-away": (lambda path: (rename(path, path + ".away"),), "Rename"),
}


def _attempt(how: str, arm: Callable[[Scene], Armed]) -> Attempt:
    return Attempt(
        title=f"{how} a denied file that exists.",
        requirement="A denied file keeps its content, its mode and its name.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.HIGH,
        arm=arm,
        references=("open(2)", "rename(2)", "link(2)"),
    )


def _content(make: Callable[[str, str], Steps]) -> Callable[[Scene], Armed]:
    def arm(scene: Scene) -> Armed:
        nonce, inner = scene.nonce(), scene.nonce()
        scene.put(FILE, "{}\n")
        scene.put("$WORK/plain.json", "{}\n")
        twin: Twin = (make("$WORK/plain.json", inner), FileHolds(scene.host("$WORK/plain.json"), inner))
        return denied(scene, FILE, make(FILE, nonce), FileHolds(scene.host(FILE), nonce), twin)

    return arm


def _bare(make: Callable[[str], Steps]) -> Callable[[Scene], Armed]:
    def arm(scene: Scene) -> Armed:
        held, plain = scene.put(FILE, "{ }\n"), scene.put("$WORK/plain.json", "{ }\n")
        twin: Twin = (make("$WORK/plain.json"), TreeChanged(plain))
        return denied(scene, FILE, make(FILE), TreeChanged(held), twin)

    return arm


FAMILY = {name: _attempt(how, _content(make)) for name, (make, how) in CONTENT.items()} | {
    name: _attempt(how, _bare(make)) for name, (make, how) in BARE.items()
}
