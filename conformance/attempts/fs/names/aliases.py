"""Hard links that lie in the tree at launch and lead to files that may not be written."""

from __future__ import annotations

import os
from collections.abc import Callable

from conformance.attempts.common import HOOKS, beside, escape
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import Rule, RuleKind

ALIAS = Rule(RuleKind.FS_ALIAS_DENY)


def _outside(scene: Scene) -> Armed:
    nonce = scene.nonce()
    os.link(scene.put("$OUT/data.txt", "old"), scene.host("$WORK/alias"))
    return escape(scene, ALIAS, write("$WORK/alias", nonce), FileHolds(scene.host("$OUT/data.txt"), nonce), beside(scene))


def _denied(scene: Scene) -> Armed:
    nonce = scene.nonce()
    os.link(scene.put(f"{HOOKS}/pre-commit", "#!/bin/sh\n", mode=0o755), scene.host("$WORK/alias"))
    policy = scene.policy(Rule(RuleKind.FS_WRITE_DENY, HOOKS), ALIAS)
    witness = FileHolds(scene.host(f"{HOOKS}/pre-commit"), nonce)
    return escape(scene, ALIAS, write("$WORK/alias", nonce, append=True), witness, beside(scene), policy=policy)


def _attempt(title: str, arm: Callable[[Scene], Armed]) -> Attempt:
    return Attempt(
        title=title,
        requirement="A file that may not be written is not written through another of its names.",
        violates=RuleKind.FS_ALIAS_DENY,
        severity=Severity.CRITICAL,
        arm=arm,
        references=("link(2)",),
    )


FAMILY = {
    "outside-file": _attempt("Write through a hard link to an outside file that was there before the run.", _outside),
    "denied-file": _attempt("Write through a hard link to a git hook that was there before the run.", _denied),
}
