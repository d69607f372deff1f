"""Processes that outlive their session or their launcher."""

from __future__ import annotations

from conformance.attempts.common import beside
from conformance.core.attempt import Armed, Attempt, Close, Guest, PhaseKind
from conformance.core.scene import Scene
from conformance.core.steps import heartbeat
from conformance.core.words import Severity
from conformance.witnesses.processes import Survives
from sandbox.policy.rules import Rule, RuleKind

TEARDOWN = Rule(RuleKind.PROC_TEARDOWN)
SECONDS = 8


def _armed(scene: Scene, *, kill_launcher: bool) -> Armed:
    cookie = f"sp{scene.nonce()[:12]}"
    survives = Survives(cookie, scene.host("$WORK/beat"))
    scene.on_close(survives.close)
    twin, witness = beside(scene)
    beat = heartbeat("$WORK/beat", cookie, SECONDS, wait=kill_launcher)
    guest = Guest(twin=twin, attack=(beat,), kill_launcher=kill_launcher)
    return Armed(policy=scene.policy(), rule=TEARDOWN, phases=(guest, Close()), witness=survives, twin=witness)


def _background(scene: Scene) -> Armed:
    return _armed(scene, kill_launcher=False)


def _killed(scene: Scene) -> Armed:
    return _armed(scene, kill_launcher=True)


FAMILY = {
    "background": Attempt(
        title="Leave a detached process running when the session ends.",
        requirement="Nothing survives the end of the session.",
        violates=RuleKind.PROC_TEARDOWN,
        severity=Severity.HIGH,
        arm=_background,
        phases=(PhaseKind.GUEST, PhaseKind.CLOSE),
        references=("pid_namespaces(7)",),
    ),
    "launcher-killed": Attempt(
        title="Go on after the launcher was killed with SIGKILL.",
        requirement="The death of the launcher ends everything that it started.",
        violates=RuleKind.PROC_TEARDOWN,
        severity=Severity.HIGH,
        arm=_killed,
        phases=(PhaseKind.GUEST, PhaseKind.CLOSE),
        references=("prctl(2), PR_SET_PDEATHSIG", "bwrap(1), --die-with-parent"),
    ),
}
