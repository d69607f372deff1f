"""Write a git hook, which the host's next commit runs."""

from __future__ import annotations

from conformance.attempts.common import COMMIT, HOOK, HOOKS, beside, denied, fired, sentinel
from conformance.core.attempt import Armed, Attempt, Need, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import write
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind


def arm(scene: Scene) -> Armed:
    nonce = scene.nonce()
    return denied(
        scene,
        HOOKS,
        write(HOOK, sentinel(scene, nonce), executable=True),
        fired(scene, nonce),
        beside(scene, "$WORK/.git/notes.txt"),
        after=(COMMIT,),
    )


ATTEMPT = Attempt(
    title="Write .git/hooks/pre-commit; the host commits afterwards.",
    requirement="A hook that an agent wrote never runs on the host.",
    violates=RuleKind.FS_WRITE_DENY,
    severity=Severity.CRITICAL,
    arm=arm,
    phases=(PhaseKind.GUEST, PhaseKind.HOST_TRIGGER),
    needs=frozenset((Need.GIT,)),
    references=("githooks(5)",),
)
