"""Keys of .git/config that name a program, each fired by what a person or an editor does on the host."""

from __future__ import annotations

from conformance.attempts.common import beside, denied, fired, sentinel
from conformance.core.attempt import Armed, Attempt, HostTrigger, Need, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import write
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

CONFIG = "$WORK/.git/config"
PROGRAM = "$WORK/tool.sh"

KEYS: dict[str, tuple[str, tuple[str, ...]]] = {
    "fsmonitor": ("[core]\n\tfsmonitor = {program}\n", ("git", "status", "--short")),
    "hooks-path": ("[core]\n\thooksPath = {directory}\n", ("git", "commit", "--quiet", "--allow-empty", "-m", "x")),
    "filter": ('[filter "x"]\n\tclean = {program}\n', ("git", "add", "src/main.py")),
    "diff-external": ("[diff]\n\texternal = {program}\n", ("git", "diff")),
    "editor": ("[core]\n\teditor = {program}\n", ("git", "commit", "--allow-empty", "--allow-empty-message")),
    "gpg-program": ("[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {program}\n", ("git", "commit", "--allow-empty", "-m", "x")),
}


def _attempt(text: str, trigger: tuple[str, ...]) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        script = sentinel(scene, nonce)
        added = text.format(program=scene.host(PROGRAM), directory=scene.host("$WORK/tools"))
        scene.put_directory("$WORK/tools")
        steps = (
            write(PROGRAM, script, executable=True),
            write("$WORK/tools/pre-commit", script, executable=True),
            write("$WORK/.gitattributes", "*.py filter=x\n"),
            write("$WORK/src/main.py", "print('changed')\n"),
            write(CONFIG, added, append=True),
        )
        twin = beside(scene, "$WORK/.git/description", append=True)
        return denied(scene, CONFIG, steps, fired(scene, nonce), twin, after=(HostTrigger(argv=trigger, env={"EDITOR": "true"}),))

    return Attempt(
        title=f"Add a program to .git/config; the host runs `{' '.join(trigger[:2])}` afterwards.",
        requirement="Git configuration that names programs cannot be written: it is a hook by another name.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.CRITICAL,
        arm=arm,
        phases=(PhaseKind.GUEST, PhaseKind.HOST_TRIGGER),
        needs=frozenset((Need.GIT,)),
        references=("git-config(1)", "git-fsmonitor--daemon(1)"),
    )


FAMILY = {name: _attempt(text, trigger) for name, (text, trigger) in KEYS.items()}
