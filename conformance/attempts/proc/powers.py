"""Take a mount that protects a path away again, with the powers that the sandbox left."""

from __future__ import annotations

from conformance.attempts.common import HOOK, HOOKS, beside, escape
from conformance.core.attempt import Armed, Attempt
from conformance.core.scene import Scene
from conformance.core.steps import Steps, remount, userns, write
from conformance.core.words import Severity
from conformance.witnesses.files import FileHolds
from sandbox.policy.rules import Rule, RuleKind


def _attempt(kind: RuleKind, title: str, powers: Steps, *refs: str) -> Attempt:
    def arm(scene: Scene) -> Armed:
        nonce = scene.nonce()
        rule = Rule(kind)
        policy = scene.policy(rule, Rule(RuleKind.FS_WRITE_DENY, HOOKS))
        return escape(
            scene, rule, (*powers, write(HOOK, nonce)), FileHolds(scene.host(HOOK), nonce), beside(scene), policy=policy
        )

    return Attempt(
        title=title,
        requirement="No power is left inside with which a protecting mount could be removed.",
        violates=kind,
        severity=Severity.CRITICAL,
        arm=arm,
        references=refs,
    )


FAMILY = {
    "unmount": _attempt(
        RuleKind.PROC_CAPS,
        "Unmount or remount what protects the hooks directory, then write a hook.",
        (remount(HOOKS),),
        "capabilities(7)",
        "mount(2)",
        "umount(2)",
    ),
    "unmount-in-user-namespace": _attempt(
        RuleKind.PROC_USERNS,
        "Become root of a new user namespace, unmount what protects the hooks directory, then write a hook.",
        (userns(), remount(HOOKS)),
        "user_namespaces(7)",
        "mount_namespaces(7)",
    ),
}
