"""A file that sends git elsewhere for its configuration and hooks."""

from __future__ import annotations

from conformance.attempts.common import beside, escape, fired, sentinel
from conformance.core.attempt import Armed, Attempt, HostTrigger, Need, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import copytree, write
from conformance.core.words import Severity
from sandbox.policy.rules import Rule, RuleKind

PROGRAM = "$WORK/tool.sh"


def _arm(scene: Scene) -> Armed:
    nonce = scene.nonce()
    steps = (
        write(PROGRAM, sentinel(scene, nonce), executable=True),
        copytree("$WORK/.git", "$WORK/evil"),
        write("$WORK/evil/config", f"[core]\n\tfsmonitor = {scene.host(PROGRAM)}\n", append=True),
        write("$WORK/.git/commondir", "../evil\n"),
    )
    rule = Rule(RuleKind.FS_NAME_DENY, "**/.git/commondir")
    status = HostTrigger(argv=("git", "status", "--short"))
    return escape(scene, rule, steps, fired(scene, nonce), beside(scene, "$WORK/.git/description", append=True), after=(status,))


ATTEMPT = Attempt(
    title="Point .git/commondir at a copy of the repository with a program in its configuration; the host runs `git status` afterwards.",
    requirement="Nothing may give git another place for its configuration and hooks: that is a hook by another name.",
    violates=RuleKind.FS_NAME_DENY,
    severity=Severity.CRITICAL,
    arm=_arm,
    phases=(PhaseKind.GUEST, PhaseKind.HOST_TRIGGER),
    needs=frozenset((Need.GIT,)),
    references=("gitrepository-layout(5), commondir",),
)
