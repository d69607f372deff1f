"""Descriptors that the launcher left open."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.common import beside, escape, readable
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import fds_read, fds_write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds, OutputHolds
from sandbox.policy.rules import Rule, RuleKind

CLOSED = Rule(RuleKind.PROC_FD_CLOSE)


def _write_file(scene: Scene) -> Armed:
    nonce = scene.nonce()
    path = scene.put("$OUT/log.txt", "old")
    scene.leak_descriptor(path)
    return escape(scene, CLOSED, fds_write(nonce, "unused"), FileHolds(path, nonce), beside(scene), touches=("$OUT",))


def _write_directory(scene: Scene) -> Armed:
    nonce = scene.nonce()
    scene.leak_descriptor(scene.host("$OUT"))
    return escape(
        scene, CLOSED, fds_write(nonce, "made.txt"), FileHolds(scene.host("$OUT/made.txt"), nonce), beside(scene), touches=("$OUT",)
    )


def _read_file(scene: Scene) -> Armed:
    canary = scene.nonce()
    scene.leak_descriptor(scene.put("$OUT/secret.txt", f"secret {canary}\n"))
    return escape(scene, CLOSED, fds_read(), OutputHolds(canary), readable(scene))


def _attempt(title: str, arm: Callable[[Scene], Armed]) -> Attempt:
    return Attempt(
        title=title,
        requirement="Nothing that the launcher has open is inherited.",
        violates=RuleKind.PROC_FD_CLOSE,
        severity=Severity.CRITICAL,
        arm=arm,
        references=("open(2), O_CLOEXEC", "bwrap(1): descriptors are passed on"),
    )


FAMILY = {
    "write-file": _attempt("Write to a file that the launcher left open.", _write_file),
    "create-in-directory": _attempt("Create a file in a directory that the launcher left open.", _write_directory),
    "read-file": _attempt("Read a file that the launcher left open.", _read_file),
}
