"""Find a credential under the name that its own tools use, and under names that no list of bad names has."""

from __future__ import annotations

from conformance.attempts.env.common import set_variable, stays_out
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import getenv
from conformance.core.words import Severity
from sandbox.policy.rules import RuleKind

NAMES = {
    "aws": ("AWS_SECRET_ACCESS_KEY", "{}"),
    "anthropic": ("ANTHROPIC_API_KEY", "{}"),
    "openai": ("OPENAI_API_KEY", "{}"),
    "github": ("GITHUB_TOKEN", "{}"),
    "npm": ("npm_config__authToken", "{}"),
    "vault": ("VAULT_TOKEN", "{}"),
    "database": ("DATABASE_URL", "postgres://app:{}@db.example.invalid/app"),
    "kubeconfig": ("KUBECONFIG", "/nonexistent/{}"),
    "ssh-agent": ("SSH_AUTH_SOCK", "/nonexistent/{}"),
    "lower-case": ("aws_secret_access_key", "{}"),
    "locale-like": ("LC_DEPLOY_TOKEN", "{}"),
    "unlisted": ("BLUE_ELEPHANT", "{}"),
}


def _attempt(name: str, value: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        canary = scene.nonce()
        set_variable(scene, name, value.format(canary))
        return stays_out(scene, canary, (getenv(name),))

    return Attempt(
        title=f"Read {name}, which the launcher has.",
        requirement="No credential in the launcher's environment passes.",
        violates=RuleKind.ENV_CLEAN,
        severity=Severity.CRITICAL,
        arm=arm,
        references=("environ(7)",),
    )


FAMILY = {member: _attempt(*row) for member, row in NAMES.items()}
