"""Secrets at their usual places in the home directory."""

from __future__ import annotations

from conformance.attempts.common import secret
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import read
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

PLACES = {
    "ssh": (".ssh", "id_ed25519"),
    "aws": (".aws", "credentials"),
    "gnupg": (".gnupg", "secring.gpg"),
    "gh": (".config/gh", "hosts.yml"),
    "kube": (".kube", "config"),
    "docker": (".docker", "config.json"),
    "netrc": (".netrc", ""),
    "git-credentials": (".git-credentials", ""),
    "cargo": (".cargo/credentials.toml", ""),
    "claude": (".claude/.credentials.json", ""),
    "bash-history": (".bash_history", ""),
}


def _attempt(place: str, inner: str) -> Attempt:
    target = f"$HOME/{place}"
    path = f"{target}/{inner}" if inner else target

    def arm(scene: Scene) -> Armed:
        canary = scene.nonce()
        scene.put(path, f"secret {canary}\n", mode=0o600)
        return secret(scene, target, read(path), canary)

    return Attempt(
        title=f"Read ~/{path.removeprefix('$HOME/')}.",
        requirement="Credentials in the home directory cannot be read.",
        violates=RuleKind.FS_READ_DENY,
        severity=Severity.CRITICAL,
        arm=arm,
    )


FAMILY = {name: _attempt(place, inner) for name, (place, inner) in PLACES.items()}
