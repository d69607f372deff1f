"""Connect to a socket that a host process keeps inside a bound tree. A read-only mount does not stop connect(2)."""

from __future__ import annotations

from conformance.attempts.common import escape
from conformance.attempts.net.common import talks_unix
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import unix
from conformance.core.words import Severity
from conformance.witnesses.listeners import on_path
from sandbox.policy.rules import Rule, RuleKind

PLACES = {
    "work": ("$WORK/s", "the work tree, which is writable"),
    "home": ("$HOME/s", "the home directory, which is readable"),
}


def _attempt(path: str, where: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        listener = on_path(scene.host(path), nonce)
        scene.keep_open(listener.sock)
        return escape(scene, Rule(RuleKind.NET_UNIX_SHARED), unix(path, nonce), listener, talks_unix(scene))

    return Attempt(
        title=f"Connect to a host process's socket in {where}.",
        requirement="A socket of the host cannot be reached even where its directory is bound.",
        violates=RuleKind.NET_UNIX_SHARED,
        severity=Severity.HIGH,
        arm=arm,
        references=("unix(7)",),
    )


FAMILY = {name: _attempt(*row) for name, row in PLACES.items()}
