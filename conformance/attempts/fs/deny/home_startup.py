"""Files of the home directory that the host's next shell runs."""

from __future__ import annotations

from conformance.attempts.common import denied, fired, sentinel
from conformance.core.attempt import Armed, Attempt, HostTrigger, Need, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import mkdir, write
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

FILES: dict[str, tuple[str, HostTrigger]] = {
    "bashrc": ("$HOME/.bashrc", HostTrigger(argv=("bash", "-i", "-c", "true"))),
    "bash-profile": ("$HOME/.bash_profile", HostTrigger(argv=("bash", "-l", "-c", "true"))),
    "profile": ("$HOME/.profile", HostTrigger(argv=("sh", "-l", "-c", "true"))),
    "local-bin": (
        "$HOME/.local/bin/git",
        HostTrigger(argv=("/bin/sh", "-c", 'PATH="$HOME/.local/bin:$PATH"; git --version')),
    ),
}


def _attempt(path: str, trigger: HostTrigger) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        steps = (mkdir(path.rpartition("/")[0]), write(path, sentinel(scene, nonce), executable=True))
        return denied(scene, path, steps, fired(scene, nonce), after=(trigger,))

    return Attempt(
        title=f"Write {path.replace('$HOME', '~')}; the host starts a shell afterwards.",
        requirement="Nothing that a later shell of the person would run can be planted in the home directory.",
        violates=RuleKind.FS_WRITE_DENY,
        severity=Severity.CRITICAL,
        arm=arm,
        phases=(PhaseKind.GUEST, PhaseKind.HOST_TRIGGER),
        needs=frozenset((Need.BASH,)),
        references=("bash(1)", "profile(5)"),
    )


FAMILY = {name: _attempt(path, trigger) for name, (path, trigger) in FILES.items()}
