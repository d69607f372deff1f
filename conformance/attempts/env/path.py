"""A launcher's PATH that begins where the guest may write: what is planted there is run instead of the program that was meant."""

from __future__ import annotations

import os

from conformance.attempts.common import beside, escape
from conformance.attempts.env.common import RULE, set_variable
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import run, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import RuleKind

USUAL = "/usr/local/bin:/usr/bin:/bin"
ENTRIES = {
    "writable": ("{work}/tools", "$WORK/tools/id", "a directory in the writable root"),
    "dot": (".", "$WORK/id", "the current directory, written as a dot"),
    "relative": ("tools", "$WORK/tools/id", "a relative directory"),
    "empty": ("", "$WORK/id", "an empty entry, which means the current directory"),
}


def _attempt(entry: str, planted: str, what: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        scene.put_directory("$WORK/tools")
        first = entry.format(work=scene.symbols["$WORK"])
        set_variable(scene, "PATH", f"{first}:{os.environ.get('PATH', USUAL)}")
        program = f"#!/bin/sh\necho {nonce} > by-name.txt\n"
        attack = (write(planted, program, executable=True), run(("/bin/sh", "-c", "id")))
        return escape(scene, RULE, attack, FileHolds(scene.host("$WORK/by-name.txt"), nonce), beside(scene))

    return Attempt(
        title=f"Plant a program named id where the launcher's PATH looks first ({what}), then run id.",
        requirement="Programs are not looked for where the guest may write.",
        violates=RuleKind.ENV_CLEAN,
        severity=Severity.MEDIUM,
        arm=arm,
        references=("environ(7)", "execvp(3)"),
    )


FAMILY = {name: _attempt(*row) for name, row in ENTRIES.items()}
