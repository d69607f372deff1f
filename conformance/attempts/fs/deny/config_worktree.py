"""The second configuration file of a repository, which exists only once something writes it."""

from __future__ import annotations

from conformance.attempts.common import beside, denied, fired, sentinel
from conformance.core.attempt import Armed, Attempt, HostTrigger, Need, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import write
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

TARGET = "$WORK/.git/config.worktree"


def arm(scene: Scene) -> Armed:
    nonce = scene.nonce()
    scene.git("config", "extensions.worktreeConfig", "true")
    steps = (
        write("$WORK/tool.sh", sentinel(scene, nonce), executable=True),
        write(TARGET, f"[core]\n\tfsmonitor = {scene.host('$WORK/tool.sh')}\n"),
    )
    twin = beside(scene, "$WORK/.git/beside.txt")
    return denied(scene, TARGET, steps, fired(scene, nonce), twin, after=(HostTrigger(argv=("git", "status")),))


ATTEMPT = Attempt(
    title="Create .git/config.worktree with a program in it; the host runs `git status` afterwards.",
    requirement="Every file that git reads as configuration is held, also one that does not exist yet.",
    violates=RuleKind.FS_WRITE_DENY,
    severity=Severity.CRITICAL,
    arm=arm,
    phases=(PhaseKind.GUEST, PhaseKind.HOST_TRIGGER),
    needs=frozenset((Need.GIT,)),
    references=("git-worktree(1)", "git-config(1)"),
)
