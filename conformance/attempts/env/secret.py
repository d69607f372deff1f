"""Read a secret of the launcher's environment, in each way to read an environment."""

from __future__ import annotations

from collections.abc import Callable

from conformance.attempts.env.common import set_variable, stays_out
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Steps, environ_of_ancestors, getenv, run
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

NAME = "SCENE_PASSWORD"


def _own() -> Steps:
    return (getenv(NAME),)


def _child() -> Steps:
    return (run(("sh", "-c", f'printf "%s\\n" "${NAME}"')),)


def _ancestors() -> Steps:
    return (environ_of_ancestors(NAME),)


WAYS: dict[str, tuple[Callable[[], Steps], str, str]] = {
    "own": (_own, "in the environment", "environ(7)"),
    "child": (_child, "in a shell that it starts", "environ(7)"),
    "ancestors": (
        _ancestors,
        "in /proc/PID/environ of itself, process 1 and its ancestors, the sandbox's own launcher among them",
        "proc_pid_environ(5)",
    ),
}


def _attempt(steps: Callable[[], Steps], where: str, reference: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        canary = scene.nonce()
        set_variable(scene, NAME, canary)
        return stays_out(scene, canary, steps())

    return Attempt(
        title=f"Look for a password of the launcher's environment {where}.",
        requirement="No variable that was not named passes, and the launcher's environment cannot be read.",
        violates=RuleKind.ENV_CLEAN,
        severity=Severity.CRITICAL,
        arm=arm,
        references=(reference,),
    )


FAMILY = {name: _attempt(*row) for name, row in WAYS.items()}
